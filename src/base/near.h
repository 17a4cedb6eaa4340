// The nearest known word for a misspelled one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle {

// Edit distance with swaps of neighbours counted once; at most limit + 1.
int EditDistance(std::string_view a, std::string_view b, int limit);

// The candidate nearest to `word`, or empty when none is near enough to be worth a suggestion. Ties: first wins.
std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean `x`?" or empty; what diagnostics put into their help line.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace heddle
