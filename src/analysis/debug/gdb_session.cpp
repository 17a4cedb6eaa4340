#include "analysis/debug/gdb_session.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "analysis/debug/stub.h"
#include "analysis/target/process.h"
#include "base/file.h"

namespace heddle::analysis {
namespace {

// A socket in a folder of its own that only this user can enter; both are gone when the object is.
class Meeting {
 public:
  Meeting() {
    std::error_code none;
    std::string name = (std::filesystem::temp_directory_path(none) / "heddle-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    path_ = folder_ + "/gdb";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener_, 1) != 0) {
      close(listener_);
      listener_ = -1;
    }
  }
  ~Meeting() {
    if (listener_ >= 0) close(listener_);
    std::error_code none;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  bool ok() const { return listener_ >= 0; }
  const std::string& path() const { return path_; }

  // -1 when gdb ended first.
  int Accept(Child& gdb) const {
    constexpr int kTick = 50;
    while (!gdb.Poll()) {
      pollfd wait{listener_, POLLIN, 0};
      if (poll(&wait, 1, kTick) > 0) return accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    }
    return -1;
  }

 private:
  std::string folder_;
  std::string path_;
  int listener_ = -1;
};

}  // namespace

Status RunGdbSession(const Launch& launch, const std::function<void(std::string_view)>& show) {
  DebugStub stub(launch, show);
  Status begun = stub.Begin();
  if (!begun) return begun;
  Meeting meeting;
  if (!meeting.ok()) return MakeError(ErrorCode::kIo, "no socket for gdb can be made in the folder of temporary files");
  Result<std::unique_ptr<Child>> gdb =
      Child::Start({"gdb", "--quiet", "-iex", "set sysroot /", "-iex", "set debuginfod enabled off", "-ex",
                    "target remote " + meeting.path(), launch.command[0]},
                   {});
  if (!gdb) return gdb.error();
  int connection = meeting.Accept(**gdb);
  if (connection >= 0) {
    stub.Serve(connection);
    close(connection);
  }
  (*gdb)->Wait(0);
  return {};
}

}  // namespace heddle::analysis
