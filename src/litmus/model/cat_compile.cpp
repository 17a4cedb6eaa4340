#include "litmus/model/cat_compile.h"

#include <algorithm>

#include "base/near.h"
#include "litmus/model/cat_compiler.h"

// One walk over the statements. Definitions at the top are slots: a later definition of the same name gets a slot of
// its own, so that what was defined before keeps its meaning. Procedures are expanded where they are called. The level
// of a node is the highest of what it uses; a closed node whose level is below that of its parent is given a cache.
namespace heddle::litmus {
namespace {

const std::map<std::string, CatPrimitive, std::less<>>& Primitives() {
  static const std::map<std::string, CatPrimitive, std::less<>> map = {
      {"domain", CatPrimitive::kDomain},
      {"range", CatPrimitive::kRange},
      {"linearisations", CatPrimitive::kLinearisations},
      {"classes-loc", CatPrimitive::kClassesLoc},
      {"partition", CatPrimitive::kClassesLoc},
      {"classes", CatPrimitive::kClasses},
      {"tag2scope", CatPrimitive::kTagToScope},
      {"tag2events", CatPrimitive::kTagToEvents},
      {"tag2instrs", CatPrimitive::kTagToEvents},
      {"different-values", CatPrimitive::kDifferentValues},
      {"intervening-write", CatPrimitive::kInterveningWrite},
      {"noid", CatPrimitive::kNoId},
  };
  return map;
}

}  // namespace

Result<CatProgram> CompileCat(const SourceMap& sources, const CatModel& model) {
  return CatCompiler(sources).Run(model);
}

Result<CatProgram> CatCompiler::Run(const CatModel& model) {
  program_.title = model.title;
  if (Status status = Statements(model.statements, nullptr); !status) return status.error();
  AddCaches();
  program_.coherent = FindCoherent();
  program_.own_co = FindOwnCoherence();
  return std::move(program_);
}

Error CatCompiler::Wrong(Span span, std::string message, std::string help) const {
  return MakeError(ErrorCode::kBadInput,
                   Render(sources_, {Severity::kError, span, std::move(message), std::move(help), {}}));
}

int CatCompiler::AddNode(CatNode node) {
  program_.nodes.push_back(std::move(node));
  return static_cast<int>(program_.nodes.size()) - 1;
}

int CatCompiler::AddSlot(CatSlot slot) {
  program_.slots.push_back(std::move(slot));
  return static_cast<int>(program_.slots.size()) - 1;
}

int CatCompiler::GlobalNode(int slot, Span span) {
  CatNode node;
  node.kind = CatNode::Kind::kGlobal;
  node.index = slot;
  node.span = span;
  node.level = program_.slots[static_cast<size_t>(slot)].level;
  return AddNode(std::move(node));
}

Result<int> CatCompiler::Name(const std::string& name, Span span) {
  for (size_t i = locals_.size(); i > 0; --i) {
    if (locals_[i - 1].name == name) return LocalNode(static_cast<int>(locals_.size() - i), locals_[i - 1].level, span);
  }
  if (auto found = globals_.find(name); found != globals_.end()) return GlobalNode(found->second, span);
  if (std::optional<BaseName> base = FindBase(name)) return GlobalNode(BaseSlot(*base), span);
  CatNode node;
  node.span = span;
  if (auto found = Primitives().find(name); found != Primitives().end()) {
    node.kind = CatNode::Kind::kPrimitive;
    node.index = static_cast<int>(found->second);
    // Their results depend on the locations and values of events, which the paths of the threads fix.
    return AddNode(std::move(node));
  }
  if (name == "E" || name == "Exp") {
    node.kind = CatNode::Kind::kAllEvents;
    return AddNode(std::move(node));
  }
  std::optional<Tag> tag = FindTag(name == "I" ? "IW" : name);
  if (!tag) return Undeclared(name, span);
  node.kind = CatNode::Kind::kTagSet;
  node.index = *tag;
  return AddNode(std::move(node));
}

Error CatCompiler::Undeclared(const std::string& name, Span span) const {
  if (std::find(std::begin(kNotMade), std::end(kNotMade), name) != std::end(kNotMade)) {
    return Wrong(span,
                 "`" + name + "` is not known here: executions have no events for registers and parts of instructions",
                 "dependencies are built in: addr, data, ctrl; rmw and amo relate the two halves of an instruction");
  }
  std::vector<std::string_view> known;
  for (const auto& [global, slot] : globals_) known.push_back(global);
  for (const BaseName& base : kBaseNames) known.push_back(base.name);
  for (std::string_view tag : kTagNames) known.push_back(tag);
  for (const auto& [primitive, value] : Primitives()) known.push_back(primitive);
  return Wrong(span, "undeclared name `" + name + "`", DidYouMean(name, known));
}

int CatCompiler::LocalNode(int depth, int level, Span span) {
  CatNode node;
  node.kind = CatNode::Kind::kLocal;
  node.index = depth;
  node.span = span;
  node.level = level;
  node.closed = false;
  return AddNode(std::move(node));
}

int CatCompiler::BaseSlot(const BaseName& base) {
  if (base.base == Base::kSyncFence) program_.uses_sync_fence = true;
  if (base.base == Base::kSameAccess || base.base == Base::kSameInstruction) program_.uses_parts = true;
  std::string key = "@" + std::string(base.name);
  if (auto found = globals_.find(key); found != globals_.end()) return found->second;
  CatSlot slot;
  slot.kind = CatSlot::Kind::kBase;
  slot.name = base.name;
  slot.level = base.level;
  slot.index = static_cast<int>(base.base);
  return globals_[key] = AddSlot(std::move(slot));
}

int CatCompiler::Finish(CatNode node) {
  for (int part : node.parts) {
    node.level = std::max(node.level, program_.nodes[static_cast<size_t>(part)].level);
  }
  return AddNode(std::move(node));
}

Result<int> CatCompiler::Expr(const CatExpr& expr) {
  switch (expr.op) {
    case CatOp::kName:
      return Name(expr.name, expr.span);
    case CatOp::kTag:
      return TagLiteral(expr);
    case CatOp::kFunction:
      return Function(expr.pattern, *expr.parts[0], expr.span);
    case CatOp::kLet:
      return Let(expr);
    case CatOp::kLetRec:
      return LetRec(expr);
    case CatOp::kMatchTags:
      return MatchTags(expr);
    case CatOp::kMatchSet:
      return MatchSet(expr);
    case CatOp::kTry:
      return Try(expr);
    default:
      return Plain(expr);
  }
}

// The second expression counts where the first one uses a name that nothing defines.
Result<int> CatCompiler::Try(const CatExpr& expr) {
  size_t depth = locals_.size();
  Result<int> first = Expr(*expr.parts[0]);
  if (first) return first;
  locals_.resize(depth);
  return Expr(*expr.parts[1]);
}

Result<int> CatCompiler::Plain(const CatExpr& expr) {
  CatNode node;
  node.op = expr.op;
  node.span = expr.span;
  for (const CatExprPtr& part : expr.parts) {
    Result<int> child = Expr(*part);
    if (!child) return child;
    node.parts.push_back(*child);
  }
  node.closed = PartsClosed(node);
  return Finish(std::move(node));
}

bool CatCompiler::PartsClosed(const CatNode& node) const {
  return std::all_of(node.parts.begin(), node.parts.end(),
                     [&](int part) { return program_.nodes[static_cast<size_t>(part)].closed; });
}

Result<int> CatCompiler::TagLiteral(const CatExpr& expr) {
  CatNode node;
  node.kind = CatNode::Kind::kEnumTag;
  node.span = expr.span;
  node.index = EnumTag(expr.name);
  return AddNode(std::move(node));
}

int CatCompiler::EnumTag(const std::string& name) {
  auto& tags = program_.enum_tags;
  auto found = std::find(tags.begin(), tags.end(), name);
  if (found == tags.end()) found = tags.insert(tags.end(), name);
  return static_cast<int>(found - tags.begin());
}

// A body with its parameters. Their level is not known here: the level of a call takes in that of its argument.
Result<int> CatCompiler::Function(const std::vector<std::string>& pattern, const CatExpr& body, Span span) {
  CatNode node;
  node.op = CatOp::kFunction;
  node.span = span;
  node.pattern_sizes = {pattern.size()};
  for (const std::string& name : pattern) locals_.push_back({name, 0});
  Result<int> child = Expr(body);
  locals_.resize(locals_.size() - pattern.size());
  if (!child) return child;
  node.parts = {*child};
  node.closed = locals_.empty();
  return Finish(std::move(node));
}

Result<int> CatCompiler::Curried(const CatBinding& binding, size_t from) {
  if (from + 1 == binding.parameters.size()) return Function(binding.parameters[from], *binding.value, binding.span);
  CatNode node;
  node.op = CatOp::kFunction;
  node.span = binding.span;
  node.pattern_sizes = {binding.parameters[from].size()};
  for (const std::string& name : binding.parameters[from]) locals_.push_back({name, 0});
  Result<int> child = Curried(binding, from + 1);
  locals_.resize(locals_.size() - binding.parameters[from].size());
  if (!child) return child;
  node.parts = {*child};
  node.closed = locals_.empty();
  return Finish(std::move(node));
}

Result<int> CatCompiler::BindingValue(const CatBinding& binding) {
  return binding.is_function ? Curried(binding, 0) : Expr(*binding.value);
}

std::vector<std::string> CatCompiler::NamesOf(const CatBinding& binding) {
  return binding.is_function ? std::vector<std::string>{binding.name} : binding.pattern;
}

Result<int> CatCompiler::Let(const CatExpr& expr) {
  CatNode node;
  node.op = CatOp::kLet;
  node.span = expr.span;
  std::vector<Local> bound;
  for (const CatBinding& binding : expr.bindings) {
    Result<int> value = BindingValue(binding);
    if (!value) return value;
    node.parts.push_back(*value);
    std::vector<std::string> names = NamesOf(binding);
    node.pattern_sizes.push_back(names.size());
    for (const std::string& name : names) bound.push_back({name, program_.nodes[static_cast<size_t>(*value)].level});
  }
  return Body(std::move(node), expr, bound);
}

Result<int> CatCompiler::Body(CatNode node, const CatExpr& expr, const std::vector<Local>& bound) {
  locals_.insert(locals_.end(), bound.begin(), bound.end());
  Result<int> body = Expr(*expr.parts[0]);
  locals_.resize(locals_.size() - bound.size());
  if (!body) return body;
  node.parts.push_back(*body);
  node.closed = locals_.empty();
  return Finish(std::move(node));
}

Result<int> CatCompiler::LetRec(const CatExpr& expr) {
  CatNode node;
  node.op = CatOp::kLetRec;
  node.span = expr.span;
  std::vector<Local> bound;
  for (const CatBinding& binding : expr.bindings) {
    if (NamesOf(binding).size() != 1) return Wrong(binding.span, "a recursive definition has one name");
    bound.push_back({NamesOf(binding)[0], 0});
    node.pattern_sizes.push_back(1);
  }
  locals_.insert(locals_.end(), bound.begin(), bound.end());
  for (const CatBinding& binding : expr.bindings) {
    Result<int> value = BindingValue(binding);
    if (!value) return value;
    node.parts.push_back(*value);
  }
  locals_.resize(locals_.size() - bound.size());
  return Body(std::move(node), expr, bound);
}

Result<int> CatCompiler::MatchTags(const CatExpr& expr) {
  CatNode node;
  node.op = CatOp::kMatchTags;
  node.span = expr.span;
  Result<int> value = Expr(*expr.parts[0]);
  if (!value) return value;
  node.parts.push_back(*value);
  for (const CatClause& clause : expr.clauses) {
    Result<int> body = Expr(*clause.body);
    if (!body) return body;
    node.parts.push_back(*body);
    node.clause_tags.push_back(clause.tag.empty() ? -1 : EnumTag(clause.tag));
  }
  node.closed = PartsClosed(node);
  return Finish(std::move(node));
}

Result<int> CatCompiler::MatchSet(const CatExpr& expr) {
  CatNode node;
  node.op = CatOp::kMatchSet;
  node.span = expr.span;
  for (size_t i = 0; i < 3; ++i) {
    if (i == 2) {
      int level = program_.nodes[static_cast<size_t>(node.parts[0])].level;
      for (const std::string& name : expr.pattern) locals_.push_back({name, level});
    }
    Result<int> part = Expr(*expr.parts[i]);
    if (i == 2) locals_.resize(locals_.size() - expr.pattern.size());
    if (!part) return part;
    node.parts.push_back(*part);
  }
  node.closed = locals_.empty();
  return Finish(std::move(node));
}

}  // namespace heddle::litmus
