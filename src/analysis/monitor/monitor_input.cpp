#include "analysis/monitor/monitor_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "stream/text/merged_source.h"
#include "trace/reader.h"

namespace heddle::analysis {

MonitorInput::~MonitorInput() {
  source_.reset();
  for (int fd : fds_) close(fd);
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
  return OpenAll({path}, graph, strict, 0);
}

Status MonitorInput::OpenAll(const std::vector<std::string>& paths, const stream::Graph& graph, bool strict,
                             int64_t reorder) {
  std::vector<std::unique_ptr<stream::EventSource>> sources;
  for (const std::string& path : paths) {
    int fd = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ErrnoError(path, errno);
    if (fd != STDIN_FILENO) fds_.push_back(fd);
    if (paths.size() > 1 && trace::TraceFile::LooksLikeTrace(path)) {
      return MakeError(ErrorCode::kBadInput,
                       path + ": only text traces can be merged, a heddle trace has its own time");
    }
    name_ = path == "-" ? "<stdin>" : path;
    sources.push_back(stream::OpenTextTrace(fd, graph, {name_, strict, reorder > 0}));
    if (reorder > 0) sources.back() = stream::ReorderSource(std::move(sources.back()), reorder, graph);
  }
  source_ = sources.size() == 1 ? std::move(sources[0]) : stream::MergeSources(std::move(sources), graph);
  return {};
}

Status MonitorInput::Run(const LiveOptions& options, const stream::Graph& graph) {
  name_ = options.command[0];
  auto program = LiveProgram::Start(options);
  if (!program) return program.error();
  program_ = program.Take();
  return UseEvents(program_->reader(), graph);
}

std::vector<std::string> MonitorInput::MissingStreams() const {
  std::vector<std::string> missing;
  if (streams_ == nullptr) return missing;
  for (const auto& [name, hint] : streams_->MissingInputs()) {
    missing.push_back(fmt::format("heddle traces have no stream `{}`{}{}", name, hint.empty() ? "" : ": ", hint));
  }
  return missing;
}

Status MonitorInput::UseEvents(trace::EventSource& events, const stream::Graph& graph) {
  events_ = &events;
  names_ = std::make_unique<symbolize::TraceNames>(&events);
  auto streams = monitor::TraceStreams::Make(events, *names_, graph);
  if (!streams) return streams.error();
  streams_ = streams->get();
  source_ = streams.Take();
  return {};
}

}  // namespace heddle::analysis
