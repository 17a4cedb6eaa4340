#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "cli/monitor.h"
#include "trace/reader.h"

namespace heddle::cli {

MonitorInput::~MonitorInput() {
  source_.reset();
  if (fd_ > 0) close(fd_);
}

Status MonitorInput::Open(const std::string& path, const stream::Graph& graph, bool strict) {
  name_ = path == "-" ? "<stdin>" : path;
  // Standard input may be a file too; a pipe is text, because a heddle trace is not read from front to back.
  std::string file = path == "-" ? "/dev/stdin" : path;
  if (trace::TraceFile::LooksLikeTrace(file)) {
    auto reader = trace::TraceReader::Open(file);
    if (!reader) return reader.error();
    file_ = reader.Take();
    return UseEvents(*file_, graph);
  }
  fd_ = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return ErrnoError(path, errno);
  source_ = stream::OpenTextTrace(fd_, graph, {name_, strict});
  return {};
}

Status MonitorInput::Run(const LiveOptions& options, const stream::Graph& graph) {
  name_ = options.command[0];
  auto program = LiveProgram::Start(options);
  if (!program) return program.error();
  program_ = program.Take();
  return UseEvents(program_->reader(), graph);
}

Status MonitorInput::UseEvents(trace::EventSource& events, const stream::Graph& graph) {
  events_ = &events;
  names_ = std::make_unique<symbolize::TraceNames>(&events);
  auto streams = monitor::TraceStreams::Make(events, *names_, graph);
  if (!streams) return streams.error();
  streams_ = streams->get();
  for (const auto& [name, hint] : streams_->MissingInputs()) {
    fmt::print(stderr, "heddle monitor: warning: heddle traces have no stream `{}`{}{}\n", name,
               hint.empty() ? "" : ": ", hint);
  }
  source_ = streams.Take();
  return {};
}

}  // namespace heddle::cli
