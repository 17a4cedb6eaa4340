#include "refine/campaign/reduce.h"

#include <sstream>

#include "base/file.h"

namespace heddle::refine {
namespace {

Lines SplitLines(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string JoinLines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

int BraceChange(const std::string& line) {
  int change = 0;
  for (char c : line) change += c == '{' ? 1 : c == '}' ? -1 : 0;
  return change;
}

class Reducer {
 public:
  Reducer(Lines lines, const std::function<bool(const Lines&)>& keeps, uint32_t max_tests)
      : lines_(std::move(lines)), keeps_(keeps), left_(max_tests) {}

  Lines Run() {
    bool smaller = true;
    while (smaller && left_ > 0) {
      smaller = Blocks();
      for (size_t size = lines_.size() / 2; size >= 1 && left_ > 0; size /= 2) smaller |= Pieces(size);
    }
    return std::move(lines_);
  }

 private:
  bool Try(size_t from, size_t count) {
    if (left_ == 0) return false;
    --left_;
    Lines without = lines_;
    without.erase(without.begin() + static_cast<long>(from), without.begin() + static_cast<long>(from + count));
    if (!keeps_(without)) return false;
    lines_ = std::move(without);
    return true;
  }

  bool Blocks() {
    bool any = false;
    for (size_t i = 0; i < lines_.size() && left_ > 0;) {
      size_t end = BlockEnd(i);
      if (end > i + 1 && Try(i, end - i)) {
        any = true;
      } else {
        ++i;
      }
    }
    return any;
  }

  // Behind the line that closes what line i opens; i when it opens nothing.
  size_t BlockEnd(size_t i) const {
    int depth = BraceChange(lines_[i]);
    if (depth <= 0) return i;
    for (size_t end = i + 1; end < lines_.size(); ++end) {
      depth += BraceChange(lines_[end]);
      if (depth <= 0) return end + 1;
    }
    return i;
  }

  static bool Balanced(const Lines& lines, size_t from, size_t count) {
    int depth = 0;
    for (size_t i = from; i < from + count; ++i) depth += BraceChange(lines[i]);
    return depth == 0;
  }

  bool Pieces(size_t size) {
    bool any = false;
    for (size_t i = 0; i + size <= lines_.size() && left_ > 0;) {
      // What would not compile is not worth a test.
      if (Balanced(lines_, i, size) && Try(i, size)) {
        any = true;
      } else {
        i += size;
      }
    }
    return any;
  }

  Lines lines_;
  const std::function<bool(const Lines&)>& keeps_;
  uint32_t left_;
};

}  // namespace

Lines ReduceLines(Lines lines, const std::function<bool(const Lines&)>& keeps, uint32_t max_tests) {
  return Reducer(std::move(lines), keeps, max_tests).Run();
}

std::string ReduceFailure(const Failure& failure, const std::string& text, const std::string& folder,
                          const BatchOptions& options, uint32_t max_tests) {
  BatchOptions two = options;
  two.specs = {failure.original, failure.transformed};
  two.environments = 1;
  two.environment_seed = failure.environment_seed;
  two.outcome = nullptr;
  std::string source = folder + "/reduce.c";
  auto keeps = [&](const Lines& lines) {
    if (options.stop && options.stop()) return false;
    if (!WriteFileAtomic(source, JoinLines(lines))) return false;
    Result<BatchResult> result = TestBatch(source, {failure.thread}, folder + "/reduce", two);
    return result.ok() && !result->failures.empty() &&
           result->failures[0].result.violation.constraint == failure.result.violation.constraint;
  };
  Lines lines = SplitLines(text);
  if (!keeps(lines)) return text;
  return JoinLines(ReduceLines(std::move(lines), keeps, max_tests));
}

}  // namespace heddle::refine
