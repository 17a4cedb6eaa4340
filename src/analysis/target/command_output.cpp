#include "analysis/target/command_output.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/target/outcome.h"
#include "analysis/target/process.h"

namespace heddle::analysis {
namespace {

constexpr double kSeconds = 60;

}  // namespace

// Not by ChildEnd::output, which keeps the end only.
Result<std::string> CommandOutput(const std::vector<std::string>& command) {
  int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0) return MakeError(ErrorCode::kIo, "memfd_create failed");
  ChildOptions options;
  options.quiet = true;
  options.output = file;
  options.seconds = kSeconds;
  Result<ChildEnd> end = RunChild(command, options);
  std::string text;
  char buffer[65536];
  lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; (n = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(file);
  if (!end) return end.error();
  if (end->code == 0) return text;
  std::vector<std::string> last = LastLines(text, 1);
  return MakeError(ErrorCode::kUsage, last.empty() ? fmt::format("exit code {}", end->code) : last[0]);
}

}  // namespace heddle::analysis
