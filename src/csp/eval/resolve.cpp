#include "csp/eval/resolve.h"

#include <fmt/format.h>

#include <map>

#include "csp/eval/builtins.h"

namespace heddle::csp {
namespace {

// One activation at run time, seen from the text: how many slots it needs and what it takes from the one around it.
struct Act {
  Act* parent = nullptr;
  Unit* unit = nullptr;
  bool is_frame = false;  // the captured values of a let: slots are positions in the frame
  std::map<uint32_t, uint32_t> captured;

  uint32_t NewSlot() { return unit->slots++; }
};

struct Variable {
  std::string name;
  Act* act;
  uint32_t slot;
  bool let_bound;
  uint32_t index;
};

void PatternNames(const Expr* p, const Globals& globals, std::vector<std::string>& out) {
  if (p->op == Op::kName) {
    uint32_t g = globals.Find(p->text);
    bool constant = g != Globals::kNone && (globals.all[g].kind == Global::Kind::kChannel ||
                                            globals.all[g].kind == Global::Kind::kConstructor);
    if (!constant) out.push_back(p->text);
    return;
  }
  for (const Expr* kid : p->kids) PatternNames(kid, globals, out);
}

class Resolver {
 public:
  Resolver(Ast& ast, const Globals& globals) : ast_(ast), globals_(globals) {}

  void TopLevel(Decl* decl) {
    switch (decl->kind) {
      case DeclKind::kBinding:
        Binding(decl, nullptr);
        break;
      case DeclKind::kChannel:
      case DeclKind::kNametype:
        if (decl->type != nullptr) decl->type->late_unit = Whole(decl->type);
        break;
      case DeclKind::kDatatype:
      case DeclKind::kSubtype:
        for (Constructor& c : decl->constructors) {
          if (c.type != nullptr) c.type->late_unit = Whole(c.type);
        }
        break;
      case DeclKind::kAssert:
        decl->assertion.left->late_unit = Whole(decl->assertion.left);
        if (decl->assertion.right != nullptr) decl->assertion.right->late_unit = Whole(decl->assertion.right);
        if (decl->assertion.tau_priority != nullptr) {
          decl->assertion.tau_priority->late_unit = Whole(decl->assertion.tau_priority);
        }
        break;
      case DeclKind::kPrint:
        decl->expr->late_unit = Whole(decl->expr);
        break;
      case DeclKind::kTransparent:
      case DeclKind::kExternal:
      case DeclKind::kAnnotation:
      case DeclKind::kModule:
      case DeclKind::kInstance:
        break;
    }
  }

  Unit* Whole(Expr* e) {
    Act act;
    act.unit = ast_.NewUnit();
    act.unit->body = e;
    Visit(e, act);
    return act.unit;
  }

 private:
  // Slot 0 of every activation of a declaration is its frame (unused at the top level).
  void Binding(Decl* decl, Act* frame) {
    for (Clause& clause : decl->clauses) {
      Act act;
      act.parent = frame;
      act.unit = ast_.NewUnit();
      act.unit->slots = 1;
      act.unit->body = clause.body;
      clause.unit = act.unit;
      size_t mark = variables_.size();
      for (const auto& list : clause.params) {
        for (Expr* param : list) Bind(param, act);
      }
      if (decl->pattern != nullptr) {
        // The pattern is matched after its body has been evaluated, in the same activation, but is not seen by it.
        Visit(clause.body, act);
        Bind(decl->pattern, act);
      } else {
        Visit(clause.body, act);
      }
      variables_.resize(mark);
    }
  }

  void Bind(Expr* p, Act& act) {
    if (p->op == Op::kName) {
      uint32_t g = globals_.Find(p->text);
      if (g != Globals::kNone && globals_.all[g].kind != Global::Kind::kBinding &&
          globals_.all[g].kind != Global::Kind::kType) {
        p->ref = Ref::kConstant;
        p->index = g;
        return;
      }
      p->ref = Ref::kBind;
      p->slot = act.NewSlot();
      variables_.push_back({p->text, &act, p->slot, false, 0});
      return;
    }
    for (Expr* kid : p->kids) Bind(kid, act);
  }

  uint32_t SlotIn(Act& act, Act* owner, uint32_t slot) {
    if (&act == owner) return slot;
    uint32_t from = SlotIn(*act.parent, owner, slot);
    auto [it, fresh] = act.captured.try_emplace(from, 0);
    if (fresh) {
      it->second = act.is_frame ? static_cast<uint32_t>(act.unit->captures.size()) : act.NewSlot();
      act.unit->captures.push_back({from, it->second});
    }
    return it->second;
  }

  void Name(Expr* e, Act& act) {
    for (size_t i = variables_.size(); i-- > 0;) {
      const Variable& v = variables_[i];
      if (v.name != e->text) continue;
      e->ref = v.let_bound ? Ref::kLetBound : Ref::kLocal;
      e->index = v.index;
      // Inside a declaration of the let itself the frame is in slot 0.
      e->slot = SlotIn(act, v.act, v.slot);
      return;
    }
    uint32_t g = globals_.Find(e->text);
    if (g != Globals::kNone) {
      e->ref = Ref::kGlobal;
      e->index = g;
      return;
    }
    e->ref = Ref::kBuiltin;
    e->index = static_cast<uint32_t>(FindBuiltin(WithoutMark(e->text)));
  }

  // A closure for `e`, captured where `act` runs.
  void Late(Expr* e, Act& act) {
    Act inner;
    inner.parent = &act;
    inner.unit = ast_.NewUnit();
    inner.unit->body = e;
    e->late_unit = inner.unit;
    Visit(e, inner);
  }

  // The right side of `^`, which may have to wait.
  void Concat(Expr* e, Act& act) {
    Visit(e->kids[0], act);
    Act inner;
    inner.parent = &act;
    inner.unit = ast_.NewUnit();
    inner.unit->body = e->kids[1];
    e->unit = inner.unit;
    Visit(e->kids[1], inner);
  }

  void SequenceOf(Expr* e, Act& act) {
    Act inner;
    inner.parent = &act;
    inner.unit = ast_.NewUnit();
    inner.unit->body = e;
    e->unit = inner.unit;
    size_t mark = variables_.size();
    Statements(e->stmts, inner);
    for (Expr* kid : e->kids) Visit(kid, inner);
    variables_.resize(mark);
  }

  void Statements(std::vector<Stmt>& stmts, Act& act) {
    for (Stmt& stmt : stmts) {
      Visit(stmt.value, act);
      if (stmt.pattern != nullptr) Bind(stmt.pattern, act);
    }
  }

  void Prefix(Expr* e, Act& act) {
    Act inner;
    inner.parent = &act;
    inner.unit = ast_.NewUnit();
    inner.unit->body = e;
    e->unit = inner.unit;
    size_t mark = variables_.size();
    Visit(e->kids[0], inner);
    for (Field& field : e->fields) {
      if (field.set != nullptr) Visit(field.set, inner);
      if (field.kind == '?' || field.kind == '$') {
        Bind(field.expr, inner);
      } else {
        Visit(field.expr, inner);
      }
    }
    Late(e->kids[1], inner);
    variables_.resize(mark);
    if (e->kids.size() == 3) Visit(e->kids[2], inner);
  }

  void Lambda(Expr* e, Act& act) {
    Act inner;
    inner.parent = &act;
    inner.unit = ast_.NewUnit();
    inner.unit->body = e->kids.back();
    e->unit = inner.unit;
    size_t mark = variables_.size();
    for (size_t i = 0; i + 1 < e->kids.size(); ++i) Bind(e->kids[i], inner);
    Visit(e->kids.back(), inner);
    variables_.resize(mark);
  }

  void Let(Expr* e, Act& act) {
    Act frame;
    frame.parent = &act;
    frame.is_frame = true;
    frame.unit = ast_.NewUnit();
    e->unit = frame.unit;
    e->slot = act.NewSlot();
    size_t mark = variables_.size();
    uint32_t index = 0;
    for (Decl* decl : e->decls) {
      if (decl->kind != DeclKind::kBinding) continue;
      decl->index = index;
      decl->bound = decl->names;
      if (decl->pattern != nullptr) PatternNames(decl->pattern, globals_, decl->bound);
      index += static_cast<uint32_t>(decl->bound.size());
    }
    for (Decl* decl : e->decls) {
      if (decl->kind != DeclKind::kBinding) continue;
      for (Clause& clause : decl->clauses) LetClause(decl, clause, frame, e);
    }
    LetNames(e, act, e->slot);
    Visit(e->kids[0], act);
    variables_.resize(mark);
  }

  void LetClause(Decl* decl, Clause& clause, Act& frame, Expr* let) {
    Act act;
    act.parent = &frame;
    act.unit = ast_.NewUnit();
    act.unit->slots = 1;
    act.unit->body = clause.body;
    clause.unit = act.unit;
    size_t mark = variables_.size();
    LetNames(let, act, 0);
    for (const auto& list : clause.params) {
      for (Expr* param : list) Bind(param, act);
    }
    Visit(clause.body, act);
    if (decl->pattern != nullptr) Bind(decl->pattern, act);
    variables_.resize(mark);
  }

  void LetNames(Expr* let, Act& act, uint32_t slot) {
    for (Decl* decl : let->decls) {
      uint32_t index = decl->index;
      for (const std::string& name : decl->bound) variables_.push_back({name, &act, slot, true, index++});
    }
  }

  void Visit(Expr* e, Act& act) {
    switch (e->op) {
      case Op::kName:
        return Name(e, act);
      case Op::kPrefix:
        return Prefix(e, act);
      case Op::kLambda:
        return Lambda(e, act);
      case Op::kLet:
        return Let(e, act);
      case Op::kConcat:
        return Concat(e, act);
      case Op::kSeqComp:
        return SequenceOf(e, act);
      case Op::kApply:
        Visit(e->kids[0], act);
        for (size_t i = 1; i < e->kids.size(); ++i) {
          if (e->kids[i]->is_process) {
            Late(e->kids[i], act);
          } else {
            Visit(e->kids[i], act);
          }
        }
        return;
      case Op::kSequence:
      case Op::kSlide:
        Visit(e->kids[0], act);
        return Late(e->kids[1], act);
      case Op::kIntChoice:
        Late(e->kids[0], act);
        return Late(e->kids[1], act);
      case Op::kException:
        Visit(e->kids[0], act);
        Visit(e->kids[1], act);
        return Late(e->kids[2], act);
      default:
        break;
    }
    size_t mark = variables_.size();
    Statements(e->stmts, act);
    bool late = e->op == Op::kRepInt || e->op == Op::kRepSequence;
    bool outer_first = !e->stmts.empty() && (e->op == Op::kRename || e->op == Op::kLinkParallel);
    for (size_t i = 0; i < e->kids.size(); ++i) {
      bool outside = (outer_first && i < (e->op == Op::kRename ? 1u : 2u)) ||
                     ((e->op == Op::kRepGenParallel || e->op == Op::kRepSyncExt || e->op == Op::kRepLink) && i >= 1);
      if (outside) {
        // Written outside the scope of the statements: the process being renamed, the shared alphabet.
        std::vector<Variable> inside(variables_.begin() + static_cast<std::ptrdiff_t>(mark), variables_.end());
        variables_.resize(mark);
        Visit(e->kids[i], act);
        variables_.insert(variables_.end(), inside.begin(), inside.end());
      } else if (late) {
        Late(e->kids[i], act);
      } else {
        Visit(e->kids[i], act);
      }
    }
    variables_.resize(mark);
  }

  Ast& ast_;
  const Globals& globals_;
  std::vector<Variable> variables_;
};

}  // namespace

uint32_t Globals::Find(const std::string& name) const {
  auto it = by_name.find(name);
  return it == by_name.end() ? kNone : it->second;
}

Globals CollectGlobals(const Ast& ast, std::vector<Diagnostic>& diagnostics) {
  Globals globals;
  std::vector<Span> spans;
  auto add = [&](Global::Kind kind, const std::string& name, Decl* decl, uint32_t part, Span span) {
    auto [it, fresh] = globals.by_name.try_emplace(name, static_cast<uint32_t>(globals.all.size()));
    if (!fresh) {
      Diagnostic d;
      d.span = span;
      d.message = fmt::format("`{}` is declared twice", name);
      Diagnostic note;
      note.severity = Severity::kNote;
      note.span = spans[it->second];
      note.message = "first declared here";
      d.notes.push_back(note);
      diagnostics.push_back(d);
      return;
    }
    globals.all.push_back({kind, name, decl, part});
    spans.push_back(span);
  };
  // Constants first: whether a name in a pattern is a variable depends on them.
  for (Decl* decl : ast.top) {
    if (decl->kind == DeclKind::kChannel) {
      for (size_t i = 0; i < decl->names.size(); ++i) {
        add(Global::Kind::kChannel, decl->names[i], decl, static_cast<uint32_t>(i), decl->name_spans[i]);
      }
    } else if (decl->kind == DeclKind::kDatatype) {
      for (size_t i = 0; i < decl->constructors.size(); ++i) {
        const Constructor& c = decl->constructors[i];
        add(Global::Kind::kConstructor, c.name, decl, static_cast<uint32_t>(i), c.span);
      }
    }
  }
  for (Decl* decl : ast.top) {
    bool type =
        decl->kind == DeclKind::kDatatype || decl->kind == DeclKind::kSubtype || decl->kind == DeclKind::kNametype;
    if (type) add(Global::Kind::kType, decl->names[0], decl, 0, decl->name_spans[0]);
  }
  for (Decl* decl : ast.top) {
    if (decl->kind != DeclKind::kBinding) continue;
    decl->bound = decl->names;
    if (decl->pattern != nullptr) PatternNames(decl->pattern, globals, decl->bound);
    decl->index = static_cast<uint32_t>(globals.all.size());
    Span span = decl->pattern != nullptr ? decl->pattern->span : decl->name_spans[0];
    for (uint32_t i = 0; i < decl->bound.size(); ++i) add(Global::Kind::kBinding, decl->bound[i], decl, i, span);
  }
  return globals;
}

void Resolve(Ast& ast, const Globals& globals) {
  for (Decl* decl : ast.top) Resolver(ast, globals).TopLevel(decl);
}

Unit* ResolveExpression(Ast& ast, const Globals& globals, Expr* expr) { return Resolver(ast, globals).Whole(expr); }

}  // namespace heddle::csp
