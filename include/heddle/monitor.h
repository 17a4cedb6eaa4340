// A TeSSLa monitor inside a program: link libheddle_monitor.a and give it events while the program runs.
//
//   auto monitor = heddle::Monitor::Create("in x: Events[Int]\nout count(x) as n\n", print, &message);
//   monitor->Event(12, "x", 5);
//   monitor->Finish();
//
// Build with C++20 and -lheddle_monitor -lfmt. All members may be called from any thread; they take one lock.
#ifndef HEDDLE_MONITOR_H
#define HEDDLE_MONITOR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace heddle {

class Monitor {
 public:
  // One output event: its time, the name of the output, the value as text (strings bare). Called with the lock held, so
  // it must not call the monitor.
  using Handler = std::function<void(int64_t time, std::string_view stream, std::string_view value)>;

  // Compiles a specification. Null when it has errors; `message` then says which.
  static std::unique_ptr<Monitor> Create(std::string_view specification, Handler handler, std::string* message);

  virtual ~Monitor() = default;

  // An input event. Times must not go back. The outputs of a timestamp are computed when a later one arrives. False
  // after an error (an unknown stream, a value of the wrong type, time that goes back, an error that reached an
  // output): error() says which, and the monitor does nothing from then on.
  virtual bool Event(int64_t time, std::string_view stream) = 0;  // of a unit stream
  virtual bool Event(int64_t time, std::string_view stream, int64_t value) = 0;
  virtual bool Event(int64_t time, std::string_view stream, int value) = 0;
  virtual bool Event(int64_t time, std::string_view stream, double value) = 0;
  virtual bool Event(int64_t time, std::string_view stream, bool value) = 0;
  virtual bool Event(int64_t time, std::string_view stream, std::string_view value) = 0;
  virtual bool Event(int64_t time, std::string_view stream, const char* value) = 0;
  // A value of any type in the syntax of text traces: "Some(1)", "{x = 1}".
  virtual bool EventText(int64_t time, std::string_view stream, std::string_view value) = 0;

  // Says that time has come to `time` without an event: delays that are due before it fire.
  virtual bool Advance(int64_t time) = 0;

  // Computes the last timestamp. No events may come after it.
  virtual bool Finish() = 0;

  virtual std::string error() const = 0;
};

}  // namespace heddle

#endif
