// The generator, the reducer, messages and the database, without a compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "refine/campaign/database.h"
#include "refine/campaign/message.h"
#include "refine/campaign/reduce.h"
#include "refine/gen/csmith.h"
#include "refine/gen/gen.h"
#include "refine/trace/command.h"

namespace heddle::refine {
namespace {

TEST(Gen, IsDeterministic) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(ProgramText({GenerateThread(seed, 0, {})}), ProgramText({GenerateThread(seed, 0, {})}));
  }
  EXPECT_NE(ProgramText({GenerateThread(1, 0, {})}), ProgramText({GenerateThread(2, 0, {})}));
}

TEST(Gen, CsmithProgramsBecomeThreads) {
  const char* program =
      "#include \"csmith.h\"\n\nstatic long __undefined;\n\nstruct S0 {\n   int32_t  f0;\n};\n"
      "static int32_t g_2 = 1L;\nstatic int32_t *g_3 = &g_2;\nstatic struct S0 g_4 = {3L};\n"
      "static int32_t  func_1(void);\nstatic int32_t  func_1(void)\n{ \n    int32_t l_5 = g_2;\n    (*g_3) = l_5;\n"
      "    if (g_2)\n    {\n        return g_4.f0;\n    }\n    return l_5;\n}\n";
  bool synchronised = false;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    GeneratedThread thread = ThreadOfCsmith(program, seed, 7, {});
    int held = 0;
    std::string text;
    for (const std::string& line : thread.lines) {
      held += line.find("mutex_lock(") != std::string::npos ? 1 : 0;
      held -= line.find("mutex_unlock(") != std::string::npos ? 1 : 0;
      synchronised |= line.starts_with("    pthread_mutex_lock");
      text += line + "\n";
    }
    EXPECT_EQ(held, 0) << text;
    for (const char* part : {"\nint32_t t7_g_2 = 1L;\nint32_t *t7_g_3 = &t7_g_2;\nstruct t7_S0 t7_g_4 = {3L};\n",
                             "static int32_t  t7_func_1(void)\n{\n    int32_t l_5 = t7_g_2;\n", "(*t7_g_3) = l_5;",
                             "void thread_7(void) {\n  pthread_mutex_lock(&lock7_0);\n"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << text;
    }
  }
  EXPECT_TRUE(synchronised);
}

TEST(Reduce, KeepsWhatIsNeeded) {
  Lines lines;
  for (int i = 0; i < 100; ++i) lines.push_back("line " + std::to_string(i));
  lines[40] = "if (x) {";
  lines[60] = "}";
  auto has = [](const Lines& all, const std::string& line) {
    return std::find(all.begin(), all.end(), line) != all.end();
  };
  Lines left = ReduceLines(lines, [&](const Lines& now) { return has(now, "line 7") && has(now, "line 93"); }, 10'000);
  EXPECT_EQ(left, (Lines{"line 7", "line 93"}));
}

RangeResult Some(uint64_t first) {
  RangeResult r;
  r.range = {first, 10};
  r.threads = 10;
  r.pairs = 40;
  r.matched = 39;
  r.reasons = {{"not finished", 1}};
  r.failures = {{"k", first, "gcc -O0", "gcc -O3", "write-race", "invented a write to `x`", 1, 1}};
  return r;
}

TEST(Message, RoundTrip) {
  RangeResult r = Some(5);
  std::optional<RangeResult> read = DecodeResult(EncodeResult(r));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(EncodeResult(*read), EncodeResult(r));
  for (const char* wrong : {"", "{", "[]", "{\"first\": \"x\"}", "{\"first\": 1}"}) EXPECT_FALSE(DecodeResult(wrong));
}

TEST(Database, ResumesAndJoinsFailures) {
  Result<ScratchFolder> folder = ScratchFolder::Make();
  ASSERT_TRUE(folder.ok());
  std::string path = folder->path() + "/c.db";
  for (int round = 0; round < 2; ++round) {
    auto database = Database::Open(path, {{"cc", "gcc"}});
    ASSERT_TRUE(database.ok()) << database.error().message;
    ASSERT_TRUE((*database)->Add(Some(20)).ok());  // the second time it is there already
    ASSERT_TRUE((*database)->Add(Some(10)).ok());
    auto totals = (*database)->Totals();
    ASSERT_TRUE(totals.ok());
    EXPECT_EQ(totals->threads, 20U);
    ASSERT_EQ(totals->failures.size(), 1U);
    EXPECT_EQ(totals->failures[0].count, 2U);
    EXPECT_EQ(totals->failures[0].seed, 10U);
    EXPECT_EQ((*database)->Done()->size(), 2U);
  }
  auto other = Database::Open(path, {{"cc", "clang"}});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
}

TEST(Database, RefusesOtherFiles) {
  Result<ScratchFolder> folder = ScratchFolder::Make();
  ASSERT_TRUE(folder.ok());
  std::string path = folder->path() + "/text";
  FILE* file = fopen(path.c_str(), "w");
  fputs("this is not a database, and long enough to be looked at as one: 0123456789012345678901234567890123456789",
        file);
  fclose(file);
  auto opened = Database::Open(path, {});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace heddle::refine
