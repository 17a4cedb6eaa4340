// Strings in the same structures as pointers, and a string stream, which the library keeps: neither the characters nor
// the stream lead to the objects beside them, so nothing outside can call Disk.
// expect: none
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
struct Env {
  virtual ~Env() {}
  virtual std::string Name(const std::string& text) = 0;
  virtual void Log(const char* text, size_t length) = 0;
};
struct Disk : Env {
  std::mutex m;
  std::vector<std::string> lines;
  char* block = new char[4096];
  size_t used = 0;
  std::string Name(const std::string& text) override {
    std::lock_guard<std::mutex> guard(m);
    lines.push_back(text);
    return text + "x";
  }
  void Log(const char* text, size_t length) override {
    std::lock_guard<std::mutex> guard(m);
    for (size_t i = 0; i < length; i++) block[used++] = text[i];
  }
};
struct Table {
  std::mutex m;
  Env* env;
  std::map<std::string, Env*> by_name;
  explicit Table(Env* e) : env(e) {}
  void Put(const std::string& key) {
    std::lock_guard<std::mutex> guard(m);
    by_name[key] = env;
    env->Log(key.data(), key.size());
  }
  std::string Show() {
    std::lock_guard<std::mutex> guard(m);
    std::ostringstream out;
    for (auto& entry : by_name) out << entry.first << " at " << entry.second->Name(entry.first) << 5;
    return out.str();
  }
};
int main() {
  Disk disk;
  Table table(&disk);
  std::thread a([&] { table.Put("a"); }), b([&] { table.Show(); });
  a.join();
  b.join();
}
