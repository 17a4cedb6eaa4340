// How a program is scheduled: the enums that everything uses, and the words for them at the edges, which are options of
// the command line, HEDDLE_OPTIONS (runtime/options.inc) and the headers of schedules. One table for each, so that the
// side that writes a word and the side that reads it cannot differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::wire {

#define HEDDLE_STRATEGIES(WORD)                                                     \
  WORD(Random, "random")                                                            \
  WORD(Pct, "pct")                                                                  \
  WORD(Pos, "pos")                                                                  \
  WORD(Queue, "queue")                                                              \
  WORD(RoundRobin, "rr")                                                            \
  WORD(Fixed, "fixed")   /* the steps of a schedule */                              \
  WORD(Guided, "guided") /* the switches of a schedule; none: as few as possible */ \
  WORD(Steer, "steer")   /* leads threads to places (wire/steer_plan.h) */          \
  WORD(Explore, "explore")

#define HEDDLE_CARRIERS(WORD)                      \
  WORD(Os, "os") /* a thread of the system each */ \
  WORD(Fiber, "fiber")

#define HEDDLE_VISIBLES(WORD)                            \
  WORD(Sync, "sync")         /* locks and the like */    \
  WORD(Atomics, "atomics")   /* these too */             \
  WORD(Volatile, "volatile") /* volatile accesses too */ \
  WORD(All, "all")           /* plain accesses too */

#define HEDDLE_MEMORY_MODELS(WORD) \
  WORD(Sc, "sc")                   \
  WORD(C11, "c11") /* atomic loads read what RC11 allows */

#define HEDDLE_TIME_MODES(WORD) \
  WORD(ByStrategy, "")          \
  WORD(Virtual, "virtual")      \
  WORD(Real, "real")

#define HEDDLE_WORD_NAME(name, word) k##name,
#define HEDDLE_WORD_TEXT(name, word) word,
enum class Strategy : uint8_t { HEDDLE_STRATEGIES(HEDDLE_WORD_NAME) };
enum class Carrier : uint8_t { HEDDLE_CARRIERS(HEDDLE_WORD_NAME) };
enum class Visible : uint8_t { HEDDLE_VISIBLES(HEDDLE_WORD_NAME) };
enum class MemoryModel : uint8_t { HEDDLE_MEMORY_MODELS(HEDDLE_WORD_NAME) };
enum class TimeMode : uint8_t { HEDDLE_TIME_MODES(HEDDLE_WORD_NAME) };

template <typename Enum>
struct WordsOf;
template <>
struct WordsOf<Strategy> {
  static constexpr const char* kWords[] = {HEDDLE_STRATEGIES(HEDDLE_WORD_TEXT)};
};
template <>
struct WordsOf<Carrier> {
  static constexpr const char* kWords[] = {HEDDLE_CARRIERS(HEDDLE_WORD_TEXT)};
};
template <>
struct WordsOf<Visible> {
  static constexpr const char* kWords[] = {HEDDLE_VISIBLES(HEDDLE_WORD_TEXT)};
};
template <>
struct WordsOf<MemoryModel> {
  static constexpr const char* kWords[] = {HEDDLE_MEMORY_MODELS(HEDDLE_WORD_TEXT)};
};
template <>
struct WordsOf<TimeMode> {
  static constexpr const char* kWords[] = {HEDDLE_TIME_MODES(HEDDLE_WORD_TEXT)};
};
#undef HEDDLE_WORD_NAME
#undef HEDDLE_WORD_TEXT

template <typename Enum>
constexpr const char* WordOf(Enum value) {
  return WordsOf<Enum>::kWords[static_cast<size_t>(value)];
}

// False when it is no word of this table; `value` is as before then.
template <typename Enum>
constexpr bool FromWord(std::string_view word, Enum* value) {
  size_t at = 0;
  for (std::string_view known : WordsOf<Enum>::kWords) {
    if (word == known) {
      *value = static_cast<Enum>(at);
      return true;
    }
    ++at;
  }
  return false;
}

static_assert(std::string_view(WordOf(Strategy::kRoundRobin)) == "rr");
static_assert(std::string_view(WordOf(Strategy::kExplore)) == "explore");
static_assert(std::string_view(WordOf(Carrier::kFiber)) == "fiber");
static_assert(std::string_view(WordOf(Visible::kAll)) == "all");
static_assert(std::string_view(WordOf(MemoryModel::kC11)) == "c11");
static_assert(std::string_view(WordOf(TimeMode::kReal)) == "real");

}  // namespace heddle::wire
