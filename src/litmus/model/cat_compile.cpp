#include "litmus/model/cat_compile.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/near.h"

// One walk over the statements. Definitions at the top are slots: a later definition of the same name gets a slot of
// its own, so that what was defined before keeps its meaning. Procedures are expanded where they are called. The level
// of a node is the highest of what it uses; a closed node whose level is below that of its parent is given a cache.
namespace heddle::litmus {
namespace {

struct Local {
  std::string name;
  int level;
};

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

class Compiler {
 public:
  explicit Compiler(const SourceMap& sources) : sources_(sources) {}

  Result<CatProgram> Run(const CatModel& model) {
    program_.title = model.title;
    if (Status status = Statements(model.statements, nullptr); !status) return status.error();
    AddCaches();
    program_.coherent = FindCoherent();
    program_.own_co = FindOwnCoherence();
    return std::move(program_);
  }

 private:
  Error Wrong(Span span, std::string message, std::string help = "") const {
    return MakeError(ErrorCode::kBadInput,
                     Render(sources_, {Severity::kError, span, std::move(message), std::move(help), {}}));
  }

  // ---- names ----

  int AddNode(CatNode node) {
    program_.nodes.push_back(std::move(node));
    return static_cast<int>(program_.nodes.size()) - 1;
  }

  int AddSlot(CatSlot slot) {
    program_.slots.push_back(std::move(slot));
    return static_cast<int>(program_.slots.size()) - 1;
  }

  int GlobalNode(int slot, Span span) {
    CatNode node;
    node.kind = CatNode::Kind::kGlobal;
    node.index = slot;
    node.span = span;
    node.level = program_.slots[static_cast<size_t>(slot)].level;
    return AddNode(std::move(node));
  }

  bool Known(const std::string& name) const {
    if (name == "E" || name == "Exp" || name == "I") return true;
    for (const Local& local : locals_) {
      if (local.name == name) return true;
    }
    return globals_.contains(name) || FindBase(name) || FindTag(name) || Primitives().contains(name);
  }

  Result<int> Name(const std::string& name, Span span) {
    for (size_t i = locals_.size(); i > 0; --i) {
      if (locals_[i - 1].name == name)
        return LocalNode(static_cast<int>(locals_.size() - i), locals_[i - 1].level, span);
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

  Error Undeclared(const std::string& name, Span span) const {
    std::vector<std::string_view> known;
    for (const auto& [global, slot] : globals_) known.push_back(global);
    for (const BaseName& base : kBaseNames) known.push_back(base.name);
    for (std::string_view tag : kTagNames) known.push_back(tag);
    for (const auto& [primitive, value] : Primitives()) known.push_back(primitive);
    return Wrong(span, "undeclared name `" + name + "`", DidYouMean(name, known));
  }

  int LocalNode(int depth, int level, Span span) {
    CatNode node;
    node.kind = CatNode::Kind::kLocal;
    node.index = depth;
    node.span = span;
    node.level = level;
    node.closed = false;
    return AddNode(std::move(node));
  }

  int BaseSlot(const BaseName& base) {
    if (base.base == Base::kSyncFence) program_.uses_sync_fence = true;
    std::string key = "@" + std::string(base.name);
    if (auto found = globals_.find(key); found != globals_.end()) return found->second;
    CatSlot slot;
    slot.kind = CatSlot::Kind::kBase;
    slot.name = base.name;
    slot.level = base.level;
    slot.index = static_cast<int>(base.base);
    return globals_[key] = AddSlot(std::move(slot));
  }

  // ---- expressions ----

  int Finish(CatNode node) {
    for (int part : node.parts) {
      node.level = std::max(node.level, program_.nodes[static_cast<size_t>(part)].level);
    }
    return AddNode(std::move(node));
  }

  Result<int> Expr(const CatExpr& expr) {
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
        return expr.parts[0]->op == CatOp::kName && !Known(expr.parts[0]->name) ? Expr(*expr.parts[1])
                                                                                : Expr(*expr.parts[0]);
      default:
        return Plain(expr);
    }
  }

  Result<int> Plain(const CatExpr& expr) {
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

  bool PartsClosed(const CatNode& node) const {
    return std::all_of(node.parts.begin(), node.parts.end(),
                       [&](int part) { return program_.nodes[static_cast<size_t>(part)].closed; });
  }

  Result<int> TagLiteral(const CatExpr& expr) {
    CatNode node;
    node.kind = CatNode::Kind::kEnumTag;
    node.span = expr.span;
    node.index = EnumTag(expr.name);
    return AddNode(std::move(node));
  }

  int EnumTag(const std::string& name) {
    auto& tags = program_.enum_tags;
    auto found = std::find(tags.begin(), tags.end(), name);
    if (found == tags.end()) found = tags.insert(tags.end(), name);
    return static_cast<int>(found - tags.begin());
  }

  // A body with its parameters. Their level is not known here: the level of a call takes in that of its argument.
  Result<int> Function(const std::vector<std::string>& pattern, const CatExpr& body, Span span) {
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

  Result<int> Curried(const CatBinding& binding, size_t from) {
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

  Result<int> BindingValue(const CatBinding& binding) {
    return binding.is_function ? Curried(binding, 0) : Expr(*binding.value);
  }

  static std::vector<std::string> NamesOf(const CatBinding& binding) {
    return binding.is_function ? std::vector<std::string>{binding.name} : binding.pattern;
  }

  Result<int> Let(const CatExpr& expr) {
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

  Result<int> Body(CatNode node, const CatExpr& expr, const std::vector<Local>& bound) {
    locals_.insert(locals_.end(), bound.begin(), bound.end());
    Result<int> body = Expr(*expr.parts[0]);
    locals_.resize(locals_.size() - bound.size());
    if (!body) return body;
    node.parts.push_back(*body);
    node.closed = locals_.empty();
    return Finish(std::move(node));
  }

  Result<int> LetRec(const CatExpr& expr) {
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

  Result<int> MatchTags(const CatExpr& expr) {
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

  Result<int> MatchSet(const CatExpr& expr) {
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

  // ---- statements ----

  Status Statements(const std::vector<CatStatement>& statements, std::vector<CatStep>* inside) {
    for (const CatStatement& statement : statements) {
      if (Status status = Statement(statement, inside); !status) return status;
    }
    return {};
  }

  Status Statement(const CatStatement& statement, std::vector<CatStep>* inside) {
    switch (statement.kind) {
      case CatStatement::Kind::kLet:
        return TopLet(statement);
      case CatStatement::Kind::kLetRec:
        return TopLetRec(statement);
      case CatStatement::Kind::kCheck:
        return Check(statement, inside);
      case CatStatement::Kind::kProcedure:
        procedures_[statement.name] = &statement;
        return {};
      case CatStatement::Kind::kCall:
        return Call(statement, inside);
      case CatStatement::Kind::kWith:
        return With(statement, inside);
      case CatStatement::Kind::kForall:
        return Forall(statement, inside);
      case CatStatement::Kind::kEnum:
        for (const std::string& tag : statement.tags) EnumTag(tag);
        return {};
      default:
        return {};
    }
  }

  void Define(const std::vector<std::string>& names, int node) {
    int level = program_.nodes[static_cast<size_t>(node)].level;
    for (size_t i = 0; i < names.size(); ++i) {
      CatSlot slot;
      slot.name = names[i];
      slot.level = level;
      slot.index = node;
      slot.part = names.size() == 1 ? -1 : static_cast<int>(i);
      pending_.emplace_back(names[i], AddSlot(std::move(slot)));
    }
  }

  void Commit() {
    for (const auto& [name, slot] : pending_) globals_[name] = slot;
    pending_.clear();
  }

  Status TopLet(const CatStatement& statement) {
    for (const CatBinding& binding : statement.bindings) {
      Result<int> node = BindingValue(binding);
      if (!node) return node.error();
      Define(NamesOf(binding), *node);
    }
    Commit();
    return {};
  }

  // The level of a recursion is that of all its definitions together; nodes that mention it are raised to it.
  Status TopLetRec(const CatStatement& statement) {
    int group = static_cast<int>(program_.recursions.size());
    program_.recursions.emplace_back();
    std::vector<int> slots;
    for (const CatBinding& binding : statement.bindings) {
      std::vector<std::string> names = NamesOf(binding);
      if (names.size() != 1) return Wrong(binding.span, "a recursive definition has one name");
      CatSlot slot;
      slot.kind = CatSlot::Kind::kRecursive;
      slot.name = names[0];
      slot.index = group;
      slots.push_back(AddSlot(std::move(slot)));
      globals_[names[0]] = slots.back();
    }
    size_t first = program_.nodes.size();
    std::vector<int> nodes;
    int level = 0;
    for (const CatBinding& binding : statement.bindings) {
      Result<int> node = BindingValue(binding);
      if (!node) return node.error();
      nodes.push_back(*node);
      level = std::max(level, program_.nodes[static_cast<size_t>(*node)].level);
    }
    Raise(first, slots, level);
    program_.recursions[static_cast<size_t>(group)] = {slots, nodes};
    return {};
  }

  void Raise(size_t first, const std::vector<int>& slots, int level) {
    for (int slot : slots) program_.slots[static_cast<size_t>(slot)].level = level;
    for (size_t i = first; i < program_.nodes.size(); ++i) {
      CatNode& node = program_.nodes[i];
      bool own =
          node.kind == CatNode::Kind::kGlobal && std::find(slots.begin(), slots.end(), node.index) != slots.end();
      bool above =
          std::any_of(node.parts.begin(), node.parts.end(), [&](int part) { return recursive_.contains(part); });
      if (!own && !above) continue;
      recursive_.insert(static_cast<int>(i));
      node.level = level;
    }
  }

  Status Check(const CatStatement& statement, std::vector<CatStep>* inside) {
    Result<int> node = Expr(*statement.value);
    if (!node) return node.error();
    CatStep step;
    step.check = statement.check;
    step.use = statement.use;
    step.negated = statement.negated;
    step.name = statement.name;
    step.node = *node;
    step.level = program_.nodes[static_cast<size_t>(*node)].level;
    step.span = statement.span;
    if (inside != nullptr) {
      inside->push_back(std::move(step));
    } else if (statement.use != CatCheckUse::kRequire) {
      program_.flags.push_back(std::move(step));
    } else {
      AtLevel(step.level).push_back(std::move(step));
    }
    return {};
  }

  std::vector<CatStep>& AtLevel(int level) {
    if (program_.checks.size() <= static_cast<size_t>(level)) program_.checks.resize(static_cast<size_t>(level) + 1);
    return program_.checks[static_cast<size_t>(level)];
  }

  Status Call(const CatStatement& statement, std::vector<CatStep>* inside) {
    auto found = procedures_.find(statement.name);
    if (found == procedures_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, procedure] : procedures_) known.push_back(name);
      return Wrong(statement.span, "there is no procedure `" + statement.name + "`", DidYouMean(statement.name, known));
    }
    const CatStatement& procedure = *found->second;
    if (++calls_ > 200) return Wrong(statement.span, "procedures call each other without end");
    std::map<std::string, int, std::less<>> saved = globals_;
    Status status = CallBody(statement, procedure, inside);
    globals_ = std::move(saved);
    --calls_;
    return status;
  }

  Status CallBody(const CatStatement& statement, const CatStatement& procedure, std::vector<CatStep>* inside) {
    if (procedure.parameters.size() == 1) {
      Result<int> node = Expr(*statement.value);
      if (!node) return node.error();
      Define(procedure.parameters, *node);
    } else if (statement.value->op == CatOp::kTuple && statement.value->parts.size() == procedure.parameters.size()) {
      for (size_t i = 0; i < procedure.parameters.size(); ++i) {
        Result<int> node = Expr(*statement.value->parts[i]);
        if (!node) return node.error();
        Define({procedure.parameters[i]}, *node);
      }
    } else {
      return Wrong(statement.span,
                   "`" + procedure.name + "` has " + std::to_string(procedure.parameters.size()) + " parameters");
    }
    Commit();
    return Statements(procedure.body, inside);
  }

  Result<int> Chosen(const CatStatement& statement) {
    CatSlot slot;
    slot.kind = CatSlot::Kind::kChosen;
    slot.name = statement.name;
    slot.level = program_.levels++;
    return globals_[statement.name] = AddSlot(std::move(slot));
  }

  Status With(const CatStatement& statement, std::vector<CatStep>* inside) {
    if (inside != nullptr) return Wrong(statement.span, "`with` cannot stand inside `forall`");
    Result<int> node = Expr(*statement.value);
    if (!node) return node.error();
    Result<int> slot = Chosen(statement);
    CatStep step;
    step.kind = CatStep::Kind::kWith;
    step.node = *node;
    step.slot = *slot;
    step.level = program_.slots[static_cast<size_t>(*slot)].level;
    step.span = statement.span;
    program_.choices.push_back(std::move(step));
    return {};
  }

  Status Forall(const CatStatement& statement, std::vector<CatStep>* inside) {
    Result<int> node = Expr(*statement.value);
    if (!node) return node.error();
    auto saved = globals_;
    Result<int> slot = Chosen(statement);
    CatStep step;
    step.kind = CatStep::Kind::kForall;
    step.node = *node;
    step.slot = *slot;
    step.level = program_.slots[static_cast<size_t>(*slot)].level;
    step.span = statement.span;
    Status status = Statements(statement.body, &step.body);
    globals_ = std::move(saved);
    if (!status) return status;
    (inside != nullptr ? *inside : program_.choices).push_back(std::move(step));
    return {};
  }

  // ---- what may be kept ----

  void AddCaches() {
    std::vector<bool> inner(program_.nodes.size(), false);  // of a function: evaluated with unknown arguments
    for (size_t i = program_.nodes.size(); i > 0; --i) {
      CatNode& node = program_.nodes[i - 1];
      for (int part : node.parts) {
        CatNode& child = program_.nodes[static_cast<size_t>(part)];
        bool work = child.kind == CatNode::Kind::kExpr && child.op != CatOp::kFunction && child.op != CatOp::kEmpty;
        bool lower = child.level < node.level || node.op == CatOp::kFunction || inner[i - 1];
        if (work && child.closed && lower && child.cache < 0 && !recursive_.contains(part))
          child.cache = program_.caches++;
        if (node.op == CatOp::kFunction || inner[i - 1]) inner[static_cast<size_t>(part)] = true;
      }
    }
  }

  // Adds the names whose union the node is.
  void UnionOf(int index, std::set<std::string>& names) const {
    const CatNode& node = program_.nodes[static_cast<size_t>(index)];
    if (node.kind == CatNode::Kind::kExpr && node.op == CatOp::kUnion) {
      for (int part : node.parts) UnionOf(part, names);
    } else if (node.kind == CatNode::Kind::kExpr && node.op == CatOp::kPlus) {
      UnionOf(node.parts[0], names);
    } else if (node.kind == CatNode::Kind::kGlobal) {
      const CatSlot& slot = program_.slots[static_cast<size_t>(node.index)];
      if (slot.kind == CatSlot::Kind::kBase) names.insert(slot.name);
      if (slot.kind == CatSlot::Kind::kNode && slot.part < 0) UnionOf(slot.index, names);
    }
  }

  int FindOwnCoherence() const {
    int found = -1;
    for (size_t i = 0; i < program_.slots.size(); ++i) {
      const CatSlot& slot = program_.slots[i];
      if (slot.kind == CatSlot::Kind::kBase && slot.level == 2) return -1;
      if (slot.kind == CatSlot::Kind::kChosen && slot.name == "co") found = static_cast<int>(i);
    }
    return found;
  }

  bool FindCoherent() const {
    for (const auto& level : program_.checks) {
      for (const CatStep& step : level) {
        if (step.check != CatCheck::kAcyclic || step.negated) continue;
        std::set<std::string> names;
        UnionOf(step.node, names);
        bool order = names.contains("po-loc") || names.contains("po");
        if (order && names.contains("rf") && names.contains("fr") && names.contains("co")) return true;
      }
    }
    return false;
  }

  const SourceMap& sources_;
  CatProgram program_;
  std::map<std::string, int, std::less<>> globals_;
  std::vector<std::pair<std::string, int>> pending_;
  std::map<std::string, const CatStatement*, std::less<>> procedures_;
  std::vector<Local> locals_;
  std::set<int> recursive_;
  int calls_ = 0;
};

}  // namespace

Result<CatProgram> CompileCat(const SourceMap& sources, const CatModel& model) { return Compiler(sources).Run(model); }

}  // namespace heddle::litmus
