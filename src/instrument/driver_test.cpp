#include "instrument/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "instrument/arguments.h"

namespace heddle::instrument {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

DriverConfig Clang() { return {"clang-19", Compiler::kClang19, false, "/lib/heddle", "/lib/heddle/pass.so", "/tmp/x"}; }
DriverConfig Gcc() { return {"gcc", Compiler::kGcc, false, "/lib/heddle", "", "/tmp/x"}; }

Arguments Only(const DriverConfig& config, const Arguments& arguments) {
  auto plan = PlanCompile(config, arguments);
  EXPECT_TRUE(plan.ok());
  EXPECT_EQ(plan->commands.size(), 1u);
  return plan->commands[0];
}

TEST(Driver, CompilingInstrumentsAndDoesNotLink) {
  for (const char* stop : {"-c", "-S", "-E", "-M", "-fsyntax-only"}) {
    Arguments command = Only(Clang(), {stop, "a.c"});
    EXPECT_THAT(command, Contains("-fsanitize=thread")) << stop;
    EXPECT_THAT(command, Contains("-fpass-plugin=/lib/heddle/pass.so")) << stop;
    EXPECT_THAT(command, Not(Contains("-lheddle_rt"))) << stop;
  }
}

TEST(Driver, LinkingObjectsAddsOnlyTheRuntime) {
  Arguments command = Only(Clang(), {"a.o", "-o", "a"});
  EXPECT_THAT(command, Contains("-lheddle_rt"));
  EXPECT_THAT(command, Not(Contains("-fsanitize=thread")));
  EXPECT_THAT(Only(Clang(), {"-shared", "a.o", "-o", "liba.so"}), Contains("-lheddle_rt"));
  EXPECT_THAT(Only(Clang(), {"-r", "a.o", "b.o", "-o", "c.o"}), Not(Contains("-lheddle_rt")));
}

TEST(Driver, DebugInfoOnlyIfNotAskedFor) {
  EXPECT_THAT(Only(Clang(), {"-c", "a.c"}), Contains("-g"));
  EXPECT_THAT(Only(Clang(), {"-c", "a.c", "-g0"}), Not(Contains("-g")));
  EXPECT_THAT(Only(Clang(), {"-c", "a.c", "-ggdb3"}), Not(Contains("-g")));
}

TEST(Driver, QuestionsArePassedOn) {
  EXPECT_THAT(Only(Clang(), {"--version"}), ElementsAre("clang-19", "--version"));
  EXPECT_THAT(Only(Gcc(), {"-print-file-name=libc.so"}), ElementsAre("gcc", "-print-file-name=libc.so"));
}

TEST(Driver, ValuesOfOptionsAreNotInputs) {
  CommandLine line = ParseCommandLine({"-o", "out.c", "-I", "dir.c", "-MF", "x.c", "real.cpp", "-include", "pre.c"});
  EXPECT_EQ(line.inputs.size(), 1u);
  EXPECT_EQ(line.sources.size(), 1u);
  EXPECT_EQ(line.output, "out.c");
}

TEST(Driver, LanguageMakesASourceOfAnything) {
  EXPECT_EQ(ParseCommandLine({"-x", "c++", "-"}).sources.size(), 1u);
  EXPECT_EQ(ParseCommandLine({"-xc", "file"}).sources.size(), 1u);
  EXPECT_EQ(ParseCommandLine({"-xc", "file", "-x", "none", "a.o"}).sources.size(), 1u);
}

TEST(Driver, GccIsSplit) {
  auto plan = PlanCompile(Gcc(), {"-O2", "a.c", "b.o", "c.c", "-lm", "-o", "prog", "-MD"});
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->commands.size(), 3u);
  EXPECT_THAT(plan->commands[0], Contains("a.c"));
  EXPECT_THAT(plan->commands[0], Contains("prog-a.d"));
  EXPECT_THAT(plan->commands[0], Not(Contains("c.c")));
  EXPECT_THAT(plan->commands[0], Not(Contains("prog")));
  EXPECT_THAT(plan->commands[0], Not(Contains("-lm")));
  EXPECT_THAT(plan->commands[1], Contains("c.c"));
  EXPECT_THAT(plan->commands[2], ElementsAre("gcc", "-Wl,--push-state,--no-as-needed", "-L/lib/heddle", "-lheddle_rt",
                                             "-Wl,--pop-state", "-Wl,-rpath,/lib/heddle", "-O2", "/tmp/x/1-a.o", "b.o",
                                             "/tmp/x/3-c.o", "-lm", "-o", "prog", "-MD"));
}

TEST(Driver, ObjectsOfABitcodeBuildAreInstrumentedAndCarryBitcode) {
  DriverConfig config = Clang();
  config.bitcode = true;
  config.temporary_dir = "/tmp/x";
  auto compile = PlanCompile(config, {"-c", "-O2", "a.c", "-MD", "-MF", "a.d", "-o", "a.o"});
  ASSERT_TRUE(compile.ok());
  ASSERT_EQ(compile->commands.size(), 2u);
  EXPECT_THAT(compile->commands[0], Contains("-flto=full"));
  EXPECT_THAT(compile->commands[0], Contains("-fwhole-program-vtables"));
  EXPECT_THAT(compile->commands[0], Not(Contains("-fsanitize=thread")));
  EXPECT_THAT(compile->commands[0], Not(Contains("-MD")));
  EXPECT_THAT(compile->commands[0], Not(Contains("a.o")));
  EXPECT_THAT(compile->commands[1], Contains("-fsanitize=thread"));
  EXPECT_THAT(compile->commands[1], Contains("-MD"));
  EXPECT_THAT(compile->carried, ElementsAre("", "/tmp/x/2-a.bc"));
  EXPECT_THAT(compile->temporaries, ElementsAre("/tmp/x/2-a.bc"));
  EXPECT_EQ(compile->bitcode_path, "");
}

TEST(Driver, ALinkOfABitcodeBuildLeavesTheWholeProgram) {
  DriverConfig config = Clang();
  config.bitcode = true;
  config.temporary_dir = "/tmp/x";
  auto link = PlanCompile(config, {"a.o", "-o", "prog"});
  ASSERT_TRUE(link.ok());
  ASSERT_EQ(link->commands.size(), 1u);
  EXPECT_EQ(link->linked, "prog");
  EXPECT_EQ(link->bitcode_path, "prog.bc");
  EXPECT_THAT(link->commands[0], Contains("-lheddle_rt"));
  auto both = PlanCompile(config, {"a.c", "b.s", "-lm"});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->commands.size(), 4u);  // bitcode and object of a.c, object of b.s, the link
  EXPECT_THAT(both->carried, ElementsAre("", "/tmp/x/0-a.bc", "", ""));
  EXPECT_EQ(both->bitcode_path, "a.out.bc");
}

TEST(Driver, NoBitcodeOfWhatMakesNoObject) {
  DriverConfig config = Clang();
  config.bitcode = true;
  for (const Arguments& arguments : {Arguments{"-E", "a.c"}, Arguments{"-S", "a.c"}, Arguments{"-x", "c", "-c", "-"},
                                     Arguments{"-c", "-Xclang", "-emit-pch", "a.h", "-o", "a.pch"}}) {
    auto plan = PlanCompile(config, arguments);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->commands.size(), 1u) << arguments[0];
  }
  auto uses = PlanCompile(config, {"-c", "a.c", "-Xclang", "-include-pch", "-Xclang", "a.pch"});
  ASSERT_TRUE(uses.ok());
  EXPECT_THAT(uses->commands[0], Not(Contains("a.pch")));
  EXPECT_THAT(uses->commands[1], Contains("a.pch"));
  config = Gcc();
  config.bitcode = true;
  EXPECT_FALSE(PlanCompile(config, {"-c", "a.c"}).ok());
}

TEST(Driver, SanitizersOfTheBuild) {
  EXPECT_THAT(Only(Clang(), {"a.o", "-fsanitize=thread", "-o", "prog"}), Not(Contains("-fsanitize=thread")));
  auto undefined = PlanCompile(Clang(), {"-fsanitize=thread,undefined", "a.c", "-o", "prog"});
  ASSERT_TRUE(undefined.ok());
  ASSERT_EQ(undefined->commands.size(), 2u);
  EXPECT_THAT(undefined->commands[0], Contains("-fsanitize=thread"));
  EXPECT_THAT(undefined->commands[0], Contains("-fsanitize=undefined"));
  EXPECT_THAT(undefined->commands[1], Contains("-fsanitize=undefined"));
  EXPECT_THAT(undefined->commands[1], Not(Contains("-fno-sanitize-link-runtime")));
  for (const char* other : {"-fsanitize=address", "-fsanitize=undefined,memory"}) {
    auto refused = PlanCompile(Clang(), {other, "-c", "a.c"});
    ASSERT_FALSE(refused.ok()) << other;
    EXPECT_THAT(refused.error().message, testing::HasSubstr("build without it"));
  }
}

TEST(Driver, StaticIsRefusedWithAReason) {
  auto plan = PlanCompile(Clang(), {"-static", "a.c"});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, testing::HasSubstr("-static"));
  EXPECT_TRUE(PlanCompile(Clang(), {"-static-libstdc++", "a.cpp"}).ok());
  EXPECT_TRUE(PlanCompile(Clang(), {"-static", "-c", "a.c"}).ok());
}

TEST(Driver, ResponseFilesAreUnderstood) {
  std::string path = testing::TempDir() + "/heddle_driver_" + std::to_string(getpid()) + ".rsp";
  ASSERT_TRUE(WriteFileAtomic(path, "-c 'a b.c' \"-DX=\\\"y\\\"\"\n-o a\\ b.o").ok());
  auto expanded = ExpandResponseFiles({"-O1", "@" + path});
  ASSERT_TRUE(expanded.ok());
  EXPECT_THAT(*expanded, ElementsAre("-O1", "-c", "a b.c", "-DX=\"y\"", "-o", "a b.o"));
  EXPECT_THAT(Only(Clang(), {"@" + path}), Not(Contains("-lheddle_rt")));
  unlink(path.c_str());
}

}  // namespace
}  // namespace heddle::instrument
