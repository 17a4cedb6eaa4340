// Parts that `heddle monitor` and its subcommands share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "cli/verb.h"
#include "stream/elaborate.h"
#include "stream/event_source.h"
#include "stream/program.h"

namespace heddle::cli {

struct SpecOptions {
  std::string path;
  std::string dialect = "auto";
  std::string base_time;
};

void AddSpecOptions(CLI::App& app, SpecOptions& options);

// Compiles the specification; prints its diagnostics. Nothing when it has errors.
std::optional<stream::Program> LoadSpecification(SourceMap& sources, const SpecOptions& options);

// A text trace from a file, or from standard input for "-".
class TraceFile {
 public:
  ~TraceFile();
  Status Open(const std::string& path);
  std::unique_ptr<stream::EventSource> Source(const stream::Graph& graph, bool strict) const;
  const std::string& name() const { return name_; }

 private:
  int fd_ = -1;
  std::string name_;
};

int RunMonitorTemplate(const Arguments& arguments);
int RunMonitorExplain(const Arguments& arguments);

}  // namespace heddle::cli
