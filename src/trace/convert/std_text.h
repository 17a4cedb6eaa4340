// STD, the text format of the RAPID trace analyses: one event a line,
//
//   thread|op(argument)|location
//
// op is r or w (argument: a variable), acq or rel (a lock), fork or join (a thread). Names are any characters but
// `|`, `(`, `)` and blanks; location is a signed 32-bit decimal number. The order of the lines is the order of the run.
//
// What is kept and what is lost on the way out and in: docs/trace-streams.md. Text to trace to text is the identity.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/convert/names.h"
#include "trace/source.h"

namespace heddle::trace {

// Accesses come out as OrderedRead and OrderedWrite, since their global order is known.
class StdSource final : public EventSource {
 public:
  explicit StdSource(std::unique_ptr<LineInput> input);
  bool Next(Event* event) override;
  const TraceInfo& info() const override { return info_; }
  const StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }

 private:
  bool Parse(std::string_view line, Event* event);
  bool ParseOperation(std::string_view line, size_t begin, size_t open, size_t close, Event* event);
  bool ParseLocation(std::string_view line, size_t begin, Event* event);
  bool CheckName(std::string_view line, size_t begin, size_t end, const char* what);
  bool Wrong(std::string_view line, size_t begin, size_t end, const std::string& message, const std::string& help = "");

  std::unique_ptr<LineInput> input_;
  TraceInfo info_;
  StackTable stacks_;
  NamedObjects names_;
  uint64_t sequence_ = 0;
  Status status_;
};

class StdSink final : public EventSink {
 public:
  StdSink(OutputFile* out, const EventSource* source) : out_(out), source_(source) {}
  Status Add(const Event& event) override;
  Status Finish() override { return out_->Commit(); }

  uint64_t left_out() const override { return left_out_; }

 private:
  int32_t LocationOf(uint64_t pc);
  std::string Object(char prefix, uint64_t address) const;
  Status Line(const Event& event, const char* op, const std::string& argument);
  Status Access(const Event& event);
  Status Atomic(const Event& event);
  Status Pulse(const Event& event, const std::string& lock);
  Status Sync(const Event& event);

  OutputFile* out_;
  const EventSource* source_;
  std::unordered_map<uint64_t, int32_t> locations_;
  uint64_t left_out_ = 0;
};

}  // namespace heddle::trace
