// Errors as values. A Result<T> holds a T or an Error; nothing below src/cli prints or exits.
//
//   Result<Trace> r = OpenTrace(path);
//   if (!r) return r.error();
//   Use(*r);
//
// Thread-compatible: distinct objects may be used from distinct threads.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace heddle {

// What kind of failure it was; src/cli turns this into the exit codes of the command-line contract.
enum class ErrorCode {
  kUsage,        // the caller asked for something that makes no sense
  kBadInput,     // a file that heddle read is not what it should be
  kNotFound,     // a file or program is missing
  kIo,           // the system refused: permission, full disk, ...
  kLimit,        // a time, memory or size limit was reached; "could not decide"
  kUnsupported,  // this machine or this input lacks something that heddle needs
  kInternal,     // a broken promise inside heddle
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // complete: names the file, line and column where there are any
};

inline Error MakeError(ErrorCode code, std::string message) { return Error{code, std::move(message)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T&& Take() { return std::move(*value_); }

  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

// Result without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace heddle
