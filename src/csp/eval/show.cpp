// Values as text, in the syntax of CSP_M.
#include <fmt/format.h>

#include <algorithm>

#include "csp/eval/evaluator.h"

namespace heddle::csp {
namespace {

std::string ShowChar(int64_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '"' || c == '\\') return std::string("\\") + static_cast<char>(c);
  return c >= 32 && c < 127 ? std::string(1, static_cast<char>(c)) : fmt::format("\\{}", c);
}

}  // namespace

std::string Evaluator::Show(Value v) const {
  auto list = [&](std::string_view open, std::string_view close, std::string_view separator) {
    std::string out(open);
    for (size_t i = 0; i < v->count; ++i) {
      if (i != 0) out += separator;
      if (out.size() > 2000) return out + "..." + std::string(close);
      out += Show(v->kid(i));
    }
    return out + std::string(close);
  };
  switch (v->kind) {
    case Kind::kInt:
      return fmt::format("{}", v->number);
    case Kind::kBool:
      return v->number != 0 ? "true" : "false";
    case Kind::kChar:
      return "'" + ShowChar(v->number) + "'";
    case Kind::kTuple:
      return list("(", ")", ",");
    case Kind::kSeq: {
      bool text = v->count > 0 &&
                  std::all_of(v->kids().begin(), v->kids().end(), [](Value k) { return k->kind == Kind::kChar; });
      if (!text) return list("<", ">", ",");
      std::string out = "\"";
      for (Value c : v->kids()) out += ShowChar(c->number);
      return out + "\"";
    }
    case Kind::kSet:
      return list("{", "}", ",");
    case Kind::kDot:
      return list("", "", ".");
    case Kind::kMap: {
      std::string out = "(|";
      for (size_t i = 0; i < v->count; i += 2) {
        out += fmt::format("{} {} => {}", i == 0 ? "" : ",", Show(v->kid(i)), Show(v->kid(i + 1)));
      }
      return out + " |)";
    }
    case Kind::kGlobal:
      return globals_.all[static_cast<size_t>(v->number)].name;
    case Kind::kFrame:
      return "<frame>";
    case Kind::kFunction:
      return static_cast<const Decl*>(v->ptr)->names[0];
    case Kind::kLambda:
      return "\\...";
    case Kind::kBuiltin:
      return std::string(Builtins()[static_cast<size_t>(v->number)].name);
    case Kind::kProcess:
      return ProcessName(v);
    case Kind::kFailed:
      return "(no value)";
    case Kind::kSeqFrom:
      return fmt::format("<{}..>", v->number);
    case Kind::kLazySeq:
      return "<...>";
    case Kind::kSymbolicSet:
      break;
  }
  switch (SymbolicKind(v)) {
    case SetKind::kInts:
      return "Int";
    case SetKind::kIntsFrom:
      return fmt::format("{{{}..}}", v->kid(0)->number);
    case SetKind::kBools:
      return "Bool";
    case SetKind::kChars:
      return "Char";
    case SetKind::kProcs:
      return "Proc";
    case SetKind::kEvents:
      return "Events";
    case SetKind::kProductions:
      return list("{|", "|}", ",");
    case SetKind::kSeqs:
      return list("Seq(", ")", ",");
    case SetKind::kSubsets:
      return list("Set(", ")", ",");
    case SetKind::kDots:
      return list("", "", ".");
    case SetKind::kTuples:
      return list("(", ")", ",");
    case SetKind::kMaps:
      return list("Map(", ")", ",");
  }
  return "?";
}

std::string Evaluator::EventName(EventId event) const {
  if (event == kTau) return "τ";
  if (event == kTick) return "✓";
  return Show(events_[event]);
}

std::string Evaluator::ProcessName(Value term) const {
  auto it = names_.find(term);
  if (it != names_.end()) return it->second;
  auto infix = [&](std::string_view op, size_t a, size_t b) {
    return fmt::format("({} {} {})", ProcessName(term->kid(a)), op, ProcessName(term->kid(b)));
  };
  switch (OpOf(term)) {
    case ProcOp::kLate:
      return term->ptr == nullptr ? "loop" : std::string("...");
    case ProcOp::kStop:
      return "STOP";
    case ProcOp::kSkip:
      return "SKIP";
    case ProcOp::kDiv:
      return "DIV";
    case ProcOp::kOmega:
      return "Ω";
    case ProcOp::kRun:
      return fmt::format("RUN({})", Show(term->kid(0)));
    case ProcOp::kChaos:
      return fmt::format("CHAOS({})", Show(term->kid(0)));
    case ProcOp::kPrefix: {
      const Expr* body = static_cast<const Unit*>(term->ptr)->body;
      std::string text(sources_.TextOf(body->span));
      return text.size() > 30 ? text.substr(0, 27) + "... -> ..." : text + " ...";
    }
    case ProcOp::kExt:
      return term->count > 2 ? "([] ...)" : infix("[]", 0, 1);
    case ProcOp::kSlide:
      return infix("[>", 0, 1);
    case ProcOp::kInterrupt:
      return infix("/\\", 0, 1);
    case ProcOp::kSequence:
      return infix(";", 0, 1);
    case ProcOp::kHide:
      return fmt::format("({} \\ ...)", ProcessName(term->kid(0)));
    case ProcOp::kProject:
      return fmt::format("({} |\\ ...)", ProcessName(term->kid(0)));
    case ProcOp::kRename:
      return fmt::format("{}[[...]]", ProcessName(term->kid(0)));
    case ProcOp::kParallel:
    case ProcOp::kTimedParallel: {
      std::string out = "(";
      for (size_t i = 1; i < term->count; ++i) {
        if (i > 1) out += term->kid(0)->count == 0 ? " ||| " : " [|..|] ";
        if (out.size() > 100) return out + "...)";
        out += ProcessName(term->kid(i));
      }
      return out + ")";
    }
    case ProcOp::kEvents:
      return "(" + Show(term->kid(0)) + " -> ...)";
    case ProcOp::kInt:
      return "(... |~| ...)";
    case ProcOp::kException:
      return fmt::format("({} [|..|> ...)", ProcessName(term->kid(0)));
    case ProcOp::kAlphabet:
    case ProcOp::kTimedAlphabet:
      return "([..||..] ...)";
    case ProcOp::kExplicit:
      return fmt::format("state {}", term->kid(0)->number);
    default:
      return "(...)";
  }
}

}  // namespace heddle::csp
