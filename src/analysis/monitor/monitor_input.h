// Where the events of a monitored run come from: a text trace, a heddle trace, or a running program.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/target/live_program.h"
#include "base/result.h"
#include "monitor/trace_streams.h"
#include "stream/text/event_source.h"
#include "symbolize/trace_names.h"

namespace heddle::analysis {

class MonitorInput {
 public:
  MonitorInput() = default;
  ~MonitorInput();
  MonitorInput(const MonitorInput&) = delete;
  MonitorInput& operator=(const MonitorInput&) = delete;

  // A file of either sort, or text from standard input for "-".
  Status Open(const std::string& path, const stream::Graph& graph, bool strict);
  // Several texts in the order of time, each with events up to `reorder` units late.
  Status OpenAll(const std::vector<std::string>& paths, const stream::Graph& graph, bool strict, int64_t reorder);
  Status Run(const LiveOptions& options, const stream::Graph& graph);

  stream::EventSource& source() { return *source_; }
  const stream::EventSource& source() const { return *source_; }
  const std::string& name() const { return name_; }

  // Inputs of the specification that get no events from a heddle trace, each as a sentence.
  std::vector<std::string> MissingStreams() const;

  // Null for text.
  const monitor::TraceStreams* streams() const { return streams_; }
  symbolize::TraceNames* names() { return names_.get(); }
  const trace::EventSource* events() const { return events_; }
  LiveProgram* program() { return program_.get(); }  // null unless it runs one

 private:
  Status UseEvents(trace::EventSource& events, const stream::Graph& graph);

  std::vector<int> fds_;
  std::string name_;
  std::unique_ptr<LiveProgram> program_;
  std::unique_ptr<trace::EventSource> file_;
  trace::EventSource* events_ = nullptr;
  std::unique_ptr<symbolize::TraceNames> names_;
  const monitor::TraceStreams* streams_ = nullptr;
  std::unique_ptr<stream::EventSource> source_;
};

}  // namespace heddle::analysis
