#include "refine/trace/trace_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

#include "base/file.h"

namespace heddle::refine {
namespace {

constexpr std::string_view kMagic = "HDLREFN2";

class Writer {
 public:
  template <typename T>
  void Number(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  void Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    out_.append(text);
  }
  void Raw(const void* data, size_t size) { out_.append(static_cast<const char*>(data), size); }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

// Reads past the end give zeros and set failed().
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <typename T>
  T Number() {
    T value{};
    Raw(&value, sizeof value);
    return value;
  }
  std::string Text() {
    auto size = Number<uint32_t>();
    if (size > left_.size()) failed_ = true;
    if (failed_) return {};
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  void Raw(void* to, size_t size) {
    if (size > left_.size()) failed_ = true;
    if (failed_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  bool failed() const { return failed_; }
  size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
  bool failed_ = false;
};

void WriteSymbol(Writer& out, const Symbol& symbol) {
  out.Text(symbol.name);
  out.Number(symbol.address);
  out.Number(symbol.base);
  out.Number(symbol.size());
  for (uint32_t i = 0; i < symbol.size(); ++i) {
    const ByteInfo& byte = symbol.bytes[i];
    out.Number(symbol.initial[i]);
    out.Number(byte.location);
    out.Number(byte.mask);
    out.Number(byte.content);
    out.Number(byte.unit);
    out.Number(static_cast<uint8_t>(byte.is_volatile));
  }
}

constexpr size_t kByteRecord = 9;
constexpr uint32_t kMaxSymbol = 1U << 24;
constexpr uint32_t kMaxPlace = 1U << 28;

bool ReadSymbol(Reader& in, const std::vector<Symbol>& before, Symbol& symbol) {
  symbol.name = in.Text();
  symbol.address = in.Number<uint64_t>();
  symbol.base = in.Number<uint32_t>();
  auto size = in.Number<uint32_t>();
  if (in.failed() || size > kMaxSymbol || size * kByteRecord > in.left()) return false;
  if (symbol.base % 8 != 0 || symbol.base < NextBase(before) || symbol.base > kMaxPlace) return false;
  symbol.initial.resize(size);
  symbol.bytes.resize(size);
  for (uint32_t i = 0; i < size; ++i) {
    ByteInfo& byte = symbol.bytes[i];
    symbol.initial[i] = in.Number<uint8_t>();
    byte.location = in.Number<uint32_t>();
    byte.mask = in.Number<uint8_t>();
    byte.content = in.Number<uint8_t>();
    byte.unit = in.Number<uint8_t>();
    byte.is_volatile = in.Number<uint8_t>() != 0;
    // A location is a range of bytes, named by its first.
    bool range = byte.location == i || (i > 0 && byte.location == symbol.bytes[i - 1].location);
    if (!range || byte.content > ByteInfo::kUnknown) return false;
  }
  return true;
}

// Why an event cannot be; empty when it can.
std::string WrongEvent(const Trace& trace, const Event& event, const Event* before) {
  if (event.kind() > EventKind::kEnvironment) return "an unknown kind of event";
  if (event.is_sync()) return event.place < trace.locks.size() ? "" : "a lock that is not in the table";
  const Symbol* symbol = trace.SymbolAt(event.place);
  if (symbol == nullptr || event.size() == 0 || event.size() > 8) return "an access outside of every symbol";
  if (event.place + event.size() > symbol->base + symbol->size()) return "an access past the end of its symbol";
  if (before == nullptr) return "an access before the thread begins";
  bool after_lock = before->kind() == EventKind::kLock || before->kind() == EventKind::kEnvironment;
  if (event.kind() == EventKind::kEnvironment && !after_lock) return "a write of the environment that follows no lock";
  return "";
}

std::string ReadEvents(Reader& in, Trace& trace) {
  auto count = in.Number<uint64_t>();
  if (in.failed() || count > in.left() / sizeof(Event)) return "it is cut";
  trace.events.resize(count);
  in.Raw(trace.events.data(), count * sizeof(Event));
  for (size_t i = 0; i < count; ++i) {
    std::string wrong = WrongEvent(trace, trace.events[i], i == 0 ? nullptr : &trace.events[i - 1]);
    if (!wrong.empty()) return fmt::format("event {} is {}", i, wrong);
  }
  return "";
}

std::string ReadBody(Reader& in, Trace& trace) {
  trace.thread = in.Text();
  trace.build = in.Text();
  trace.target = in.Text();
  trace.source = in.Text();
  trace.reason = in.Text();
  auto end = in.Number<uint8_t>();
  if (end > static_cast<uint8_t>(RunEnd::kNoLayout)) return "its end is unknown";
  trace.end = static_cast<RunEnd>(end);
  auto symbols = in.Number<uint32_t>();
  for (uint32_t i = 0; i < symbols && !in.failed(); ++i) {
    Symbol symbol;
    if (!ReadSymbol(in, trace.symbols, symbol)) return fmt::format("symbol {} is wrong", i);
    trace.symbols.push_back(std::move(symbol));
  }
  auto locks = in.Number<uint32_t>();
  for (uint32_t i = 0; i < locks && !in.failed(); ++i) trace.locks.push_back(in.Text());
  if (in.failed()) return "it is cut";
  if (trace.locks.empty()) return "it has no table of locks";
  return ReadEvents(in, trace);
}

}  // namespace

std::string EncodeTrace(const Trace& trace) {
  Writer out;
  out.Raw(kMagic.data(), kMagic.size());
  for (const std::string* text : {&trace.thread, &trace.build, &trace.target, &trace.source, &trace.reason}) {
    out.Text(*text);
  }
  out.Number(static_cast<uint8_t>(trace.end));
  out.Number(static_cast<uint32_t>(trace.symbols.size()));
  for (const Symbol& symbol : trace.symbols) WriteSymbol(out, symbol);
  out.Number(static_cast<uint32_t>(trace.locks.size()));
  for (const std::string& lock : trace.locks) out.Text(lock);
  out.Number(static_cast<uint64_t>(trace.events.size()));
  out.Raw(trace.events.data(), trace.events.size() * sizeof(Event));
  out.Number(static_cast<uint64_t>(XXH3_64bits(out.out().data(), out.out().size())));
  return std::move(out.out());
}

Result<Trace> DecodeTrace(const std::string& name, std::string_view bytes) {
  auto wrong = [&](std::string_view why) { return MakeError(ErrorCode::kBadInput, fmt::format("{}: {}", name, why)); };
  if (!bytes.starts_with(kMagic)) return wrong("not a trace of `heddle refine trace`");
  if (bytes.size() < kMagic.size() + sizeof(uint64_t)) return wrong("it is cut");
  uint64_t sum = 0;
  std::string_view body = bytes.substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, body.data() + body.size(), sizeof sum);
  if (sum != XXH3_64bits(body.data(), body.size())) return wrong("its checksum is wrong: it is cut or damaged");
  Reader in(body.substr(kMagic.size()));
  Trace trace;
  std::string why = ReadBody(in, trace);
  if (!why.empty()) return wrong("damaged: " + why);
  if (in.left() != 0) return wrong("damaged: there is something behind the last event");
  return trace;
}

Result<Trace> LoadTrace(const std::string& path) {
  Result<std::string> bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  return DecodeTrace(path, *bytes);
}

Status SaveTrace(const Trace& trace, const std::string& path) { return WriteFileAtomic(path, EncodeTrace(trace)); }

std::string TraceText(const Trace& trace) {
  std::string out = fmt::format("# thread {} · {}\n", trace.thread, trace.build);
  for (const Symbol& symbol : trace.symbols) {
    out += fmt::format("# symbol {} {} bytes\n", symbol.name, symbol.size());
  }
  static constexpr const char* kKinds[] = {"read", "write", "lock", "unlock", "environment"};
  for (const Event& event : trace.events) {
    const char* kind = kKinds[static_cast<size_t>(event.kind())];
    if (event.is_sync()) {
      out += fmt::format("{} {}", kind, trace.locks[event.place]);
    } else {
      out += fmt::format("{} {} {} {:#x}", kind, trace.PlaceName(event.place), event.size(), event.value);
    }
    out += event.line() == 0 ? "\n" : fmt::format("  line {}\n", event.line());
  }
  if (trace.end != RunEnd::kEnded) out += "# did not end: " + trace.reason + "\n";
  return out;
}

}  // namespace heddle::refine
