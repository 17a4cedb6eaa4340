#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/coverage/affected.h"
#include "analysis/coverage/changes.h"
#include "analysis/coverage/coverage_map.h"

namespace heddle::analysis {
namespace {

using testing::HasSubstr;

// cache.c with a body in lines 10 to 20, log.c with one in 5 to 9; cache.h with an inline function in 3 to 4.
symbolize::ModuleCode Library() {
  symbolize::ModuleCode code;
  code.units = {"/p/cache.c", "/p/log.c", "/p/table.c"};
  code.files = {"/p/cache.c", "/p/log.c", "/p/cache.h", "/p/table.c"};
  code.functions.push_back({{0x10}, "/p/cache.c", 10, 20, {"/p/cache.c", "/p/cache.h"}});
  code.functions.push_back({{0x20}, "/p/log.c", 5, 9, {"/p/log.c"}});
  code.functions.push_back({{0x30}, "/p/cache.h", 3, 4, {"/p/cache.h"}});
  return code;
}

// `cached` executes the cache, `logged` the log; both link both.
CoverageMap Map() {
  CoverageMap map;
  map["cached"] = {"abc", "", true, {"/p/cache.c", "/p/cache.h"}, {"/p/test"}};
  map["logged"] = {"abc", "", true, {"/p/log.c"}, {"/p/test"}};
  return map;
}

std::string Touched(const std::vector<ChangedFile>& changes, CoverageMap map = Map()) {
  symbolize::ModuleCode code = Library();
  AffectedTests affected(map, [&](const std::string&) { return &code; });
  std::string names;
  for (const char* name : {"cached", "logged"}) {
    if (!affected.Why(name, changes).empty()) names += std::string(names.empty() ? "" : " ") + name;
  }
  return names;
}

TEST(Affected, ABodyTouchesWhoExecutedTheFile) {
  EXPECT_EQ(Touched({}), "");
  EXPECT_EQ(Touched({{"/p/cache.c", {{12, 3}}, false}}), "cached");
  EXPECT_EQ(Touched({{"/p/log.c", {{5, 5}}, false}}), "logged");
  EXPECT_EQ(Touched({{"/p/cache.h", {{3, 1}}, false}}), "cached");
  EXPECT_EQ(Touched({{"/p/cache.c", {{15, 0}}, false}}), "cached");  // lines were taken out of the middle
}

TEST(Affected, OutsideOfBodiesEverybodyWhoLinksIt) {
  EXPECT_EQ(Touched({{"/p/cache.c", {{2, 1}}, false}}), "cached logged");
  EXPECT_EQ(Touched({{"/p/cache.c", {{19, 3}}, false}}), "cached logged");  // reaches beyond the body
  EXPECT_EQ(Touched({{"/p/cache.c", {{20, 0}}, false}}), "cached logged");  // a function behind it was removed
  EXPECT_EQ(Touched({{"/p/table.c", {{1, 1}}, false}}), "cached logged");   // data only
  EXPECT_EQ(Touched({{"/p/cache.c", {{12, 1}}, true}}), "cached logged");
  EXPECT_EQ(Touched({{"/p/cache.c", {}, false}}), "cached logged");  // nothing is known of the lines
}

TEST(Affected, ASourceFileThatATestDoesNotLinkDoesNotTouchIt) {
  CoverageMap map = Map();
  map["logged"].modules = {"/p/other"};
  symbolize::ModuleCode code = Library();
  symbolize::ModuleCode other;
  other.units = other.files = {"/p/log.c"};
  AffectedTests affected(map, [&](const std::string& path) { return path == "/p/test" ? &code : &other; });
  EXPECT_EQ(affected.Why("logged", {{"/p/cache.c", {{2, 1}}, false}}), "");
  EXPECT_NE(affected.Why("logged", {{"/p/cache.h", {{1, 1}}, false}}), "");  // a header may bring a macro to anybody
}

TEST(Affected, UnknownFilesTouchAll) {
  EXPECT_EQ(Touched({{"/p/CMakeLists.txt", {{1, 1}}, false}}), "cached logged");
  EXPECT_EQ(Touched({{"/p/data.json", {}, false}}), "cached logged");
  EXPECT_EQ(Touched({{"/p/README.md", {{1, 1}}, false}}), "");
}

TEST(Affected, HolesAndFindingsAreNeverLeftOut) {
  CoverageMap map = Map();
  map["cached"].missing = "it did not end";
  map["logged"].clean = false;
  EXPECT_EQ(Touched({}, map), "cached logged");
  map.erase("logged");
  EXPECT_EQ(Touched({}, map), "cached logged");
}

TEST(Affected, OnlyTheNamedFiles) {
  CoverageMap map = Map();
  symbolize::ModuleCode code = Library();
  AffectedTests affected(map, [&](const std::string&) { return &code; });
  EXPECT_EQ(affected.WhyOnly("cached", {"/p/cache.c"}), "it executes cache.c");
  EXPECT_EQ(affected.WhyOnly("logged", {"/p/cache.c"}), "");
  EXPECT_FALSE(affected.Knows("/p/nobody.c"));
}

TEST(Changes, LinesOfTheNewText) {
  std::vector<ChangedFile> files = ParseDiff(
      "diff --git src/a.c src/a.c\nindex 1..2 100644\n--- src/a.c\n+++ src/a.c\n@@ -3,2 +4,5 @@ int f()\n-x\n+y\n"
      "@@ -9 +12,0 @@\n-gone\n"
      "diff --git b.h b.h\n--- b.h\n+++ b.h\n@@ -1 +1 @@\n-#define A 1\n+#define A 2\n"
      "diff --git new.c new.c\nnew file mode 100644\n--- /dev/null\n+++ new.c\n@@ -0,0 +1,2 @@\n+int x;\n+-- y\n"
      "diff --git old.c old.c\ndeleted file mode 100644\n--- old.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-int x;\n"
      "diff --git p.png p.png\nBinary files p.png and p.png differ\n",
      "/p");
  ASSERT_EQ(files.size(), 5U);
  EXPECT_EQ(files[0], (ChangedFile{"/p/src/a.c", {{4, 5}, {12, 0}}, false}));
  EXPECT_EQ(files[1], (ChangedFile{"/p/b.h", {{1, 1}}, true}));
  EXPECT_EQ(files[2].path, "/p/new.c");
  EXPECT_TRUE(files[2].outside);
  EXPECT_EQ(files[3].path, "/p/old.c");
  EXPECT_TRUE(files[3].outside);
  EXPECT_TRUE(files[4].outside);
}

// A text in a hunk that looks like a header is a line of the file.
TEST(Changes, LinesThatLookLikeHeaders) {
  std::vector<ChangedFile> files =
      ParseDiff("diff --git a.c a.c\n--- a.c\n+++ a.c\n@@ -1 +1 @@\n--- b.c\n+++ b.c\n", "/p");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "/p/a.c");
}

TEST(CoverageMap, RoundTripAndBadInput) {
  CoverageMap map = Map();
  map["cached"].missing = "cut \"here\"";
  Result<CoverageMap> again = ParseCoverageMap("m", CoverageMapJson(map));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, map);
  for (const char* text :
       {"", "{", "[]", "{\"schema\": \"other\"}", "{\"schema\": \"heddle/coverage/1\", \"tests\": [1]}",
        "{\"schema\": \"heddle/coverage/1\", \"tests\": [{\"name\": 3}]}"}) {
    Result<CoverageMap> bad = ParseCoverageMap("m", text);
    ASSERT_FALSE(bad) << text;
    EXPECT_THAT(bad.error().message, HasSubstr("m: "));
  }
}

}  // namespace
}  // namespace heddle::analysis
