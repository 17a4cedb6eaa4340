// Compiles small programs with both compilers and reads their symbols back. Addresses come from nm, an independent
// reader of the same file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "base/file.h"
#include "symbolize/line_addresses.h"
#include "symbolize/source_lines.h"
#include "symbolize/symbolizer.h"

namespace heddle::symbolize {
namespace {

constexpr uint64_t kBase = 0x7f0000000000;

constexpr char kCpp[] = R"(namespace shop {
struct Item { int price; int count; };
Item stock[4];
inline __attribute__((always_inline)) void Put(int i, int v) {
  stock[i].price = v;
}
__attribute__((noinline)) void Fill(int v) {
  for (int i = 0; i < 4; ++i)
    Put(i, v);
}
}
int main(int argc, char**) {
  shop::Fill(argc);
  return shop::stock[3].price - argc;
}
)";

constexpr char kC[] = R"(int total = 7;
__attribute__((noinline)) int count(int by) {
  static int calls = 1;
  calls += by;
  return calls;
}
int main(int argc, char** argv) {
  (void)argv;
  total += count(argc);
  return total == 0;
}
)";

constexpr char kMembers[] = R"(#include <atomic>
struct Base { long id; };
struct Point { int x; int y; };
typedef struct Point Spot;
struct Shape : Base { Spot at[2][3]; union { int u; float f; }; const volatile char tag[8] = {}; std::atomic<int> uses; };
Shape shape;
static int plain;
struct Holder { static Point origin; };
Point Holder::origin;
int main() { plain = 1; shape.at[1][2].y = plain; Holder::origin.y = 1; return 0; }
)";

struct Symbol {
  uint64_t address = 0;
  uint64_t size = 0;
};

class SymbolizeTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fmt::format("{}/heddle_symbolize_{}", testing::TempDir(), getpid());
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string Path(const std::string& name) const { return dir_ + "/" + name; }

  void Shell(const std::string& command) {
    ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT: fixed commands of this test
  }

  // Writes and compiles a program; returns its path.
  std::string Build(const std::string& compiler, const std::string& name, const char* text, const char* flags) {
    EXPECT_TRUE(WriteFileAtomic(Path(name), text).ok());
    std::string program = Path(name + "." + compiler);
    Shell(fmt::format("{} {} -o {} {}", compiler, flags, program, Path(name)));
    return program;
  }

  // What nm says, by the name without parameters.
  static std::map<std::string, Symbol> Symbols(const std::string& program) {
    std::map<std::string, Symbol> symbols;
    std::FILE* pipe = popen(fmt::format("nm -SC {}", program).c_str(), "r");  // NOLINT: fixed command
    char line[512];
    while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) {
      std::istringstream words(line);
      Symbol symbol;
      std::string type;
      std::string name;
      if (words >> std::hex >> symbol.address >> symbol.size >> type >> name)
        symbols[name.substr(0, name.find('('))] = symbol;
    }
    if (pipe != nullptr) pclose(pipe);
    return symbols;
  }

  static Module Loaded(const std::string& program) {
    return Module{program, kBase, BuildIdOfFile(program), {{kBase, kBase + 0x100000}}};
  }

  std::string dir_;
};

class EachCompiler : public SymbolizeTest, public testing::WithParamInterface<const char*> {};

TEST_P(EachCompiler, FindsInlinedFrames) {
  std::string compiler = std::string(GetParam()) == "gcc" ? "g++" : "clang++-19";
  std::string program = Build(compiler, "shop.cpp", kCpp, "-g -O1");
  Symbol fill = Symbols(program)["shop::Fill"];
  ASSERT_GT(fill.size, 0u);
  Symbolizer symbolizer({Loaded(program)});
  bool inlined = false;
  for (uint64_t at = fill.address; at < fill.address + fill.size; ++at) {
    const Stack& stack = symbolizer.Frames(kBase + at);
    EXPECT_EQ(stack.back().function, "shop::Fill(int)");
    EXPECT_EQ(stack.back().module_offset, at);
    // The compiler may give single instructions of the inlined body the line of the loop; the store has its own.
    if (stack.size() < 2 || stack[0].line != 5) continue;
    inlined = true;
    EXPECT_EQ(stack[0].function, "shop::Put(int, int)");
    EXPECT_EQ(stack[0].function_line, 4u);
    EXPECT_TRUE(stack[0].inlined);
    EXPECT_FALSE(stack[1].inlined);
    EXPECT_EQ(stack[1].line, 9u);
    EXPECT_GT(stack[0].column, 0u);
    EXPECT_EQ(stack[0].file, Path("shop.cpp"));
  }
  EXPECT_TRUE(inlined);
  EXPECT_THAT(symbolizer.Problems(), testing::IsEmpty());
}

// The Symbolizer answers the other way round: an address is in the code of a line exactly when one of its frames is
// there.
TEST_P(EachCompiler, LinesAndAddressesAgree) {
  std::string compiler = std::string(GetParam()) == "gcc" ? "g++" : "clang++-19";
  std::string program = Build(compiler, "shop.cpp", kCpp, "-g -O1");
  Symbol fill = Symbols(program)["shop::Fill"];
  ASSERT_GT(fill.size, 0u);
  std::vector<SourceLine> lines;
  for (uint32_t line = 1; line <= 16; ++line) lines.push_back({"shop.cpp", line});
  auto code = LineAddresses({Loaded(program)}, lines);
  ASSERT_EQ(code.size(), lines.size());
  Symbolizer symbolizer({Loaded(program)});
  for (uint64_t at = kBase + fill.address; at < kBase + fill.address + fill.size; ++at) {
    for (size_t i = 0; i < lines.size(); ++i) {
      const Stack& stack = symbolizer.Frames(at);
      bool expected = std::any_of(stack.begin(), stack.end(), [&](const Frame& f) { return f.line == lines[i].line; });
      bool found = std::any_of(code[i].begin(), code[i].end(),
                               [&](const Module::Range& range) { return at >= range.begin && at < range.end; });
      EXPECT_EQ(found, expected) << "line " << lines[i].line << " address " << at - kBase;
    }
  }
  EXPECT_FALSE(code[4].empty());  // inlined
  EXPECT_FALSE(code[8].empty());  // where it was inlined
  auto none = LineAddresses({Loaded(program)}, {{"other.cpp", 5}, {"op.cpp", 5}, {"shop.cpp", 3}});
  for (const auto& ranges : none) EXPECT_TRUE(ranges.empty());
}

TEST(SamePath, OneIsTheEndOfTheOther) {
  EXPECT_TRUE(SamePath("/home/me/src/a.c", "src/a.c"));
  EXPECT_TRUE(SamePath("a.c", "/home/me/src/a.c"));
  EXPECT_TRUE(SamePath("/home/me/src/a.c", "/home/me/build/../src/a.c"));
  EXPECT_FALSE(SamePath("/home/me/src/a.c", "c/a.c"));
  EXPECT_FALSE(SamePath("/home/me/src/a.c", "/home/you/src/a.c"));
  EXPECT_FALSE(SamePath("/home/me/src/a.c", ""));
}

TEST_P(EachCompiler, FindsGlobals) {
  std::string program = Build(std::string(GetParam()) == "gcc" ? "g++" : "clang++-19", "shop.cpp", kCpp, "-g -O1");
  Symbol stock = Symbols(program)["shop::stock"];
  Symbolizer symbolizer({Loaded(program)});
  auto variable = symbolizer.Global(kBase + stock.address + 12);
  ASSERT_TRUE(variable);
  EXPECT_EQ(variable->name, "shop::stock");
  EXPECT_EQ(variable->offset, 12u);
  EXPECT_EQ(variable->size, 32u);
  EXPECT_FALSE(symbolizer.Global(kBase + stock.address + 32 + 4096 * 16));
}

TEST_P(EachCompiler, NamesTheMember) {
  std::string program =
      Build(std::string(GetParam()) == "gcc" ? "g++" : "clang++-19", "members.cpp", kMembers, "-g -O0");
  auto symbols = Symbols(program);
  uint64_t shape = kBase + symbols["shape"].address;
  Symbolizer symbolizer({Loaded(program)});
  EXPECT_EQ(symbolizer.Global(shape, 8)->member, ".id");
  EXPECT_EQ(symbolizer.Global(shape + 8, 4)->member, ".at[0][0].x");
  EXPECT_EQ(symbolizer.Global(shape + 8 + 5 * 8 + 4, 4)->member, ".at[1][2].y");
  EXPECT_EQ(symbolizer.Global(shape + 8 + 2 * 8, 8)->member, ".at[0][2]") << "both coordinates at once";
  EXPECT_EQ(symbolizer.Global(shape + 8, 16)->member, ".at") << "two elements at once";
  EXPECT_EQ(symbolizer.Global(shape + 56, 4)->member, "") << "one of a union's members";
  EXPECT_EQ(symbolizer.Global(shape + 63, 1)->member, ".tag[3]");
  EXPECT_THAT(symbolizer.Global(shape + 68, 4)->member, testing::StartsWith(".uses"));
  EXPECT_EQ(symbolizer.Global(shape + 4, 8)->member, "") << "across two members";
  EXPECT_EQ(symbolizer.Global(kBase + symbols["plain"].address, 4)->member, "");
  EXPECT_EQ(symbolizer.Global(kBase + symbols["Holder::origin"].address + 4, 4)->member, ".y");
}

TEST_P(EachCompiler, FindsLinesAndStaticsInC) {
  std::string program = Build(GetParam(), "count.c", kC, "-g -O0");
  auto symbols = Symbols(program);
  Symbolizer symbolizer({Loaded(program)});
  EXPECT_EQ(symbolizer.Frames(kBase + symbols["count"].address)[0].line, 2u);
  EXPECT_EQ(symbolizer.Frames(kBase + symbols["main"].address)[0].function, "main");
  auto total = symbolizer.Global(kBase + symbols["total"].address);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->name, "total");
  EXPECT_EQ(total->size, 4u);
  EXPECT_FALSE(symbolizer.Global(kBase + symbols["main"].address)) << "a function is no variable";
  auto is_calls = [](const auto& entry) { return entry.first.find("calls") != std::string::npos; };
  auto calls = std::find_if(symbols.begin(), symbols.end(), is_calls);
  ASSERT_NE(calls, symbols.end());
  EXPECT_THAT(symbolizer.Global(kBase + calls->second.address)->name, testing::EndsWith("calls"));
}

// The address behind a call belongs to the next line; a return address is looked up within the call.
TEST_P(EachCompiler, ReturnAddressesBelongToTheCall) {
  std::string program = Build(GetParam(), "count.c", kC, "-g -O0");
  Symbol main = Symbols(program)["main"];
  Symbolizer symbolizer({Loaded(program)});
  bool differs = false;
  for (uint64_t at = main.address + 1; at < main.address + main.size; ++at) {
    EXPECT_EQ(symbolizer.Frames(kBase + at, AddressKind::kReturn), symbolizer.Frames(kBase + at - 1));
    differs = differs || symbolizer.Frames(kBase + at)[0].line != symbolizer.Frames(kBase + at - 1)[0].line;
  }
  EXPECT_TRUE(differs);
}

TEST_P(EachCompiler, WithoutDebugInfoTheSymbolTableNamesTheFunction) {
  std::string program = Build(GetParam(), "count.c", kC, "-O0");
  auto symbols = Symbols(program);
  Symbolizer symbolizer({Loaded(program)});
  const Stack& stack = symbolizer.Frames(kBase + symbols["count"].address + 2);
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_EQ(stack[0].function, "count");
  EXPECT_EQ(stack[0].file, "");
  EXPECT_EQ(stack[0].line, 0u);
  EXPECT_EQ(symbolizer.Global(kBase + symbols["total"].address + 1)->offset, 1u);
}

TEST_P(EachCompiler, StrippedGivesModuleAndOffset) {
  std::string program = Build(GetParam(), "count.c", kC, "-g -O0");
  uint64_t count = Symbols(program)["count"].address;
  Shell("strip " + program);
  Symbolizer symbolizer({Loaded(program)});
  const Stack& stack = symbolizer.Frames(kBase + count);
  ASSERT_EQ(stack.size(), 1u);
  EXPECT_EQ(stack[0].function, "");
  EXPECT_EQ(stack[0].file, "");
  EXPECT_EQ(stack[0].module, program);
  EXPECT_EQ(stack[0].module_offset, count);
  EXPECT_THAT(symbolizer.Problems(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, EachCompiler, testing::Values("gcc", "clang-19"),
                         [](const auto& chosen) { return std::string(chosen.param) == "gcc" ? "Gcc" : "Clang"; });

TEST_F(SymbolizeTest, CacheAgreesWithAFreshSymbolizer) {
  std::string program = Build("clang++-19", "shop.cpp", kCpp, "-g -O2");
  Symbol main = Symbols(program)["main"];
  Symbolizer cached({Loaded(program)});
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    uint64_t address = kBase + main.address + random() % (main.size + 64);
    auto kind = random() % 2 == 0 ? AddressKind::kExact : AddressKind::kReturn;
    Symbolizer fresh({Loaded(program)});
    EXPECT_EQ(cached.Frames(address, kind), fresh.Frames(address, kind));
  }
}

TEST_F(SymbolizeTest, MissingAndForeignFilesAreNoErrors) {
  ASSERT_TRUE(WriteFileAtomic(Path("text"), "not a program").ok());
  Symbolizer symbolizer(
      {{Path("gone"), 0x1000, "", {{0x1000, 0x2000}}}, {Path("text"), 0x3000, "", {{0x3000, 0x4000}}}});
  EXPECT_EQ(symbolizer.Frames(0x1234)[0].module_offset, 0x234u);
  EXPECT_EQ(symbolizer.Frames(0x3010)[0].module, Path("text"));
  EXPECT_FALSE(symbolizer.Global(0x1234));
  EXPECT_EQ(symbolizer.Frames(0x9999), Stack{Frame{}});
  EXPECT_EQ(symbolizer.FindModule(0x2000), nullptr);
  ASSERT_EQ(symbolizer.Problems().size(), 2u);
  EXPECT_THAT(symbolizer.Problems()[0], testing::StartsWith(Path("gone") + ": "));
}

TEST_F(SymbolizeTest, RebuiltProgramIsNotTrusted) {
  std::string program = Build("clang-19", "count.c", kC, "-g -O0 -Wl,--build-id");
  uint64_t count = Symbols(program)["count"].address;
  Module module = Loaded(program);
  ASSERT_FALSE(module.build_id.empty());
  Build("clang-19", "count.c", (std::string("\n\n") + kC).c_str(), "-g -O0 -Wl,--build-id");
  Symbolizer symbolizer({module});
  EXPECT_EQ(symbolizer.Frames(kBase + count)[0].line, 0u);
  EXPECT_THAT(symbolizer.Problems(), testing::ElementsAre(testing::HasSubstr("rebuilt since it ran")));
}

TEST_F(SymbolizeTest, ALaterModuleTakesThePlace) {
  Symbolizer symbolizer({{"/old.so", 0x1000, "", {{0x1000, 0x2000}}}});
  EXPECT_EQ(symbolizer.Frames(0x1800)[0].module, "/old.so");
  symbolizer.AddModule({"/new.so", 0x1400, "", {{0x1400, 0x1900}}});
  EXPECT_EQ(symbolizer.Frames(0x1800)[0].module, "/new.so");
  EXPECT_EQ(symbolizer.Frames(0x1801, AddressKind::kReturn)[0].module_offset, 0x400u);
  EXPECT_EQ(symbolizer.Frames(0x1100)[0].module, "/old.so");
}

TEST_F(SymbolizeTest, ReadsSourceLines) {
  ASSERT_TRUE(WriteFileAtomic(Path("a.c"), "one\n\t two \n").ok());
  SourceLines lines;
  EXPECT_EQ(lines.Line(Path("a.c"), 2), "two");
  EXPECT_EQ(lines.Line(Path("a.c"), 9), "");
  EXPECT_EQ(lines.Line(Path("gone.c"), 1), "");
}

}  // namespace
}  // namespace heddle::symbolize
