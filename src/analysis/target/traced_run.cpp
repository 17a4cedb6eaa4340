#include "analysis/target/traced_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "wire/environment.h"

namespace heddle::analysis {

Result<TracedEnd> RunTraced(const TracedRun& run) {
  // The runtime never writes over a file that is there; the path must be absolute, the program may change its folder.
  std::error_code failure;
  std::string path = std::filesystem::absolute(run.trace_path, failure).string();
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoError(path, errno);
  ChildOptions options;
  options.environment = {Assign(wire::variable::kMode, "trace"), Assign(wire::variable::kTrace, path),
                         Assign(wire::variable::kOptions, run.options)};
  options.fixed_addresses = true;
  options.seconds = run.seconds;
  Result<ChildEnd> end = RunChild(run.command, options);
  if (!end) return end.error();
  if (access(path.c_str(), R_OK) != 0) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: the program wrote no trace: it was not built with heddle cc (or could not write "
                                 "to {})",
                                 run.command[0], path));
  }
  return TracedEnd{*end, end->timed_out};
}

}  // namespace heddle::analysis
