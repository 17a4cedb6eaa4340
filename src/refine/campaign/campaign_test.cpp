// The generator, the reducer, messages and the database, without a compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "refine/campaign/database.h"
#include "refine/campaign/message.h"
#include "refine/campaign/reduce.h"
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
  EXPECT_FALSE(Database::Open(path, {}).ok());
}

}  // namespace
}  // namespace heddle::refine
