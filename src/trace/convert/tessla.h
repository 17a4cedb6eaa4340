// TeSSLa's text input: `timestamp: stream = value` lines, all lines of one event at one timestamp, as in "Stream-based
// dynamic data race detection" (figure 2). Timestamps number the events from 1.
//
// Every event has `threadid`, one stream that says what happened (tessla_table.h lists them), what else is known about
// it (`size`, `value`, `order`, ...), and `pc`, `line`, `function`, `file` where they are known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/convert/location.h"
#include "trace/convert/names.h"
#include "trace/convert/tessla_fields.h"
#include "trace/source.h"

namespace heddle::trace {

class TesslaSource final : public EventSource {
 public:
  explicit TesslaSource(std::unique_ptr<LineInput> input);
  bool Next(Event* event) override;
  const TraceInfo& info() const override { return info_; }
  const StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }

 private:
  // A line: its time, the stream, and the value as text (strings without their quotes).
  struct Item {
    int64_t time = 0;
    std::string stream;
    std::string value;
    bool quoted = false;
    std::string line;
    uint64_t line_number = 0;
    size_t stream_at = 0;  // columns
    size_t value_at = 0;
  };
  using Instant = std::map<std::string, Item>;  // by stream

  bool NextItem(Item* item);
  bool ParseItem(std::string_view line, Item* item);
  bool ParseValue(Item* item);
  bool Build(const Instant& instant, Event* event);
  bool BuildNamed(const Item& item, Event* event);
  bool CheckStreams(const Instant& instant, const TesslaRule& rule);
  bool FillField(const Item& item, TesslaValue value, Event* event);
  bool FillContext(const Instant& instant, Event* event);
  void FillSize(uint64_t size, Event* event);
  bool Thread(const Item& item, uint32_t* thread);
  bool Number(const Item& item, uint64_t limit, uint64_t* value);
  bool Wrong(const Item& item, size_t begin, size_t end, const std::string& message, const std::string& help = "");
  bool WrongValue(const Item& item, const std::string& message);

  std::unique_ptr<LineInput> input_;
  TraceInfo info_;
  StackTable stacks_;
  NamedObjects names_;
  std::map<std::string, uint64_t> strings_;
  std::unordered_map<int64_t, uint64_t> signals_;  // their sequences by time
  Item ahead_;                                     // the first line of the next instant
  bool has_ahead_ = false;
  bool started_ = false;
  uint64_t sequence_ = 0;
  Status status_;
};

class TesslaSink final : public EventSink {
 public:
  TesslaSink(OutputFile* out, const EventSource* source, Locator locate)
      : out_(out), source_(source), fields_(source), locate_(std::move(locate)) {}
  Status Add(const Event& event) override;
  Status Finish() override { return out_->Commit(); }

  uint64_t left_out() const override { return left_out_; }

 private:
  void Put(std::string_view stream, std::string_view value);
  void Put(std::string_view stream, const FieldValue& value);
  void PutPlace(uint64_t pc);

  OutputFile* out_;
  const EventSource* source_;
  TesslaFields fields_;
  Locator locate_;
  std::map<uint64_t, std::string> places_;  // the lines after `timestamp: `, by code address
  std::string text_;
  uint64_t left_out_ = 0;
};

}  // namespace heddle::trace
