// Did ptxas keep the accesses of a test? Reads the encoded instructions of a cubin, without a disassembler of NVIDIA's.
//
// Instructions are 16 bytes; their lowest 12 bits are the opcode, and registers stand at fixed places (Volta to
// Blackwell, sm_70 to sm_120). Each access of the test is linked to an add of SpecificationNumber by the register that
// it reads into or writes from, as in section 2.4 of Poetzl's thesis; moves between registers are followed. Checked are
// the order of the accesses of a thread, their kind (load, store, atomic), and that a barrier stands between two
// accesses that the test has a fence between. Scopes, cache operators and addresses are not decoded.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace heddle::litmus {

inline constexpr size_t kMostSpecifiedThreads = 8;
inline constexpr int kMostSpecifiedAccesses = 32;

constexpr int SpecificationNumber(int thread, int position, int kind) {
  return 0x07f3a000 | thread << 9 | position << 4 | kind;
}

// For each thread of the test, for each of its accesses: the kind (0 load, 1 store, 2 atomic), and how many fences the
// test has before it.
struct CubinThread {
  std::vector<int> kinds;
  std::vector<int> fences;
};

// kLimit: ptxas changed a thread; kUnsupported: the file cannot be read, or an access is not found.
Status CheckCubin(const std::string& cubin, const std::vector<CubinThread>& threads);

}  // namespace heddle::litmus
