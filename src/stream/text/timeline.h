// Output streams over time as one HTML file with SVG drawings: no scripts from elsewhere, no network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stream/run/machine.h"

namespace heddle::stream {

class Timeline {
 public:
  explicit Timeline(const Program& program);

  void Event(int64_t time, const OutputEvent& event);
  std::string Html(const std::string& title) const;

  struct Point {
    int64_t time;
    double number;
    std::string text;
  };
  enum class Style { kDots, kBool, kGraph };
  struct Row {
    std::string name;
    Style style = Style::kDots;
    bool finding = false;
    std::vector<Point> points;
    uint64_t left_out = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }

 private:
  // A page with more events than this is of no use to a reader; the page says how many were left out.
  static constexpr size_t kMaxEvents = 5'000;

  double X(int64_t time) const;
  void DrawRow(const Row& row, std::string& out) const;
  void DrawAxis(std::string& out) const;

  std::vector<Row> rows_;
  int64_t first_ = 0;
  int64_t last_ = 0;
  bool any_ = false;
};

}  // namespace heddle::stream
