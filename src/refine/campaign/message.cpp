#include "refine/campaign/message.h"

#include <nlohmann/json.hpp>

namespace heddle::refine {

using Json = nlohmann::json;

std::string EncodeResult(const RangeResult& r) {
  Json json = {{"first", r.range.first}, {"count", r.range.count},       {"threads", r.threads},
               {"pairs", r.pairs},       {"matched", r.matched},         {"undecided", r.undecided},
               {"events", r.events},     {"harmless", r.harmless_reads}, {"reasons", r.reasons}};
  Json failures = Json::array();
  for (const FailureRow& row : r.failures) {
    failures.push_back({row.key, row.seed, row.original, row.transformed, row.constraint, row.headline,
                        row.environment_seed, row.count});
  }
  json["failures"] = failures;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<RangeResult> DecodeResult(std::string_view line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    RangeResult r;
    r.range.first = json.at("first");
    r.range.count = json.at("count");
    r.threads = json.at("threads");
    r.pairs = json.at("pairs");
    r.matched = json.at("matched");
    r.undecided = json.at("undecided");
    r.events = json.at("events");
    r.harmless_reads = json.at("harmless");
    r.reasons = json.at("reasons").get<std::map<std::string, uint64_t>>();
    for (const Json& row : json.at("failures")) {
      r.failures.push_back({row.at(0), row.at(1), row.at(2), row.at(3), row.at(4), row.at(5), row.at(6), row.at(7)});
    }
    return r;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace heddle::refine
