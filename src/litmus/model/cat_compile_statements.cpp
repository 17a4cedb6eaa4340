#include <algorithm>

#include "base/near.h"
#include "litmus/model/cat_compiler.h"

namespace heddle::litmus {

Status CatCompiler::Statements(const std::vector<CatStatement>& statements, std::vector<CatStep>* inside) {
  for (const CatStatement& statement : statements) {
    if (Status status = Statement(statement, inside); !status) return status;
  }
  return {};
}

Status CatCompiler::Statement(const CatStatement& statement, std::vector<CatStep>* inside) {
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

void CatCompiler::Define(const std::vector<std::string>& names, int node) {
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

void CatCompiler::Commit() {
  for (const auto& [name, slot] : pending_) globals_[name] = slot;
  pending_.clear();
}

Status CatCompiler::TopLet(const CatStatement& statement) {
  for (const CatBinding& binding : statement.bindings) {
    Result<int> node = BindingValue(binding);
    if (!node) return node.error();
    Define(NamesOf(binding), *node);
  }
  Commit();
  return {};
}

// The level of a recursion is that of all its definitions together; nodes that mention it are raised to it.
Status CatCompiler::TopLetRec(const CatStatement& statement) {
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

void CatCompiler::Raise(size_t first, const std::vector<int>& slots, int level) {
  for (int slot : slots) program_.slots[static_cast<size_t>(slot)].level = level;
  for (size_t i = first; i < program_.nodes.size(); ++i) {
    CatNode& node = program_.nodes[i];
    bool own = node.kind == CatNode::Kind::kGlobal && std::find(slots.begin(), slots.end(), node.index) != slots.end();
    bool above = std::any_of(node.parts.begin(), node.parts.end(), [&](int part) { return recursive_.contains(part); });
    if (!own && !above) continue;
    recursive_.insert(static_cast<int>(i));
    node.level = level;
  }
}

Status CatCompiler::Check(const CatStatement& statement, std::vector<CatStep>* inside) {
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

std::vector<CatStep>& CatCompiler::AtLevel(int level) {
  if (program_.checks.size() <= static_cast<size_t>(level)) program_.checks.resize(static_cast<size_t>(level) + 1);
  return program_.checks[static_cast<size_t>(level)];
}

Status CatCompiler::Call(const CatStatement& statement, std::vector<CatStep>* inside) {
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

Status CatCompiler::CallBody(const CatStatement& statement, const CatStatement& procedure,
                             std::vector<CatStep>* inside) {
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

Result<int> CatCompiler::Chosen(const CatStatement& statement) {
  CatSlot slot;
  slot.kind = CatSlot::Kind::kChosen;
  slot.name = statement.name;
  slot.level = program_.levels++;
  return globals_[statement.name] = AddSlot(std::move(slot));
}

Status CatCompiler::With(const CatStatement& statement, std::vector<CatStep>* inside) {
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

Status CatCompiler::Forall(const CatStatement& statement, std::vector<CatStep>* inside) {
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

}  // namespace heddle::litmus
