// A litmus test in the form that all later stages share, whatever language it was written in: threads of simple
// instructions over registers, memory cells with initial values, and a condition on the final state.
//
// Addresses are numbers: each location starts at its own multiple of kLocationStride, and an array has a cell for each
// element. So address arithmetic in a test is arithmetic, and a false address dependency adds a real zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "litmus/syntax/tags.h"

namespace heddle::litmus {

enum class Arch { kX86, kX86_64, kAArch64, kRiscv, kPpc, kC, kGpuPtx, kPtx, kVulkan, kOpenCl };
std::string_view ArchName(Arch arch);
bool IsGpu(Arch arch);

inline constexpr int64_t kAddressBase = 0x5a3c96e10000;
inline constexpr int64_t kLocationStride = 1 << 16;
inline constexpr int64_t kMostLocations = 1 << 12;
// Numbers that programs compute are hardly ever in this range: it is not near a power of two.
inline bool IsAddress(int64_t value) {
  return value >= kAddressBase && value < kAddressBase + kMostLocations * kLocationStride;
}

// One number that tests can tell apart: an address that names a cell, or a plain value.
struct Cell {
  std::string name;
  int64_t address = 0;
  int64_t init = 0;
  int physical = 0;  // the cell whose memory this is: itself, or the one that it is an alias of
  int seen_at = -1;  // a proxy of this cell: it has the address of that one, generic cells have one of their own
  int size = 4;      // bytes, by its type
  TagSet tags;       // of its initial write: address space, kind
  bool init_given = false;
  bool part = false;  // of a location that accesses of different sizes divide (sim/parts.h)
};

enum class Op : uint8_t {
  kConst,  // imm
  kReg,    // a: register
  kOld,    // the value that the read half of a read-modify-write got
  kAdd,
  kSub,
  kMul,
  kDiv,
  kDivU,
  kMod,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kSar,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLtU,
  kLeU,
  kGtU,
  kGeU,
  kLogicalAnd,
  kLogicalOr,
  kNot,
  kNeg,
  kComplement,
  kZext32,
  kSext32,
  kZext8,
  kZext16,
  kMin,
  kMax,
  kMinU,
  kMaxU,
  kSelect,  // a ? b : c, with c in imm as an expression
};

struct Expr {
  Op op = Op::kConst;
  int a = -1;
  int b = -1;
  int64_t imm = 0;
};

struct Instr {
  enum class Kind : uint8_t { kAssign, kLoad, kStore, kRmw, kFence, kBranch, kJump, kEndIf };
  Kind kind = Kind::kAssign;
  int dst = -1;     // register that gets the value assigned or read
  int addr = -1;    // expression
  int value = -1;   // expression: assigned, stored, branched on; of kRmw: what is written, over kOld
  int expect = -1;  // kRmw: it writes only when the value read equals this
  int status = -1;  // register: result of a store-conditional or compare-and-swap
  int64_t status_ok = 0;
  int64_t status_fail = 1;
  bool status_depends = false;   // the status register carries a dependency on the store
  bool conditional = false;      // store-conditional: may fail, pairs with the last reserved load
  bool reserve = false;          // load that such a store pairs with
  bool one_event = false;        // kRmw: read and write are one event
  bool amo = false;              // kRmw: a single instruction (the relation amo)
  bool may_fail = false;         // kRmw with expect: may also fail spuriously
  TagSet tags;                   // of the read, the store or the fence
  TagSet write_tags;             // kRmw: of the write (with one_event: added to tags)
  TagSet fail_tags;              // kRmw: of the read when nothing is written
  int target = -1;               // instruction number of a branch
  int barrier = -1;              // expression: number of the barrier that this fence is part of
  int64_t barrier_instance = 0;  // PTX: barriers of different instances do not meet
  int barrier_threads = -1;      // expression: how many threads meet, -1: all that use it
  int join = -1;                 // kBranch of structured code: where the control dependency ends
  int width = 4;                 // bytes accessed; of a pair: of each half
  bool zero_extends = false;     // a register gets 4 bytes as an unsigned number, not as a signed one
  bool pair = false;             // two registers and the two places from the address on: LDXP, STXP, CASP
  bool one_access = true;        // of a pair: nothing comes between its halves
  int second_dst = -1;           // of a pair: as dst, value and expect
  int second_value = -1;
  int second_expect = -1;
  int line = 0;
  std::string text;  // as written, for drawings
};

struct Scope {
  int warp = 0;      // or subgroup
  int group = 0;     // CTA or work-group
  int cluster = -1;  // of CTAs; -1: each CTA is one of its own
  int queue = 0;     // kernel or queue family
  int device = 0;
};

struct Thread {
  std::string name;
  std::vector<Instr> code;
  std::vector<std::string> registers;
  std::vector<int64_t> register_init;
  std::vector<Expr> exprs;
  std::vector<std::string> rows;  // assembly: instructions and labels ("L0:") as written, in order
  Scope scope;
};

// An observed thing of the final state.
struct Observed {
  int thread = -1;    // -1: memory
  int index = -1;     // register of the thread, or cell
  std::string shown;  // as the test writes it: 1:EAX, x, [x], x[1]
  int parts = 1;      // memory: how many cells from this one on make up the value
  bool operator==(const Observed& other) const { return thread == other.thread && index == other.index; }
};

struct Prop {
  enum class Kind { kTrue, kFalse, kAnd, kOr, kNot, kCompare };
  Kind kind = Kind::kTrue;
  Op compare = Op::kEq;
  int left = -1;  // proposition; of kCompare: index into observed, -1: left_value
  int right = -1;
  int64_t left_value = 0;
  int64_t right_value = 0;
};

enum class Quantifier { kExists, kNotExists, kForall };

struct Test {
  Arch arch = Arch::kC;
  std::string name;
  std::string file;
  std::vector<Cell> cells;
  std::vector<Thread> threads;
  std::vector<Observed> observed;  // condition first, then `locations`
  std::vector<Prop> props;
  Quantifier quantifier = Quantifier::kExists;
  int condition = -1;  // proposition, -1: none
  int filter = -1;
  std::string condition_text;                    // as written, with one space between words
  std::vector<std::pair<int, int>> system_sync;  // Vulkan: ssw between threads
  bool has_scope_tree = false;

  int FindCell(std::string_view name_) const;
  bool OneSize() const;  // no access is narrower than another; words and doublewords are one size
  bool HasPairs() const;
  int CellAt(int64_t address) const;  // -1: none
};

// How a value is shown: a number, or the name of the cell that it is the address of.
std::string ShowValue(const Test& test, int64_t value);

}  // namespace heddle::litmus
