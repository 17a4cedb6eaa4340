#include "base/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace heddle {

Result<double> ParseDuration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 6> kUnits = {{{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}}};
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  for (const Unit& known : kUnits) {
    if (error == std::errc() && unit == known.name && value >= 0 && std::isfinite(value)) return value * known.seconds;
  }
  return MakeError(ErrorCode::kUsage, fmt::format("`{}` is not a time; write 500ms, 60s, 5m or 2h", text));
}

double MonotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace heddle
