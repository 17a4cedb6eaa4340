#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "litmus/lock/lock.h"
#include "litmus/syntax/c_unit.h"

// Writes the tests as text, so that they can be read, simulated and run like any other. A C test has the file's own
// code before its threads, on the file's own lines: the header stands before line 1 so that messages name the right
// line.
namespace heddle::litmus {
namespace {

constexpr const char* kNames[] = {"stale", "future"};

// The location that the critical sections share, and for a sequence lock a second one.
std::string DataName(const LockPair& pair, const char* wanted) {
  std::string name = wanted;
  auto used = [&](const std::string& text) { return text.find(name) != std::string::npos; };
  while (pair.arch == Arch::kC ? used(pair.code)
                               : std::any_of(pair.init.begin(), pair.init.end(), used) || used(pair.rows[0][0])) {
    name = "data_" + std::string(wanted) + (name == wanted ? "" : "_" + std::to_string(name.size()));
    if (name.size() > 40) break;
  }
  return name;
}

std::string Edited(const LockPair& pair, const LockEdit& edit) {
  std::string code = pair.code;
  for (size_t i = pair.orders.size(); i-- > 0;) {
    if (i >= edit.orders.size() || edit.orders[i] == 0) continue;
    const OrderSlot& slot = pair.orders[i];
    code.replace(slot.offset, slot.length, slot.orders[edit.orders[i] - 1]);
  }
  return code;
}

std::string FenceAt(const LockPair& pair, const LockEdit& edit, size_t slot) {
  if (slot >= edit.fences.size() || edit.fences[slot] == 0) return "";
  return pair.fences[slot].fences[edit.fences[slot] - 1];
}

struct Objects {
  CUnit unit;
  std::vector<std::string> entries;   // of the initial state, for what parameters point to
  std::vector<std::string> names[2];  // what each thread's parameters point to
};

// What a parameter points to: the first one's object is shared, others are each thread's own.
Result<Objects> MakeObjects(const LockPair& pair) {
  Objects objects;
  SourceMap sources;
  uint32_t file = sources.Add(pair.name, pair.code);
  Cursor cursor(sources, file, pair.code, 0, pair.code.size());
  Test scratch;
  if (Status status = ParseCUnit(cursor, scratch, objects.unit); !status) return status.error();
  const CFunction& lock = objects.unit.functions.at(pair.functions[0]);
  size_t pointers = 0;
  for (const CParameter& parameter : lock.parameters) {
    for (int t = 0; t < 2; ++t) {
      std::string name = pointers == 0 ? parameter.name : parameter.name + std::to_string(t);
      if (!parameter.pointer) {
        objects.names[t].push_back(std::to_string(t));
        continue;
      }
      objects.names[t].push_back(name);
      if (t == 1 && pointers == 0) continue;
      auto structure = objects.unit.structs.find(parameter.type);
      objects.entries.push_back(structure == objects.unit.structs.end()
                                    ? name + " = 0"
                                    : fmt::format("int {}[{}]", name, structure->second.size()));
    }
    pointers += parameter.pointer ? 1 : 0;
  }
  return objects;
}

// The arguments of a call by thread t: objects by place for pointers, the token for the first number.
std::string Call(const Objects& objects, const std::string& function, int t, const std::string& token) {
  std::string text = function + "(";
  size_t place = 0;
  for (const CParameter& parameter : objects.unit.functions.at(function).parameters) {
    if (place > 0) text += ", ";
    bool known = place < objects.names[t].size() && parameter.pointer;
    text += known ? objects.names[t][place] : !token.empty() ? token : std::to_string(t);
    ++place;
  }
  return text + ")";
}

std::string Parameters(const Objects& objects, int t, const std::vector<std::string>& data) {
  std::string text;
  for (const std::string& name : objects.names[t]) {
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) continue;
    text += (text.empty() ? "atomic_int* " : ", atomic_int* ") + name;
  }
  for (const std::string& name : data) text += (text.empty() ? "int* " : ", int* ") + name;
  return text;
}

std::string InitBlock(const std::vector<std::string>& entries) {
  std::string text = "{ ";
  for (const std::string& entry : entries) text += entry + "; ";
  return text + "}";
}

Result<std::string> CTest(const LockPair& pair, const HeldState& held, int which, const LockEdit& edit) {
  Result<Objects> objects = MakeObjects(pair);
  if (!objects) return objects.error();
  std::string x = DataName(pair, "x");
  std::string y = DataName(pair, "y");
  std::vector<std::string> data = pair.sequence ? std::vector<std::string>{x, y} : std::vector<std::string>{x};
  std::vector<std::string> entries = held.entries;
  for (const std::string& name : data) entries.push_back(name + " = 0");
  std::string head = fmt::format("C {}-{} {} ", pair.name, kNames[which], InitBlock(entries));
  std::string code = Edited(pair, edit);
  auto fence = [&](size_t slot) {
    std::string text = FenceAt(pair, edit, slot);
    return text.empty() ? "" : "  " + text + "\n";
  };
  const auto& f = pair.functions;
  auto taken = [&](const std::string& function, int t) {
    bool returns = objects->unit.functions.at(function).returns;
    return std::string(returns ? "  int token = " : "  ") + Call(*objects, function, t, "") + ";\n";
  };
  auto token = [&](const std::string& function) {
    return objects->unit.functions.at(function).returns ? std::string("token") : std::string();
  };
  std::string p0 = fmt::format("P0 ({}) {{\n", Parameters(*objects, 0, data));
  std::string p1 = fmt::format("P1 ({}) {{\n", Parameters(*objects, 1, data));
  if (pair.sequence) {
    auto store = [](const std::string& name) {
      return fmt::format("  atomic_store_explicit({}, 1, memory_order_relaxed);\n", name);
    };
    auto load = [](const std::string& reg, const std::string& name) {
      return fmt::format("  int {} = atomic_load_explicit({}, memory_order_relaxed);\n", reg, name);
    };
    p0 += taken(f[0], 0) + fence(0) + store(x) + store(y) + fence(1) + "  " + Call(*objects, f[1], 0, token(f[0])) +
          ";\n";
    p1 += taken(f[2], 1) + fence(2) + load("a", x) + load("b", y) + fence(3) +
          "  int again = " + Call(*objects, f[3], 1, token(f[2])) + ";\n";
    // An old value after a new one, or a new value after an old one, in a round that counts.
    std::string condition = which == 0 ? "1:a=1 /\\ 1:b=0" : "1:a=0 /\\ 1:b=1";
    return head + code + p0 + "}\n" + p1 + "}\nexists (1:again=0 /\\ " + condition + ")\n";
  }
  std::string write = fmt::format("  *{} = 1;\n", x);
  std::string read = fmt::format("  int r = *{};\n", x);
  std::string passed = token(f[0]).empty() ? "" : held.token;
  p0 += (which == 0 ? write : read) + fence(1) + "  " + Call(*objects, f[1], 0, passed) + ";\n";
  p1 += taken(f[0], 1) + fence(0) + (which == 0 ? read : write);
  return head + code + p0 + "}\n" + p1 + "}\nexists (" + (which == 0 ? "1:r=0" : "0:r=1") + ")\n";
}

struct DataCode {
  std::vector<std::string> read;
  std::vector<std::string> write;
  std::vector<std::string> init;  // for each thread, with {} for its number
  std::string reg;
};

// The critical section of an assembly language, with registers that locks do not use.
DataCode Section(Arch arch, const std::string& x) {
  auto with = [&](std::string text) {
    size_t at = text.find("{x}");
    return at == std::string::npos ? text : text.replace(at, 3, x);
  };
  DataCode code;
  switch (arch) {
    case Arch::kGpuPtx:
      code = {{"ld.cg.s32 r99,[{x}]"}, {"mov.s32 r99,1", "st.cg.s32 [{x}],r99"}, {}, "r99"};
      break;
    case Arch::kPtx:
      code = {{"ld.weak r99, {x}"}, {"st.weak {x}, 1"}, {}, "r99"};
      break;
    case Arch::kAArch64:
      code = {{"LDR W21,[X20]"}, {"MOV W21,#1", "STR W21,[X20]"}, {"X20={x}"}, "X21"};
      break;
    case Arch::kRiscv:
      code = {{"lw x29,0(x28)"}, {"ori x29,x0,1", "sw x29,0(x28)"}, {"x28={x}"}, "x29"};
      break;
    case Arch::kPpc:
      code = {{"lwz r21,0(r20)"}, {"li r21,1", "stw r21,0(r20)"}, {"r20={x}"}, "r21"};
      break;
    default:
      code = {{"movl ({x}),%r15d"}, {"movl $1,({x})"}, {}, "r15"};
      break;
  }
  for (auto* list : {&code.read, &code.write, &code.init})
    std::transform(list->begin(), list->end(), list->begin(), with);
  return code;
}

std::string Table(const LockPair& pair, const std::vector<std::vector<std::string>>& columns, bool same_group) {
  bool thesis = pair.arch == Arch::kGpuPtx;
  std::string end = thesis ? "\n" : " ;\n";
  std::string text;
  size_t rows = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    rows = std::max(rows, columns[c].size());
    text += fmt::format("{} P{}", c == 0 ? "" : " |", c);
    if (pair.arch == Arch::kPtx) text += fmt::format("@cta {}, gpu 0", same_group ? 0 : c);
  }
  text += end;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns.size(); ++c) {
      text += fmt::format("{} {:<28}", c == 0 ? "" : " |", r < columns[c].size() ? columns[c][r] : "");
    }
    text += end;
  }
  if (!thesis) return text;
  if (columns.size() == 1) return text + "(device (kernel (cta (warp P0))))\n";
  return text + (same_group ? "(device (kernel (cta (warp P0) (warp P1))))\n"
                            : "(device (kernel (cta (warp P0)) (cta (warp P1))))\n");
}

std::string Language(Arch arch) { return std::string(ArchName(arch)); }

Result<std::string> AssemblyTest(const LockPair& pair, const HeldState& held, int which, const LockEdit& edit,
                                 bool same_group) {
  std::string x = DataName(pair, "x");
  DataCode section = Section(pair.arch, x);
  std::vector<std::string> entries = held.entries;
  // Thread 1 has the registers that the file gives it.
  for (const std::string& entry : pair.init) {
    if (entry.starts_with("1:")) entries.push_back(entry);
  }
  entries.push_back(x + "=0");
  for (const std::string& entry : section.init) {
    entries.push_back("0:" + entry);
    entries.push_back("1:" + entry);
  }
  std::vector<std::string> p0 = which == 0 ? section.write : section.read;
  std::vector<std::string> p1 = pair.rows[0];
  if (std::string fence = FenceAt(pair, edit, 0); !fence.empty()) p1.push_back(fence);
  if (std::string fence = FenceAt(pair, edit, 1); !fence.empty()) p0.push_back(fence);
  p0.insert(p0.end(), pair.rows[1].begin(), pair.rows[1].end());
  const auto& after = which == 0 ? section.read : section.write;
  p1.insert(p1.end(), after.begin(), after.end());
  return fmt::format("{} {}-{}\n{}\n{}exists ({}:{}={})\n", Language(pair.arch), pair.name, kNames[which],
                     InitBlock(entries), Table(pair, {p0, p1}, same_group), which == 0 ? 1 : 0, section.reg,
                     which == 0 ? 0 : 1);
}

}  // namespace

const char* LockTestName(int which) { return kNames[which]; }

Result<std::string> HoldTest(const LockPair& pair) {
  if (pair.arch != Arch::kC) {
    std::vector<std::string> entries;
    for (const std::string& entry : pair.init) {
      if (!entry.starts_with("1:")) entries.push_back(entry);
    }
    return fmt::format("{} hold\n{}\n{}exists (true)\n", Language(pair.arch), InitBlock(entries),
                       Table(pair, {pair.rows[0]}, true));
  }
  Result<Objects> objects = MakeObjects(pair);
  if (!objects) return objects.error();
  bool returns = objects->unit.functions.at(pair.functions[0]).returns;
  // A sequence lock starts free; only its objects are needed.
  std::string call =
      pair.sequence ? "" : (returns ? "int token = " : "") + Call(*objects, pair.functions[0], 0, "") + ";";
  return fmt::format("C hold {} {}P0 ({}) {{ {} }}\nexists (true)\n", InitBlock(objects->entries), pair.code,
                     Parameters(*objects, 0, {}), call);
}

HeldState HeldFrom(const LockPair& pair, const Test& test, const std::vector<int64_t>& values) {
  HeldState held;
  std::vector<std::string> late;  // entries that name other locations come after them
  auto show = [&](int64_t value) { return IsAddress(value) ? "&" + ShowValue(test, value) : std::to_string(value); };
  std::map<std::string, std::vector<int64_t>> arrays;
  std::vector<std::string> order;
  for (size_t i = 0; i < test.cells.size(); ++i) {
    std::string name = test.cells[i].name.substr(0, test.cells[i].name.find('['));
    if (!arrays.contains(name)) order.push_back(name);
    arrays[name].push_back(values[i]);
  }
  for (const std::string& name : order) {
    const std::vector<int64_t>& elements = arrays[name];
    bool points = std::any_of(elements.begin(), elements.end(), [](int64_t v) { return IsAddress(v); });
    bool array = test.FindCell(name) < 0;
    std::string list;
    for (int64_t value : elements) list += (list.empty() ? "" : ", ") + show(value);
    std::string entry = array ? fmt::format("int {}[{}] = {{ {} }}", name, elements.size(), list) : name + "=" + list;
    (points ? late : held.entries).push_back(entry);
  }
  held.entries.insert(held.entries.end(), late.begin(), late.end());
  if (test.threads.empty()) return held;
  const Thread& thread = test.threads[0];
  for (size_t i = 0; i < thread.registers.size(); ++i) {
    int64_t value = values[test.cells.size() + i];
    if (pair.arch == Arch::kC) {
      if (thread.registers[i] == "token") held.token = show(value);
    } else {
      std::string text = IsAddress(value) ? ShowValue(test, value) : std::to_string(value);
      held.entries.push_back("0:" + thread.registers[i] + "=" + text);
    }
  }
  return held;
}

Result<std::string> DistilledTest(const LockPair& pair, const HeldState& held, int which, const LockEdit& edit,
                                  bool same_group) {
  return pair.arch == Arch::kC ? CTest(pair, held, which, edit) : AssemblyTest(pair, held, which, edit, same_group);
}

}  // namespace heddle::litmus
