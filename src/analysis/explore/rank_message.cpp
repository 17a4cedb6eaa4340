#include "analysis/explore/rank_message.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace heddle::analysis {
namespace {

using Json = nlohmann::json;

Json Bytes(std::string_view text) { return Json::binary({text.begin(), text.end()}); }

std::string Text(const Json& json) {
  const Json::binary_t& bytes = json.get_binary();
  return {bytes.begin(), bytes.end()};
}

// Of plain structs, as they lie in memory.
template <typename T>
Json Plain(const std::vector<T>& values) {
  return Bytes({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

template <typename T>
bool TakePlain(const Json& json, size_t most, std::vector<T>* values) {
  const Json::binary_t& bytes = json.get_binary();
  if (bytes.size() % sizeof(T) != 0 || bytes.size() / sizeof(T) > most) return false;
  values->resize(bytes.size() / sizeof(T));
  if (!values->empty()) std::memcpy(values->data(), bytes.data(), bytes.size());
  return true;
}

Json TotalsJson(const SearchTotals& t) {
  return {{"executions", t.executions},
          {"blocked", t.blocked},
          {"events", t.events},
          {"cut", t.cut},
          {"hangs", t.hangs},
          {"diverged", t.diverged},
          {"divergence", t.divergence},
          {"timeouts", t.timeouts_cut},
          {"mixed", t.mixed_sizes},
          {"gaps", t.gaps},
          {"forked", t.forked},
          {"succeeded", t.outcomes.succeeded},
          {"failed", t.outcomes.failed},
          {"tests", t.outcomes.tests}};
}

SearchTotals TotalsOf(const Json& json) {
  SearchTotals t;
  t.executions = json.at("executions");
  t.blocked = json.at("blocked");
  t.events = json.at("events");
  t.cut = json.at("cut");
  t.hangs = json.at("hangs");
  t.diverged = json.at("diverged");
  t.divergence = json.at("divergence");
  t.timeouts_cut = json.at("timeouts");
  t.mixed_sizes = json.at("mixed");
  t.gaps = json.at("gaps").get<std::set<std::string>>();
  t.forked = json.at("forked");
  t.outcomes.succeeded = json.at("succeeded");
  t.outcomes.failed = json.at("failed");
  t.outcomes.tests = json.at("tests").get<std::map<std::string, uint64_t>>();
  return t;
}

Json PerformedJson(const Performed& p) {
  return {{"events", Plain(p.execution.events)},
          {"pending", Plain(p.execution.pending)},
          {"options", Plain(p.execution.options)},
          {"end", static_cast<int>(p.execution.end)},
          {"signal", p.signal},
          {"crash", p.crash ? *p.crash + 1 : 0},
          {"code", p.code},
          {"tests", p.failed_tests},
          {"hangs", p.hangs},
          {"spins", p.spins},
          {"notes", Plain(p.notes)}};
}

bool Possible(const std::vector<wire::ExploredEvent>& events, size_t threads) {
  for (const wire::ExploredEvent& event : events) {
    if (event.thread >= threads) return false;
  }
  return true;
}

std::optional<Performed> PerformedOf(const Json& json, size_t threads) {
  Performed p;
  bool read = TakePlain(json.at("events"), wire::kLinkSteps + 1, &p.execution.events) &&
              TakePlain(json.at("pending"), wire::kMaxExplored, &p.execution.pending) &&
              TakePlain(json.at("options"), wire::kLinkOptions, &p.execution.options) &&
              TakePlain(json.at("notes"), wire::kLinkNotes, &p.notes);
  int end = json.at("end");
  uint64_t crash = json.at("crash");
  bool possible = Possible(p.execution.events, threads) && Possible(p.execution.pending, threads) && end >= 0 &&
                  end <= static_cast<int>(explore::End::kFailed) && crash <= p.execution.events.size() + 1;
  if (!read || !possible) return std::nullopt;
  p.execution.end = static_cast<explore::End>(end);
  if (crash != 0) p.crash = crash - 1;
  p.signal = json.at("signal");
  p.code = json.at("code");
  p.failed_tests = json.at("tests").get<std::vector<std::string>>();
  p.hangs = json.at("hangs");
  p.spins = json.at("spins");
  return p;
}

Json FoundJson(const std::vector<Performed>& found) {
  Json list = Json::array();
  for (const Performed& performed : found) list.push_back(PerformedJson(performed));
  return list;
}

bool TakeFound(const Json& json, size_t threads, std::vector<Performed>* found) {
  for (const Json& one : json) {
    std::optional<Performed> performed = PerformedOf(one, threads);
    if (!performed) return false;
    found->push_back(std::move(*performed));
  }
  return true;
}

std::string Packed(const Json& json) {
  std::string text;
  Json::to_msgpack(json, text);
  return text;
}

bool TakeMessage(const Json& json, RankMessage* message) {
  message->is = json.at("is");
  message->text = json.at("text");
  message->threads = json.at("threads").get<std::vector<std::string>>();
  message->number = json.at("number");
  message->first = json.at("first");
  if (message->threads.size() > wire::kMaxExplored) return false;
  if (message->is == "subtree") {
    std::optional<explore::Subtree> subtree = explore::DecodeSubtree(Text(json.at("subtree")));
    if (!subtree) return false;
    message->subtree = std::move(*subtree);
  }
  if (message->is != "result") return true;
  std::optional<explore::SubtreeRest> rest = explore::DecodeRest(Text(json.at("rest")));
  if (!rest || !TakeFound(json.at("found"), message->threads.size(), &message->result.found)) return false;
  message->result.rest = std::move(*rest);
  message->result.totals = TotalsOf(json.at("totals"));
  return true;
}

}  // namespace

std::string EncodeMessage(const RankMessage& message) {
  Json json = {{"is", message.is},
               {"text", message.text},
               {"threads", message.threads},
               {"number", message.number},
               {"first", message.first}};
  if (message.is == "subtree") json["subtree"] = Bytes(explore::EncodeSubtree(message.subtree));
  if (message.is == "result") {
    json["totals"] = TotalsJson(message.result.totals);
    json["found"] = FoundJson(message.result.found);
    json["rest"] = Bytes(explore::EncodeRest(message.result.rest));
  }
  return Packed(json);
}

std::optional<RankMessage> DecodeMessage(std::string_view text) {
  Json json = Json::from_msgpack(text, true, false);
  if (!json.is_object()) return std::nullopt;
  try {
    RankMessage message;
    if (!TakeMessage(json, &message)) return std::nullopt;
    return message;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string EncodeCheckpoint(const RankCheckpoint& checkpoint) {
  return Packed({{"heddle", "shared search 2"},
                 {"identity", checkpoint.identity},
                 {"first", checkpoint.first},
                 {"threads", checkpoint.threads},
                 {"totals", TotalsJson(checkpoint.totals)},
                 {"found", FoundJson(checkpoint.found)},
                 {"search", Bytes(checkpoint.search)}});
}

std::optional<RankCheckpoint> DecodeCheckpoint(std::string_view text) {
  Json json = Json::from_msgpack(text, true, false);
  if (!json.is_object()) return std::nullopt;
  try {
    RankCheckpoint checkpoint;
    if (json.at("heddle") != "shared search 2") return std::nullopt;
    checkpoint.identity = json.at("identity");
    checkpoint.first = json.at("first");
    checkpoint.threads = json.at("threads").get<std::vector<std::string>>();
    checkpoint.totals = TotalsOf(json.at("totals"));
    bool possible = checkpoint.threads.size() <= wire::kMaxExplored &&
                    TakeFound(json.at("found"), checkpoint.threads.size(), &checkpoint.found);
    if (!possible) return std::nullopt;
    checkpoint.search = Text(json.at("search"));
    return checkpoint;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

uint64_t HashOf(const Performed& performed) {
  uint64_t hash = 14695981039346656037ULL;
  auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
  add(static_cast<uint64_t>(performed.execution.end));
  for (const wire::ExploredEvent& event : performed.execution.events) {
    for (uint64_t value :
         {uint64_t{event.thread}, uint64_t{event.operation}, event.object, event.pc, event.enabled.word(0),
          event.enabled.word(1), event.enabled.word(2), event.enabled.word(3)}) {
      add(value);
    }
  }
  return hash;
}

}  // namespace heddle::analysis
