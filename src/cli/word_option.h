// Options whose values are words of a table (wire/control_words.h).
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "wire/control_words.h"

namespace heddle::cli {

// The strategies that a person may ask for; the others belong to schedules and searches.
inline constexpr std::initializer_list<wire::Strategy> kChoosable = {wire::Strategy::kRandom, wire::Strategy::kPct,
                                                                     wire::Strategy::kPos, wire::Strategy::kQueue,
                                                                     wire::Strategy::kRoundRobin};

// These words, or all of the table.
template <typename Enum>
std::vector<std::string> Words(std::initializer_list<Enum> allowed) {
  std::vector<std::string> words;
  for (Enum word : allowed) words.emplace_back(wire::WordOf(word));
  if (words.empty()) words.assign(std::begin(wire::WordsOf<Enum>::kWords), std::end(wire::WordsOf<Enum>::kWords));
  return words;
}

// `allowed`: these words only; empty: all of the table.
template <typename Enum>
CLI::Option* AddWordOption(CLI::App& app, const char* name, Enum& value, const char* help,
                           std::initializer_list<Enum> allowed = {}) {
  std::vector<std::string> words = Words(allowed);
  auto set = [&value](const std::string& word) { wire::FromWord(word, &value); };
  return app.add_option_function<std::string>(name, set, help)
      ->check(CLI::IsMember(words))
      ->default_str(wire::WordOf(value));
}

// The same for an option without a default.
template <typename Enum>
CLI::Option* AddWordOption(CLI::App& app, const char* name, std::optional<Enum>& value, const char* help,
                           std::initializer_list<Enum> allowed = {}) {
  std::vector<std::string> words = Words(allowed);
  auto set = [&value](const std::string& word) {
    Enum given{};
    if (wire::FromWord(word, &given)) value = given;
  };
  return app.add_option_function<std::string>(name, set, help)->check(CLI::IsMember(words));
}

}  // namespace heddle::cli
