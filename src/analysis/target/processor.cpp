#include "analysis/target/processor.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/file.h"

namespace heddle::analysis {
namespace {

// Of the rest neither glibc nor compression, hashing and media libraries make anything depend.
constexpr std::array<std::string_view, 26> kAsked = {
    "adx",    "aes",    "avx",  "avx2",   "avx512bw", "avx512dq", "avx512f", "avx512vl", "bmi1",
    "bmi2",   "erms",   "f16c", "fma",    "fsgsbase", "fsrm",     "gfni",    "movbe",    "pclmulqdq",
    "popcnt", "rdrand", "rtm",  "sha_ni", "sse4_1",   "sse4_2",   "ssse3",   "vaes"};

std::set<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

// Those of `a` that are not in `b`, each with a space before it.
std::string Missing(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::string text;
  for (const std::string& word : a) {
    if (!b.contains(word)) text += " " + word;
  }
  return text;
}

}  // namespace

std::string FeaturesIn(std::string_view cpuinfo) {
  size_t line = cpuinfo.find("\nflags");
  if (line == std::string_view::npos) return "";
  std::string_view flags = cpuinfo.substr(line + 1);
  flags = flags.substr(0, flags.find('\n'));
  size_t colon = flags.find(':');
  if (colon == std::string_view::npos) return "";
  std::set<std::string> has = Words(flags.substr(colon + 1));
  std::string text;
  for (std::string_view feature : kAsked) {
    if (has.contains(std::string(feature))) text += (text.empty() ? "" : " ") + std::string(feature);
  }
  return text;
}

std::string ProcessorFeatures() {
  Result<std::string> text = ReadFile("/proc/cpuinfo");
  return text ? FeaturesIn(*text) : "";
}

std::string FeatureDifference(std::string_view recorded, std::string_view now) {
  if (recorded.empty() || now.empty()) return "";
  std::set<std::string> then_has = Words(recorded);
  std::set<std::string> now_has = Words(now);
  std::string gone = Missing(then_has, now_has);
  std::string added = Missing(now_has, then_has);
  std::string text = gone.empty() ? "" : "without" + gone;
  if (!added.empty()) text += (text.empty() ? "with" : ", with") + added;
  return text;
}

}  // namespace heddle::analysis
