// A table of the registers in the order of the description that gdb is given: name, type, bytes, and where the value
// is in what ptrace hands out. Description, packet and back are read off the table, so that they cannot differ.
#include "analysis/debug/registers.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace heddle::analysis {
namespace {

enum class From { kGeneral, kFloating, kNowhere };

struct Row {
  std::string name;
  const char* type;
  size_t bytes;
  From from;
  size_t at;
  size_t held;  // bytes in ptrace's structure; the rest is zero
};

struct Feature {
  const char* name;
  std::vector<Row> rows;
};

constexpr size_t kStackRegister = 16;  // the distance of st0, st1, ... and of xmm0, xmm1, ...

std::vector<Feature> MakeFeatures() {
  using R = user_regs_struct;
  using F = user_fpregs_struct;
  auto wide = [](const char* name, size_t at, const char* type = "int64") {
    return Row{name, type, 8, From::kGeneral, at, 8};
  };
  auto narrow = [](const char* name, size_t at, const char* type = "int32") {
    return Row{name, type, 4, From::kGeneral, at, 4};
  };
  auto control = [](const char* name, size_t at, size_t held) {
    return Row{name, "int32", 4, held == 0 ? From::kNowhere : From::kFloating, at, held};
  };
  Feature core{"org.gnu.gdb.i386.core",
               {wide("rax", offsetof(R, rax)),
                wide("rbx", offsetof(R, rbx)),
                wide("rcx", offsetof(R, rcx)),
                wide("rdx", offsetof(R, rdx)),
                wide("rsi", offsetof(R, rsi)),
                wide("rdi", offsetof(R, rdi)),
                wide("rbp", offsetof(R, rbp), "data_ptr"),
                wide("rsp", offsetof(R, rsp), "data_ptr"),
                wide("r8", offsetof(R, r8)),
                wide("r9", offsetof(R, r9)),
                wide("r10", offsetof(R, r10)),
                wide("r11", offsetof(R, r11)),
                wide("r12", offsetof(R, r12)),
                wide("r13", offsetof(R, r13)),
                wide("r14", offsetof(R, r14)),
                wide("r15", offsetof(R, r15)),
                wide("rip", offsetof(R, rip), "code_ptr"),
                narrow("eflags", offsetof(R, eflags)),
                narrow("cs", offsetof(R, cs)),
                narrow("ss", offsetof(R, ss)),
                narrow("ds", offsetof(R, ds)),
                narrow("es", offsetof(R, es)),
                narrow("fs", offsetof(R, fs)),
                narrow("gs", offsetof(R, gs))}};
  for (size_t i = 0; i < 8; ++i) {
    core.rows.push_back(
        {fmt::format("st{}", i), "i387_ext", 10, From::kFloating, offsetof(F, st_space) + i * kStackRegister, 10});
  }
  core.rows.push_back(control("fctrl", offsetof(F, cwd), 2));
  core.rows.push_back(control("fstat", offsetof(F, swd), 2));
  core.rows.push_back(control("ftag", offsetof(F, ftw), 2));
  core.rows.push_back(control("fiseg", 0, 0));
  core.rows.push_back(control("fioff", offsetof(F, rip), 4));
  core.rows.push_back(control("foseg", 0, 0));
  core.rows.push_back(control("fooff", offsetof(F, rdp), 4));
  core.rows.push_back(control("fop", offsetof(F, fop), 2));
  Feature sse{"org.gnu.gdb.i386.sse", {}};
  for (size_t i = 0; i < 16; ++i) {
    sse.rows.push_back(
        {fmt::format("xmm{}", i), "vec128", 16, From::kFloating, offsetof(F, xmm_space) + i * kStackRegister, 16});
  }
  sse.rows.push_back(control("mxcsr", offsetof(F, mxcsr), 4));
  Feature linux_part{"org.gnu.gdb.i386.linux", {wide("orig_rax", offsetof(R, orig_rax))}};
  Feature segments{"org.gnu.gdb.i386.segments",
                   {wide("fs_base", offsetof(R, fs_base)), wide("gs_base", offsetof(R, gs_base))}};
  return {core, sse, linux_part, segments};
}

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = MakeFeatures();
  return features;
}

template <typename Visit>
void ForEachRow(Visit visit) {
  for (const Feature& feature : Features()) {
    for (const Row& row : feature.rows) visit(row);
  }
}

char* PlaceOf(const Row& row, Registers& registers) {
  if (row.from == From::kNowhere) return nullptr;
  char* base = row.from == From::kGeneral ? reinterpret_cast<char*>(&registers.general)
                                          : reinterpret_cast<char*>(&registers.floating);
  return base + row.at;
}

}  // namespace

std::string TargetDescription() {
  std::string text =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
      "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>";
  for (const Feature& feature : Features()) {
    text += fmt::format("<feature name=\"{}\">", feature.name);
    if (std::strcmp(feature.name, "org.gnu.gdb.i386.sse") == 0) {
      text +=
          "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
          "<vector id=\"v2i64\" type=\"int64\" count=\"2\"/><union id=\"vec128\"><field name=\"v4_float\" "
          "type=\"v4f\"/>"
          "<field name=\"v2_double\" type=\"v2d\"/><field name=\"v2_int64\" type=\"v2i64\"/>"
          "<field name=\"uint128\" type=\"uint128\"/></union>";
    }
    for (const Row& row : feature.rows) {
      text += fmt::format("<reg name=\"{}\" bitsize=\"{}\" type=\"{}\"/>", row.name, row.bytes * 8, row.type);
    }
    text += "</feature>";
  }
  return text + "</target>";
}

std::string RegisterBytes(const Registers& registers) {
  Registers copy = registers;
  std::string bytes;
  ForEachRow([&](const Row& row) {
    std::string value(row.bytes, '\0');
    if (const char* at = PlaceOf(row, copy)) std::memcpy(value.data(), at, row.held);
    bytes += value;
  });
  return bytes;
}

bool SetRegisterBytes(std::string_view bytes, Registers& registers) {
  if (bytes.size() != RegisterBytes(registers).size()) return false;
  size_t at = 0;
  ForEachRow([&](const Row& row) {
    if (char* place = PlaceOf(row, registers)) std::memcpy(place, bytes.data() + at, row.held);
    at += row.bytes;
  });
  return true;
}

bool RegisterSpan(unsigned number, size_t& offset, size_t& bytes) {
  unsigned at = 0;
  size_t sum = 0;
  bool found = false;
  ForEachRow([&](const Row& row) {
    if (at++ == number) {
      found = true;
      offset = sum;
      bytes = row.bytes;
    }
    sum += row.bytes;
  });
  return found;
}

}  // namespace heddle::analysis
