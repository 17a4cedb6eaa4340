#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/near.h"
#include "base/source.h"
#include "instrument/aspect.h"

namespace heddle::instrument {
namespace {

// Names that CSP_M, its library of program models or the generated model use: an event of that name could not be told
// from them in a property.
constexpr auto kReserved = std::to_array<std::string_view>(
    {"and", "assert", "Bool", "card", "channel", "Char", "CHAOS", "concat", "datatype", "diff", "DIV", "elem", "else",
     "empty", "Events", "external", "false", "head", "if", "include", "Int", "inter", "Inter", "length", "let",
     "member", "module", "nametype", "not", "null", "or", "print", "Proc", "productions", "RUN", "Seq", "seq", "set",
     "Set", "SKIP", "STOP", "subtype", "tail", "then", "transparent", "true", "union", "Union", "WAIT", "within",
     // share/csp/program.csp
     "Thread", "Mutex", "CondVar", "Barrier", "Semaphore", "Memory", "fork", "join", "start", "end", "lock", "rdlock",
     "unlock", "signal", "broadcast", "wait", "barrier_enter", "barrier_exit", "sem_post", "sem_wait", "read", "write",
     "endthreads", "live", "race", "error", "sync_events", "THREAD", "PREFIX", "SYNCHRONISED", "FORK", "JOIN", "MUTEX",
     "RWMUTEX", "READERS", "SIGNAL", "WAITERS", "BARRIER", "SEMAPHORE", "LIVE", "DEADLOCK_CHECK", "WD", "WATCHED",
     // the model
     "PROGRAM", "op", "done", "Value", "Word"});

constexpr std::array<std::string_view, 5> kWhat = {"call", "body", "read-global", "write-global", "line"};
constexpr std::array<std::string_view, 2> kWhere = {"before", "after"};
constexpr std::array<std::string_view, 4> kCaptures = {"#return", "#size", "#address", "#value"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

bool IsReserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

class Parser {
 public:
  Parser(const std::string& name, const std::string& text) {
    sources_.Add(name, text);
    text_ = sources_.file(0).text();
  }

  Result<std::vector<AspectOrder>> Run() {
    while (at_ < text_.size()) {
      end_ = std::min(text_.find('\n', at_), text_.size());
      size_t next = end_ + 1;
      CutComment();
      Blanks();
      if (at_ < end_) Line();
      at_ = next;
    }
    if (errors_.empty()) return std::move(orders_);
    return MakeError(ErrorCode::kBadInput, errors_);
  }

 private:
  static constexpr uint32_t kMaxErrors = 20;
  struct Shape {
    std::vector<bool> word;  // by field: a word, not a number
    size_t begin = 0;        // of the first such event
  };

  void CutComment() {
    size_t comment = text_.substr(0, end_).find("//", at_);
    if (comment != std::string_view::npos) end_ = comment;
    while (end_ > at_ && IsBlank(text_[end_ - 1])) --end_;
  }

  void Blanks() {
    while (at_ < end_ && IsBlank(text_[at_])) ++at_;
  }

  bool Fail(size_t begin, size_t end, std::string message, std::string help = "") {
    if (error_count_++ < kMaxErrors) {
      Diagnostic diagnostic;
      diagnostic.span = {0, static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(end, begin + 1))};
      diagnostic.message = std::move(message);
      diagnostic.help = std::move(help);
      errors_ += Render(sources_, diagnostic);
    }
    return false;
  }

  std::string_view Word() {
    size_t begin = at_;
    while (at_ < end_ && !IsBlank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view Name() {
    size_t begin = at_;
    while (at_ < end_ && IsNameCharacter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void Line() {
    AspectOrder order;
    size_t begin = at_;
    if (!Event(&order) || !Place(&order) || !CheckFields(order) || !CheckShape(order, begin)) return;
    orders_.push_back(std::move(order));
  }

  bool CheckName(std::string_view name, size_t begin, std::string_view role) {
    if (!name.empty() && IsLetter(name[0])) {
      if (!IsReserved(name)) return true;
      return Fail(begin, at_, fmt::format("`{}` has a meaning of its own in properties", name),
                  fmt::format("choose another name for the {}", role));
    }
    return Fail(begin, std::max(at_, begin + 1),
                fmt::format("expected the name of {} {}", role == "event" ? "an" : "a", role),
                "a name begins with a letter and has letters, digits and _");
  }

  bool Event(AspectOrder* order) {
    size_t begin = at_;
    std::string_view name = Name();
    if (!CheckName(name, begin, "event")) return false;
    order->event = name;
    Blanks();
    if (at_ == end_ || text_[at_] != '(') return true;
    size_t open = at_++;
    Blanks();
    if (at_ < end_ && text_[at_] == ')') {
      ++at_;
      return true;
    }
    while (true) {
      if (!Field(order)) return false;
      Blanks();
      if (at_ == end_) return Fail(open, open + 1, "this parenthesis is not closed");
      char c = text_[at_];
      if (c != ',' && c != ')') return Fail(at_, at_ + 1, "expected `,` or `)` after a field");
      ++at_;
      if (c == ')') return true;
    }
  }

  bool Field(AspectOrder* order) {
    Blanks();
    size_t begin = at_;
    uint32_t stars = 0;
    for (; at_ < end_ && text_[at_] == '*'; ++at_) ++stars;
    size_t word = at_;
    if (at_ < end_ && text_[at_] == '#') ++at_;
    Name();
    std::string_view text = text_.substr(word, at_ - word);
    if (text.empty()) return Fail(begin, at_ + 1, "expected a field", "a word, a number, #0, #return, #size, ...");
    if (order->fields.size() == kMaxAspectFields) return Fail(begin, at_, "more than 16 fields");
    if (text[0] != '#') {
      if (stars > 0) return Fail(begin, at_, "only #INDEX and #return can be dereferenced");
      return Constant(text, word, order);
    }
    return Capture(text, begin, word, stars, order);
  }

  bool Constant(std::string_view text, size_t begin, AspectOrder* order) {
    AspectField field;
    field.text = text;
    if (IsDigit(text[0])) {
      field.kind = FieldKind::kNumber;
      bool number = std::all_of(text.begin(), text.end(), IsDigit) && text.size() <= 18;
      if (!number) return Fail(begin, at_, fmt::format("`{}` is neither a word nor a number", text));
    } else if (!CheckName(text, begin, "word")) {
      return false;
    }
    order->fields.push_back(std::move(field));
    return true;
  }

  bool Capture(std::string_view text, size_t begin, size_t word, uint32_t stars, AspectOrder* order) {
    AspectField field;
    field.text = text;
    field.stars = stars;
    std::string_view rest = text.substr(1);
    if (!rest.empty() && std::all_of(rest.begin(), rest.end(), IsDigit) && rest.size() <= 3) {
      field.kind = FieldKind::kArgument;
      for (char c : rest) field.index = field.index * 10 + static_cast<uint32_t>(c - '0');
      field.text = fmt::format("#{}", field.index);
    } else if (auto known = std::find(kCaptures.begin(), kCaptures.end(), text); known != kCaptures.end()) {
      field.kind = static_cast<FieldKind>(static_cast<size_t>(FieldKind::kReturn) +
                                          static_cast<size_t>(known - kCaptures.begin()));
    } else {
      return Fail(word, at_, fmt::format("there is no field `{}`", text), DidYouMean(text, kCaptures));
    }
    if (stars > 0 && field.kind != FieldKind::kArgument && field.kind != FieldKind::kReturn) {
      return Fail(begin, at_, "only #INDEX and #return can be dereferenced");
    }
    if (stars > 8) return Fail(begin, at_, "more than 8 dereferences");
    order->fields.push_back(std::move(field));
    return true;
  }

  bool Place(AspectOrder* order) {
    Blanks();
    size_t begin = at_;
    std::string_view where = Word();
    if (where != "before" && where != "after") {
      return Fail(begin, at_, "expected `before` or `after`", DidYouMean(where, kWhere));
    }
    order->where = where == "before" ? Where::kBefore : Where::kAfter;
    Blanks();
    begin = at_;
    std::string_view what = Word();
    auto known = std::find(kWhat.begin(), kWhat.end(), what);
    if (known == kWhat.end()) {
      std::string help = DidYouMean(what, kWhat);
      return Fail(begin, at_, "expected call, body, read-global, write-global or line", help);
    }
    order->what = static_cast<JoinPoint>(known - kWhat.begin());
    Blanks();
    if (at_ == end_) return Fail(begin, at_, fmt::format("what `{}` is about is missing", what));
    order->target = text_.substr(at_, end_ - at_);
    bool tab = order->target.find('\t') != std::string::npos;
    if (tab) return Fail(at_, end_, "a target has no tabs in it");
    return order->what != JoinPoint::kLine || CheckLine(order->target);
  }

  bool CheckLine(const std::string& target) {
    size_t colon = target.rfind(':');
    bool good = colon != std::string::npos && colon > 0 && colon + 1 < target.size() && target.size() - colon < 10 &&
                std::all_of(target.begin() + static_cast<std::ptrdiff_t>(colon) + 1, target.end(), IsDigit);
    return good || Fail(at_, end_, "a line is FILE:LINE, such as queue.c:12");
  }

  // Table 6.1.
  bool CheckFields(const AspectOrder& order) {
    bool function = order.what == JoinPoint::kCall || order.what == JoinPoint::kBody;
    bool global = order.what == JoinPoint::kReadGlobal || order.what == JoinPoint::kWriteGlobal;
    for (const AspectField& field : order.fields) {
      if (!field.IsCaptured()) continue;
      bool of_function = field.kind == FieldKind::kArgument || field.kind == FieldKind::kReturn;
      if (of_function ? !function : !global) {
        return Fail(at_, end_,
                    fmt::format("`{}` cannot be captured at `{}`", field.text, kWhat[static_cast<size_t>(order.what)]),
                    "call and body have #INDEX and #return, read-global and write-global have #size, #address, #value");
      }
      if (field.kind == FieldKind::kReturn && order.where == Where::kBefore) {
        return Fail(at_, end_, "#return is only known after the call", "write `after` in place of `before`");
      }
    }
    return true;
  }

  // A channel has one type: an event has the same fields wherever it happens.
  bool CheckShape(const AspectOrder& order, size_t begin) {
    Shape shape;
    shape.begin = begin;
    for (const AspectField& field : order.fields) shape.word.push_back(field.kind == FieldKind::kWord);
    auto [known, added] = shapes_.emplace(order.event, shape);
    if (added || known->second.word == shape.word) return true;
    return Fail(begin, at_,
                fmt::format("`{}` has other fields than in line {}", order.event,
                            sources_.file(0).PositionOf(static_cast<uint32_t>(known->second.begin)).line),
                "the same event has as many fields everywhere, with words in the same places");
  }

  SourceMap sources_;
  std::string_view text_;
  size_t at_ = 0;
  size_t end_ = 0;
  std::string errors_;
  uint32_t error_count_ = 0;
  std::map<std::string, Shape, std::less<>> shapes_;
  std::vector<AspectOrder> orders_;
};

}  // namespace

Result<std::vector<AspectOrder>> ParseAspects(const std::string& name, const std::string& text) {
  return Parser(name, text).Run();
}

}  // namespace heddle::instrument
