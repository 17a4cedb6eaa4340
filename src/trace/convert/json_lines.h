// JSON lines: a trace as one JSON object a line, without loss, for scripts.
//
//   {"heddle":"trace/1","flags":1,"pid":7,"start_ns":0,"command":"./a"}     first
//   {"module":"/bin/a","base":"0x5555","begin":"0x..","end":"0x..","build_id":"ab12"}
//   {"thread":1,"id":"T1","name":"worker","start_pc":"0x.."}
//   {"string":3,"text":"a user event's name"}     {"symbol":"0x10","name":"counter"}
//   {"frame":4,"parent":2,"pc":"0x.."}            a call, before the first event below it
//   {"event":"lock","thread":1,"seq":12,"address":"0x..","pc":"0x..","stack":4,"detail":1,...}
//
// Fields of events that are 0 are left out. Numbers of 64 bits may be numbers or strings with 0x when read.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/source.h"

namespace heddle::trace {

class JsonLinesSource final : public EventSource {
 public:
  explicit JsonLinesSource(std::unique_ptr<LineInput> input) : input_(std::move(input)) {}
  bool Next(Event* event) override;
  const TraceInfo& info() const override { return info_; }
  const StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }

 private:
  struct Fields;  // the fields of one line
  bool ParseEvent(Fields& fields, Event* event);
  void ParseHeader(Fields& fields);
  void ParseModule(Fields& fields);
  void ParseThread(Fields& fields);
  void ParseFrame(Fields& fields);
  bool ParseLine(std::string_view line, Event* event);
  void Wrong(std::string_view line, size_t begin, size_t end, const std::string& message, const std::string& help = "");

  std::unique_ptr<LineInput> input_;
  TraceInfo info_;
  StackTable stacks_;
  std::unordered_map<uint64_t, uint32_t> frames_;  // the file's numbers to StackTable's
  bool header_seen_ = false;
  Status status_;
};

class JsonLinesSink final : public EventSink {
 public:
  JsonLinesSink(OutputFile* out, const EventSource* source) : out_(out), source_(source) {}
  Status Add(const Event& event) override;
  Status Finish() override;

 private:
  void Header();
  void Thread(uint32_t number);
  void Symbol(uint64_t address);
  void String(uint64_t id);
  void Frames(uint32_t node);
  void Describe(const Event& event);

  OutputFile* out_;
  const EventSource* source_;
  bool header_done_ = false;
  size_t modules_done_ = 0;
  std::unordered_set<uint32_t> threads_done_;
  std::unordered_set<uint64_t> symbols_done_;
  std::unordered_set<uint64_t> strings_done_;
  std::vector<bool> frames_done_;
  std::string line_;
};

}  // namespace heddle::trace
