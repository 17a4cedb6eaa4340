// An HTTP-like server: one thread accepts, a pool answers from a cache behind a lock. Ends after the given number of
// requests. Prints the port it listens on.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

static std::mutex queue_mutex;
static std::condition_variable more;
static std::queue<int> connections;
static bool over;
static std::mutex cache_mutex;
static std::map<std::string, std::string> cache;

static std::string Page(const std::string& path) {
  std::lock_guard hold(cache_mutex);
  auto [at, added] = cache.try_emplace(path);
  if (added) at->second = "<html><body>" + path + std::string(200, '.') + "</body></html>";
  return at->second;
}

static void Answer(int connection) {
  char text[2048];
  ssize_t bytes = read(connection, text, sizeof text - 1);
  if (bytes <= 0) return;
  text[bytes] = '\0';
  char path[128] = "/";
  if (std::sscanf(text, "GET %127s", path) != 1) return;
  std::string body = Page(path);
  std::string answer = "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  if (write(connection, answer.data(), answer.size()) < 0) std::perror("write");
}

static void Work() {
  for (;;) {
    int connection = -1;
    {
      std::unique_lock hold(queue_mutex);
      more.wait(hold, [] { return over || !connections.empty(); });
      if (connections.empty()) return;
      connection = connections.front();
      connections.pop();
    }
    Answer(connection);
    close(connection);
  }
}

int main(int count, char** arguments) {
  int requests = count > 1 ? std::atoi(arguments[1]) : 100;
  int workers = count > 2 ? std::atoi(arguments[2]) : 4;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(listener, 128) != 0) return 1;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::vector<std::thread> pool;
  for (int i = 0; i < workers; ++i) pool.emplace_back(Work);
  for (int i = 0; i < requests; ++i) {
    int connection = accept(listener, nullptr, nullptr);
    if (connection < 0) return 2;
    std::lock_guard hold(queue_mutex);
    connections.push(connection);
    more.notify_one();
  }
  {
    std::lock_guard hold(queue_mutex);
    over = true;
  }
  more.notify_all();
  for (auto& thread : pool) thread.join();
}
