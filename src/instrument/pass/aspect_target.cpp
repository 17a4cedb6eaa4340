#include "instrument/pass/aspect_target.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>

#include <cstdlib>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

Capture ReadCapture(StringRef text) {
  Capture capture;
  while (text.consume_front("*")) ++capture.stars;
  text.consume_front("#");
  if (!text.getAsInteger(10, capture.index)) return capture;
  capture.kind = StringSwitch<CaptureKind>(text)
                     .Case("return", CaptureKind::kReturn)
                     .Case("size", CaptureKind::kSize)
                     .Case("address", CaptureKind::kAddress)
                     .Default(CaptureKind::kValue);
  return capture;
}

// Template arguments left out: `a::b<int>::f` becomes `a::b::f`.
std::string WithoutTemplates(StringRef name) {
  std::string plain;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    bool of_operator = StringRef(plain).ends_with("operator");
    if (name[i] == '<' && !of_operator) {
      ++depth;
    } else if (name[i] == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      plain += name[i];
    }
  }
  return plain;
}

std::string QualifiedName(StringRef mangled) {
  ItaniumPartialDemangler demangler;
  std::string text = mangled.str();
  if (demangler.partialDemangle(text.c_str())) return "";
  char* name =
      demangler.isFunction() ? demangler.getFunctionName(nullptr, nullptr) : demangler.finishDemangle(nullptr, nullptr);
  std::string result = name == nullptr ? "" : name;
  std::free(name);
  return result;
}

}  // namespace

std::vector<WeaveOrder> ReadWeaveOrders(StringRef text) {
  std::vector<WeaveOrder> orders;
  SmallVector<StringRef, 16> lines;
  text.split(lines, '\n', -1, false);
  for (StringRef line : lines) {
    SmallVector<StringRef, 4> parts;
    line.split(parts, '\t');
    if (parts.size() != 4) continue;
    WeaveOrder order;
    auto [where, what] = parts[0].split(' ');
    order.after = where == "after";
    order.what = StringSwitch<WeaveOrder::What>(what)
                     .Case("call", WeaveOrder::What::kCall)
                     .Case("body", WeaveOrder::What::kBody)
                     .Case("read-global", WeaveOrder::What::kRead)
                     .Case("write-global", WeaveOrder::What::kWrite)
                     .Default(WeaveOrder::What::kLine);
    order.target = parts[1].str();
    order.event = parts[2].str();
    SmallVector<StringRef, 4> captures;
    parts[3].split(captures, ',', -1, false);
    for (StringRef capture : captures) order.captures.push_back(ReadCapture(capture));
    orders.push_back(std::move(order));
  }
  return orders;
}

bool NamesFunction(StringRef target, const Function& function) {
  StringRef name = function.getName();
  if (name == target) return true;
  if (!name.starts_with("_Z")) return false;
  std::string qualified = QualifiedName(name);
  if (qualified.empty()) return false;
  return qualified == target || WithoutTemplates(qualified) == target || demangle(name.str()) == target;
}

bool NamesVariable(StringRef target, const GlobalVariable& variable) {
  StringRef name = variable.getName();
  if (name == target) return true;
  return name.starts_with("_Z") && demangle(name.str()) == target;
}

AtomicUse UseOfAtomic(const Function& callee) {
  if (!callee.getName().starts_with("_ZN") || callee.arg_empty()) return AtomicUse::kNone;
  std::string plain = WithoutTemplates(QualifiedName(callee.getName()));
  StringRef name = plain;
  if (!name.consume_front("std::atomic::") && !name.consume_front("std::__atomic_base::")) return AtomicUse::kNone;
  if (name == "load") return AtomicUse::kRead;
  if (name == "store" || name == "operator=") return AtomicUse::kWrite;
  if (name == "atomic" || name == "~atomic" || name == "__atomic_base" || name == "is_lock_free")
    return AtomicUse::kNone;
  bool changes = name.starts_with("fetch_") || name.starts_with("compare_") || name == "exchange" ||
                 name.starts_with("operator+") || name.starts_with("operator-") || name.starts_with("operator&") ||
                 name.starts_with("operator|") || name.starts_with("operator^");
  if (changes) return AtomicUse::kBoth;
  return name.starts_with("operator ") ? AtomicUse::kRead : AtomicUse::kNone;  // a conversion
}

}  // namespace heddle::instrument
