#include "base/near.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace heddle {

int EditDistance(std::string_view a, std::string_view b, int limit) {
  int na = static_cast<int>(a.size());
  int nb = static_cast<int>(b.size());
  if (std::abs(na - nb) > limit) return limit + 1;
  std::vector<int> before(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  std::vector<int> next(b.size() + 1);
  for (int j = 0; j <= nb; ++j) row[static_cast<size_t>(j)] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    int best = next[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      int substitute = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({substitute, row[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
      best = std::min(best, next[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(before, row);
    std::swap(row, next);
  }
  return std::min(row[b.size()], limit + 1);
}

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates) {
  // A third of the word may be wrong; more is a guess that only confuses.
  int limit = std::max(1, static_cast<int>(word.size()) / 3);
  std::string_view nearest;
  for (std::string_view candidate : candidates) {
    int distance = EditDistance(word, candidate, limit);
    if (distance <= limit && distance > 0) {
      nearest = candidate;
      limit = distance - 1;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view nearest = NearestWord(word, candidates);
  return nearest.empty() ? std::string() : fmt::format("did you mean `{}`?", nearest);
}

}  // namespace heddle
