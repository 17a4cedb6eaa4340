// Closures of recursive functions, by lambda lifting (Johnsson 1985).
//
// A recursive function of values becomes a function of its own, with a frame of its own. When its body reads a local of
// another frame, that local becomes a further parameter (a capture), and every call passes it: the caller's own local
// when the caller is the owner, else the caller's capture of the same local. Functions that call each other are not
// known completely before the outermost of them is, so their calls are kept open and are completed when it is: the
// captures only grow, so repeating until nothing changes ends. Then parameters, captures and other locals are
// renumbered in this order, because parameters are the first locals of a function.
#include <fmt/format.h>

#include <algorithm>

#include "stream/elaborate/elaborator.h"

namespace heddle::stream {
namespace {

// The expression with its locals renumbered.
ExprRef Renumbered(const ExprRef& expr, const std::vector<uint32_t>& numbers) {
  auto copy = std::make_shared<Expr>(*expr);
  if (copy->op == Op::kLocal || copy->op == Op::kLet) copy->local = numbers[copy->local];
  for (uint32_t& local : copy->locals) local = numbers[local];
  for (ExprRef& arg : copy->args) arg = Renumbered(arg, numbers);
  return copy;
}

void Renumber(Frame& frame) {
  auto captures = static_cast<uint32_t>(frame.captures.size());
  std::vector<uint32_t> numbers(frame.locals);
  uint32_t next = frame.declared + captures;
  for (uint32_t i = 0; i < frame.locals; ++i) {
    auto mine = [&](const Capture& capture) { return capture.mine == i; };
    auto found = std::find_if(frame.captures.begin(), frame.captures.end(), mine);
    if (i < frame.declared) {
      numbers[i] = i;
    } else if (found != frame.captures.end()) {
      numbers[i] = frame.declared + static_cast<uint32_t>(found - frame.captures.begin());
    } else {
      numbers[i] = next++;
    }
  }
  Function& function = *frame.function;
  if (captures > 0) function.body = Renumbered(function.body, numbers);
  function.parameters = frame.declared + captures;
  function.locals = frame.locals;
}

}  // namespace

// The owner's local as the reader sees it; null when the reader is not a function that could get it.
ExprRef Elaborator::Captured(uint32_t local, const TypeRef& type, Frame* owner, Frame* reader) {
  if (reader == owner) return LocalExpr(local, type);
  if (reader == nullptr || reader->function == nullptr) return nullptr;
  for (const Capture& capture : reader->captures) {
    if (capture.owner == owner && capture.local == local) return LocalExpr(capture.mine, type);
  }
  uint32_t mine = reader->locals++;
  reader->captures.push_back({owner, local, mine, type});
  return LocalExpr(mine, type);
}

// An expression over the owner's locals as one over this frame's; null when that cannot be.
ExprRef Elaborator::Transfer(const ExprRef& expr, Frame* owner, std::map<uint32_t, uint32_t>& bound) {
  if (expr->op == Op::kLocal && !bound.contains(expr->local)) return Captured(expr->local, expr->type, owner, frame_);
  auto copy = std::make_shared<stream::Expr>(*expr);
  if (copy->op == Op::kLet) bound[copy->local] = frame_->locals++;
  for (uint32_t local : copy->locals) bound[local] = frame_->locals++;
  if (copy->op == Op::kLet || copy->op == Op::kLocal) copy->local = bound[copy->local];
  for (uint32_t& local : copy->locals) local = bound[local];
  for (ExprRef& arg : copy->args) {
    arg = Transfer(arg, owner, bound);
    if (arg == nullptr) return nullptr;
  }
  return copy;
}

ThingRef Elaborator::FromOuterFrame(const ThingRef& thing, Frame* owner, const std::string& name, Span span) {
  std::map<uint32_t, uint32_t> bound;
  ExprRef value = frame_ == nullptr ? nullptr : Transfer(thing->value, owner, bound);
  if (value != nullptr) return ValueThing(value);
  return Report(span, fmt::format("`{}` is not known here", name), "pass it as a parameter");
}

// Completes the arguments of the open calls as far as the captures are known. True when something changed.
void Elaborator::PassCaptures(Span span) {
  for (bool changed = true; changed;) {
    changed = false;
    for (RecursiveCall& open : open_calls_) {
      while (open.call->args.size() < open.callee->declared + open.callee->captures.size()) {
        Capture capture = open.callee->captures[open.call->args.size() - open.callee->declared];
        ExprRef value = Captured(capture.local, capture.type, capture.owner, open.caller);
        if (value == nullptr) {
          Report(span, "a recursive function uses a local of a function that is not around this call");
          value = ConstExpr(Value(), capture.type);
        }
        open.call->args.push_back(std::move(value));
        changed = true;
      }
    }
  }
}

void Elaborator::FinishRecursion(Span span) {
  PassCaptures(span);
  for (Frame* frame : open_functions_) {
    if (frame->function->body != nullptr) Renumber(*frame);
  }
  open_functions_.clear();
  open_calls_.clear();
}

}  // namespace heddle::stream
