#include "base/line_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/source.h"

namespace heddle {
namespace {

constexpr size_t kBlockBytes = 1U << 18U;
constexpr size_t kMaxLineBytes = 1U << 24U;

}  // namespace

LineInput::LineInput(int fd, bool owned, std::string name) : fd_(fd), owned_(owned), name_(std::move(name)) {}

LineInput::~LineInput() {
  if (owned_) close(fd_);
}

Result<std::unique_ptr<LineInput>> LineInput::Open(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  return std::unique_ptr<LineInput>(new LineInput(fd, true, path));
}

std::unique_ptr<LineInput> LineInput::FromDescriptor(int fd, std::string name) {
  return std::unique_ptr<LineInput>(new LineInput(fd, false, std::move(name)));
}

std::unique_ptr<LineInput> LineInput::FromMemory(std::string_view text, std::string name) {
  std::unique_ptr<LineInput> input(new LineInput(-1, false, std::move(name)));
  input->at_end_ = true;
  if (!text.empty()) {
    input->at_ = text.data();
    input->end_ = text.data() + text.size();
  }
  return input;
}

// Keeps what is left and reads another block behind it.
bool LineInput::Fill() {
  if (at_end_ || !status_) return false;
  auto left = static_cast<size_t>(end_ - at_);
  if (left > kMaxLineBytes) {
    status_ = MakeError(ErrorCode::kBadInput,
                        fmt::format("{}:{}: a line of more than {} bytes", name_, line_number_ + 1, kMaxLineBytes));
    return false;
  }
  if (left > 0 && at_ != buffer_.data()) std::memmove(buffer_.data(), at_, left);
  if (buffer_.size() < left + kBlockBytes) buffer_.resize(left + kBlockBytes);
  ssize_t n = 0;
  do {
    n = read(fd_, buffer_.data() + left, buffer_.size() - left);
  } while (n < 0 && errno == EINTR);
  at_ = buffer_.data();
  end_ = at_ + left + (n > 0 ? n : 0);
  if (n < 0) status_ = ErrnoError(name_, errno);
  at_end_ = n == 0;
  return n > 0;
}

bool LineInput::LastLine(std::string_view* line) {
  if (!status_ || at_ == end_) return false;
  *line = std::string_view(at_, static_cast<size_t>(end_ - at_));
  at_ = end_;
  ++line_number_;
  return true;
}

std::string_view LineInput::Peek(size_t bytes) {
  while (static_cast<size_t>(end_ - at_) < bytes && Fill()) {
  }
  return {at_, static_cast<size_t>(end_ - at_)};
}

Error LineInput::ErrorAt(std::string_view line, size_t begin, size_t end, const std::string& message,
                         const std::string& help) const {
  return MakeError(ErrorCode::kBadInput,
                   RenderLine({name_, line_number_, line, begin, end}, Severity::kError, message, help));
}

}  // namespace heddle
