#include "analysis/target/process_tree.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace heddle::analysis {
namespace {

std::vector<pid_t> g_children;  // that have a Child

// Children of all threads of the process, as /proc lists them.
std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code failure;
  std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", pid), failure);
  if (failure) return children;
  for (const auto& thread : threads) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// The state is behind the name, which ends with the last bracket.
bool IsZombie(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  size_t at = text.rfind(')');
  return at == std::string::npos || text.compare(at, 3, ") Z") == 0;
}

// Stopped first, so that it makes no more while we look; parents before children.
void Collect(pid_t pid, std::vector<pid_t>& all) {
  if (std::find(all.begin(), all.end(), pid) != all.end()) return;
  kill(pid, SIGSTOP);
  all.push_back(pid);
  for (pid_t child : ChildrenOf(pid)) Collect(child, all);
}

}  // namespace

void AdoptOrphans() {
  static bool done = false;
  if (done) return;
  done = true;
  g_children = ChildrenOf(getpid());  // of whoever became heddle by exec: not ours to end
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void NoteChild(pid_t pid) { g_children.push_back(pid); }
void ForgetChild(pid_t pid) { std::erase(g_children, pid); }

std::vector<pid_t> LivingDescendants() {
  for (pid_t pid : ChildrenOf(getpid())) {
    bool has_owner = std::find(g_children.begin(), g_children.end(), pid) != g_children.end();
    if (!has_owner) waitpid(pid, nullptr, WNOHANG);
  }
  std::vector<pid_t> all;
  std::vector<pid_t> open = {getpid()};
  while (!open.empty()) {
    pid_t pid = open.back();
    open.pop_back();
    for (pid_t child : ChildrenOf(pid)) {
      open.push_back(child);
      if (!IsZombie(child)) all.push_back(child);
    }
  }
  return all;
}

void KillTree(pid_t pid) {
  std::vector<pid_t> all;
  Collect(pid, all);
  for (pid_t one : all) kill(one, SIGKILL);
}

void KillOrphans() {
  // The children of one that dies become ours: again until there are none, but not for ever.
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> orphans = ChildrenOf(getpid());
    std::erase_if(orphans,
                  [](pid_t pid) { return std::find(g_children.begin(), g_children.end(), pid) != g_children.end(); });
    if (orphans.empty()) return;
    for (pid_t pid : orphans) KillTree(pid);
    for (pid_t pid : orphans) waitpid(pid, nullptr, 0);
  }
}

}  // namespace heddle::analysis
