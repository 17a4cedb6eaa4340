#include "litmus/optcheck/optcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "litmus/optcheck/machine_code.h"

namespace heddle::litmus {
namespace {

// The location of an access when it does not depend on what the thread computes.
int StaticCell(const Test& test, const Thread& thread, int address) {
  const Expr& e = thread.exprs[static_cast<size_t>(address)];
  int64_t value = e.imm;
  if (e.op == Op::kReg) {
    for (const Instr& instr : thread.code) {
      if (instr.dst == e.a || instr.status == e.a) return -1;
    }
    value = thread.register_init[static_cast<size_t>(e.a)];
  } else if (e.op != Op::kConst) {
    return -1;
  }
  int cell = test.CellAt(value);
  return cell < kNoCell ? cell : -1;
}

// A read-modify-write of C: one instruction, or a pair in a loop.
void AddRmw(const Instr& instr, Machine machine, int cell, std::vector<Access>& wanted) {
  bool pair = machine == Machine::kPpc64le || (machine == Machine::kRiscv64 && instr.expect >= 0);
  if (!pair) {
    wanted.push_back({AccessKind::kRmw, cell});
    return;
  }
  wanted.push_back({AccessKind::kLoad, cell});
  wanted.push_back({AccessKind::kStore, cell});
}

std::string Show(const Access& access) {
  std::string text(AccessName(access.kind));
  if (access.cell >= 0) text += " of location " + std::to_string(access.cell);
  return text;
}

std::string List(const std::vector<Access>& accesses) {
  std::string out;
  for (const Access& access : accesses) out += (out.empty() ? "" : ", ") + Show(access);
  return out.empty() ? "nothing" : out;
}

// `loose`: C on other machines than x86-64, where a store may be an exchange whose result is dropped (GCC for RISC-V).
bool Fits(const Access& wanted, const Access& found, bool loose) {
  bool exchange = loose && wanted.kind == AccessKind::kStore && found.kind == AccessKind::kRmw;
  return (wanted.kind == found.kind || exchange) && (wanted.cell == found.cell || wanted.cell < 0 || found.cell < 0);
}

}  // namespace

std::string_view AccessName(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load";
    case AccessKind::kStore:
      return "store";
    case AccessKind::kRmw:
      return "read-modify-write";
    case AccessKind::kFence:
      return "fence";
  }
  return "";
}

std::vector<Access> WantedAccesses(const Test& test, size_t thread, Machine machine) {
  std::vector<Access> wanted;
  bool c = test.arch == Arch::kC;
  bool x86 = machine == Machine::kX86_64;
  for (const Instr& instr : test.threads[thread].code) {
    int cell = instr.addr >= 0 ? StaticCell(test, test.threads[thread], instr.addr) : -1;
    switch (instr.kind) {
      case Instr::Kind::kLoad:
        wanted.push_back({AccessKind::kLoad, cell});
        break;
      case Instr::Kind::kStore:
        // A seq_cst store is an exchange on x86.
        wanted.push_back({c && x86 && instr.tags.test(TagOf("SC")) ? AccessKind::kRmw : AccessKind::kStore, cell});
        break;
      case Instr::Kind::kRmw:
        if (c) {
          AddRmw(instr, machine, cell, wanted);
        } else {
          wanted.push_back({AccessKind::kRmw, cell});
        }
        break;
      case Instr::Kind::kFence:
        // Of the fences of C only seq_cst needs an instruction on x86, and a relaxed one needs none anywhere.
        if (!c || instr.tags.test(TagOf("SC")) || (!x86 && !instr.tags.test(TagOf("RLX")))) {
          wanted.push_back({AccessKind::kFence, -1});
        }
        break;
      default:
        break;
    }
  }
  return wanted;
}

std::vector<std::string> SpecificationText(const Test& test, size_t thread, Machine machine) {
  std::vector<std::string> lines;
  int position = 0;
  for (const Access& access : WantedAccesses(test, thread, machine)) {
    int cell = access.cell < 0 ? kNoCell : access.cell;
    lines.push_back(
        MarkText(machine, kSpecification | (position++ & 0x3f) << 8 | static_cast<int>(access.kind) << 6 | cell));
  }
  return lines;
}

Result<CompiledThread> ReadCompiledThread(const std::string& path, size_t thread) {
  Result<MachineCode> code = ReadMachineCode(path, "P" + std::to_string(thread));
  if (!code) return code.error();
  CompiledThread result;
  result.machine = code->machine;
  LineReader reader(code->machine);
  bool inside = false;
  bool ended = false;
  bool seen = false;
  for (const std::string& line : code->lines) {
    std::optional<int> mark = MarkOf(code->machine, line);
    if (mark == kBeginMark) {
      inside = seen = true;
    } else if (mark == kEndMark) {
      inside = false;
      ended = true;
    } else if (mark && ended && (*mark & ~0x3fff) == kSpecification) {
      size_t place = static_cast<size_t>(*mark >> 8 & 0x3f);
      if (place != result.specification.size() % 64) {
        return MakeError(ErrorCode::kLimit, fmt::format("{}: the specification of thread {} is damaged", path, thread));
      }
      int cell = *mark & 0x3f;
      result.specification.push_back({static_cast<AccessKind>(*mark >> 6 & 3), cell == kNoCell ? -1 : cell});
    } else if (std::optional<Access> access = reader.Line(line); access && inside) {
      result.found.push_back(*access);
    }
  }
  if (!seen) return MakeError(ErrorCode::kUnsupported, fmt::format("{}: thread {} has no marks", path, thread));
  return result;
}

std::string Difference(const std::vector<Access>& wanted, const std::vector<Access>& found, bool fences) {
  size_t next = 0;
  bool same = true;
  for (const Access& access : found) {
    if (next < wanted.size() && Fits(wanted[next], access, fences)) {
      ++next;
    } else if (!fences || access.kind != AccessKind::kFence) {
      same = false;
    }
  }
  if (same && next == wanted.size()) return "";
  return "the test has " + List(wanted) + "; the program has " + List(found);
}

Status CheckHarness(const Test& test, const std::string& path) {
  for (size_t t = 0; t < test.threads.size(); ++t) {
    Result<CompiledThread> compiled = ReadCompiledThread(path, t);
    if (!compiled) return compiled.error();
    std::vector<Access> wanted = WantedAccesses(test, t, compiled->machine);
    if (compiled->specification != wanted) {
      return MakeError(ErrorCode::kLimit, fmt::format("thread {} does not carry the specification of the test", t));
    }
    bool fences = test.arch == Arch::kC && compiled->machine != Machine::kX86_64;
    std::string difference = Difference(wanted, compiled->found, fences);
    if (!difference.empty()) {
      return MakeError(ErrorCode::kLimit, fmt::format("the compiler did not keep thread {}: {}", t, difference));
    }
    // Two accesses of one kind to different locations could have changed places behind registers that were not
    // followed.
    for (AccessKind kind : {AccessKind::kLoad, AccessKind::kStore, AccessKind::kRmw}) {
      std::set<int> cells;
      bool unknown = false;
      for (const Access& access : wanted) {
        if (access.kind == kind && access.cell >= 0) cells.insert(access.cell);
      }
      for (const Access& access : compiled->found) unknown = unknown || (access.kind == kind && access.cell < 0);
      if (unknown && cells.size() > 1 && test.arch == Arch::kC) {
        return MakeError(ErrorCode::kUnsupported,
                         fmt::format("thread {}: the registers of a {} could not be followed", t, AccessName(kind)));
      }
    }
  }
  return {};
}

}  // namespace heddle::litmus
