// The pointer analysis on small programs: type tags, numbers that carry addresses, and the coarse answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "deadlock/locksets/state.h"
#include "deadlock/pointers/points_to.h"

namespace heddle::deadlock {
namespace {

// Tags of a pointer, of a long, and of characters, as clang writes them.
constexpr const char* kTags = R"(
!0 = !{!"root"}
!1 = !{!"omnipotent char", !0, i64 0}
!2 = !{!"any pointer", !1, i64 0}
!3 = !{!"long", !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{!3, !3, i64 0}
!6 = !{!1, !1, i64 0}
)";

class Program {
 public:
  explicit Program(const std::string& text, uint64_t budget = PointsTo::kBudget) : primitives_(false) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(text + kTags, diagnostic, context_);
    EXPECT_NE(module_, nullptr) << diagnostic.getMessage().str() << " line " << diagnostic.getLineNo();
    points_ = std::make_unique<PointsTo>(*module_, primitives_, false, nullptr);
    points_->Solve(budget);
  }

  // The globals that the value of that name may point to, at any offset.
  std::set<std::string> Of(const std::string& name) {
    std::set<std::string> names;
    for (LocId loc : points_->Of(Value(name))) {
      const llvm::Value* site = points_->locations().object_of(loc).site;
      if (site != nullptr) names.insert(site->getName().str());
    }
    return names;
  }
  const llvm::Value* Value(const std::string& name) {
    for (const llvm::Function& function : *module_) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (instruction.getName() == name) return &instruction;
      }
    }
    ADD_FAILURE() << "no value " << name;
    return nullptr;
  }
  PointsTo& points() { return *points_; }
  llvm::Module& module() { return *module_; }

 private:
  llvm::LLVMContext context_;
  Primitives primitives_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<PointsTo> points_;
};

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

constexpr const char* kGlobals =
    "@a = global [64 x i8] zeroinitializer\n@b = global [64 x i8] zeroinitializer\n"
    "@p = global ptr null\n@q = global [4 x i64] zeroinitializer\n";

TEST(AccessTags, ALoadOfAPointerDoesNotSeeWhatWasStoredAsANumber) {
  Program program(std::string(kGlobals) + R"(
define i32 @main() {
  store ptr @a, ptr @q, !tbaa !4
  store i64 ptrtoint (ptr @b to i64), ptr @q, !tbaa !5
  %same = load ptr, ptr @q, !tbaa !4
  %any = load ptr, ptr @q
  %chars = load ptr, ptr @q, !tbaa !6
  ret i32 0
})");
  EXPECT_THAT(program.Of("same"), Contains("a"));
  EXPECT_THAT(program.Of("same"), testing::Not(Contains("b")));
  EXPECT_THAT(program.Of("any"), Contains("a"));
  EXPECT_THAT(program.Of("chars"), Contains("a"));
}

TEST(AccessTags, WithoutTagsEverythingMeets) {
  Program program(std::string(kGlobals) + R"(
define i32 @main() {
  store ptr @a, ptr @q
  %number = load i64, ptr @q
  %back = inttoptr i64 %number to ptr
  ret i32 0
})");
  EXPECT_THAT(program.Of("back"), ElementsAre("a"));
}

// A union: stored as a pointer, read as characters and put together elsewhere by a copy of the memory.
TEST(AccessTags, CopiedMemoryKeepsTheTypeOfTheStore) {
  Program program(std::string(kGlobals) + R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i32 @main() {
  store ptr @a, ptr @p, !tbaa !4
  call void @llvm.memcpy.p0.p0.i64(ptr @q, ptr @p, i64 8, i1 false)
  %copied = load ptr, ptr @q, !tbaa !4
  %wide = load i64, ptr @p, !tbaa !6
  store i64 %wide, ptr getelementptr (i8, ptr @q, i64 16), !tbaa !6
  %moved = load ptr, ptr getelementptr (i8, ptr @q, i64 16), !tbaa !4
  ret i32 0
})");
  EXPECT_THAT(program.Of("copied"), ElementsAre("a"));
  EXPECT_THAT(program.Of("moved"), ElementsAre("a"));
}

TEST(Carriers, AnAddressKeptAsANumberComesBack) {
  Program program(std::string(kGlobals) + R"(
define i64 @same(i64 %n) {
  %m = add i64 %n, 8
  ret i64 %m
}
define i32 @main() {
  store i64 ptrtoint (ptr @a to i64), ptr @q, !tbaa !5
  %number = load i64, ptr @q, !tbaa !5
  %through = call i64 @same(i64 %number)
  %tagged = or i64 %through, 1
  %plain = and i64 %tagged, -2
  %back = inttoptr i64 %plain to ptr
  ret i32 0
})");
  EXPECT_THAT(program.Of("back"), ElementsAre("a"));
}

TEST(Carriers, NumbersThatNeverBecomeAddressesAreNotFollowed) {
  Program program(std::string(kGlobals) + R"(
define i32 @main() {
  %number = ptrtoint ptr @a to i64
  %hash = lshr i64 %number, 3
  ret i32 0
})");
  EXPECT_THAT(program.Of("number"), IsEmpty());
}

// container_of: from a member back to the structure, by a negative offset.
TEST(Locations, TheContainerIsFoundFromItsMember) {
  Program program(std::string(kGlobals) + R"(
define i32 @main() {
  store ptr getelementptr (i8, ptr @a, i64 24), ptr @p, !tbaa !4
  %member = load ptr, ptr @p, !tbaa !4
  %container = getelementptr i8, ptr %member, i64 -24
  ret i32 0
})");
  const LocSet& set = program.points().Of(program.Value("container"));
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(program.points().locations().loc(set[0]).offset, 0);
}

// A function that copies, stores, loads and moves pointers among some variables, at random.
std::string RandomProgram(std::minstd_rand* random, int globals) {
  std::string text;
  for (int i = 0; i < globals; ++i) text += "@g" + std::to_string(i) + " = global [8 x ptr] zeroinitializer\n";
  text += "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndefine i32 @main() {\n";
  std::vector<std::string> values;
  for (int i = 0; i < globals; ++i) values.push_back("@g" + std::to_string(i));
  auto pick = [&] { return values[(*random)() % values.size()]; };
  for (int i = 0; i < 40; ++i) {
    std::string name = "%v" + std::to_string(i);
    std::string tag = (*random)() % 3 == 0 ? "" : ", !tbaa !4";
    switch ((*random)() % 5) {
      case 0:
      case 1:
        text += "  store ptr " + pick() + ", ptr " + pick() + tag + "\n";
        continue;
      case 2:
        text += "  " + name + " = load ptr, ptr " + pick() + tag + "\n";
        break;
      case 3:
        text +=
            "  " + name + " = getelementptr i8, ptr " + pick() + ", i64 " + std::to_string((*random)() % 4 * 8) + "\n";
        break;
      default:
        text += "  call void @llvm.memcpy.p0.p0.i64(ptr " + pick() + ", ptr " + pick() + ", i64 32, i1 false)\n";
        continue;
    }
    values.push_back(name);
  }
  return text + "  ret i32 0\n}\n";
}

// One run of the straight-line program: memory by object and offset. What a value is in it must be in its set.
using Address = std::pair<std::string, int64_t>;
using Memory = std::map<Address, Address>;
using Values = std::map<const llvm::Value*, Address>;

Address Now(const llvm::Value* value, const Values& values) {
  if (llvm::isa<llvm::GlobalVariable>(value)) return {value->getName().str(), 0};
  auto found = values.find(value);
  return found == values.end() ? Address{} : found->second;
}

Values Execute(llvm::Function& main) {
  Memory memory;
  Values values;
  for (const llvm::Instruction& at : llvm::instructions(main)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      Address to = Now(store->getPointerOperand(), values);
      if (to.first.empty()) break;  // through null: the run ends
      memory[to] = Now(store->getValueOperand(), values);
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      Address from = Now(load->getPointerOperand(), values);
      if (from.first.empty()) break;
      values[load] = memory[from];
    } else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&at)) {
      Address base = Now(gep->getPointerOperand(), values);
      int64_t bytes = llvm::cast<llvm::ConstantInt>(gep->getOperand(1))->getSExtValue();
      if (base.first.empty() || base.second + bytes >= 64) break;
      values[gep] = {base.first, base.second + bytes};
    } else if (const auto* copy = llvm::dyn_cast<llvm::CallBase>(&at)) {
      Address to = Now(copy->getArgOperand(0), values), from = Now(copy->getArgOperand(1), values);
      if (to.first.empty() || from.first.empty() || to.second > 32 || from.second > 32) break;
      Memory before = memory;
      for (int64_t i = 0; i < 32; i += 8) memory[{to.first, to.second + i}] = before[{from.first, from.second + i}];
    }
  }
  return values;
}

bool Covers(Program* program, const llvm::Value* value, const Address& address) {
  const Locations& locations = program->points().locations();
  for (LocId id : program->points().Of(value)) {
    const Loc& loc = locations.loc(id);
    if (locations.object_of(id).site->getName() != address.first) continue;
    if (loc.stride == 0 ? loc.offset == address.second
                        : address.second >= loc.offset && (address.second - loc.offset) % loc.stride == 0)
      return true;
  }
  return false;
}

// The sound direction: the sets hold at least what happens. With a budget of nothing as well.
TEST(PointsTo, WhatHappensIsInTheSetsExactOrCoarse) {
  std::minstd_rand random(5);
  size_t checked = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = RandomProgram(&random, 4);
    Program exact(text), coarse(text, 0);
    EXPECT_FALSE(exact.points().stats().gave_up);
    EXPECT_TRUE(coarse.points().stats().gave_up);
    for (Program* program : {&exact, &coarse}) {
      for (const auto& [value, address] : Execute(*program->module().getFunction("main"))) {
        if (address.first.empty()) continue;
        ++checked;
        ASSERT_TRUE(Covers(program, value, address)) << value->getName().str() << " in\n" << text;
      }
    }
  }
  EXPECT_GT(checked, 1000u);
}

// More variables than are told apart: the pointers to them become one, which still covers what happens.
TEST(PointsTo, MergedPointersCoverWhatHappens) {
  std::string text = "@table = global [500 x ptr] zeroinitializer\n";
  std::string body;
  for (int i = 0; i < 500; ++i) {
    text += "@g" + std::to_string(i) + " = global [8 x ptr] zeroinitializer\n";
    body += "  store ptr @g" + std::to_string(i) + ", ptr getelementptr ([500 x ptr], ptr @table, i64 0, i64 " +
            std::to_string(i) + "), !tbaa !4\n";
  }
  Program program(text + "define i32 @main(i32 %n) {\n" + body + R"(
  %wide = zext i32 %n to i64
  %slot = getelementptr ptr, ptr @table, i64 %wide
  %some = load ptr, ptr %slot, !tbaa !4
  %field = getelementptr i8, ptr %some, i64 16
  store ptr @g7, ptr %field, !tbaa !4
  %seen = load ptr, ptr getelementptr (i8, ptr @g3, i64 16), !tbaa !4
  ret i32 0
})");
  EXPECT_EQ(program.Of("some").size(), 500u);
  EXPECT_EQ(program.Of("field").size(), 500u);
  EXPECT_GT(program.points().stats().joined, 0u);
  EXPECT_THAT(program.Of("seen"), Contains("g7"));
}

TEST(PointsTo, CoarseCallsReachEveryFunctionThatFits) {
  const char* text = R"(
@f = global ptr @one
@keep = global ptr @two
define void @one(ptr %x) {
  ret void
}
define void @two(ptr %x, ptr %y) {
  ret void
}
define i32 @main() {
  %to = load ptr, ptr @f
  call void %to(ptr @f)
  ret i32 0
})";
  for (uint64_t budget : {PointsTo::kBudget, uint64_t{0}}) {
    Program program(text, budget);
    const llvm::CallBase* call = nullptr;
    for (const llvm::Instruction& at : llvm::instructions(*program.module().getFunction("main"))) {
      if (const auto* found = llvm::dyn_cast<llvm::CallBase>(&at)) call = found;
    }
    EXPECT_THAT(program.points().Callees(*call), ElementsAre(program.module().getFunction("one"))) << budget;
  }
}

std::set<std::string> CalleesIn(Program& program, const std::string& caller) {
  std::set<std::string> names;
  for (const llvm::Instruction& at : llvm::instructions(*program.module().getFunction(caller))) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
    if (call == nullptr || !call->isIndirectCall()) continue;
    for (const llvm::Function* callee : program.points().Callees(*call)) names.insert(callee->getName().str());
  }
  return names;
}

// Objects of two classes in one variable, with their tables; a table without a list of classes; and functions that are
// stored where a table may be looked for.
constexpr const char* kTwoClasses = R"(
@_ZTV1A = constant [4 x ptr] [ptr null, ptr null, ptr @_ZN1A1fEv, ptr @_ZN1A1gEv], !type !10
@_ZTV1B = constant [4 x ptr] [ptr null, ptr null, ptr @_ZN1B1fEv, ptr @_ZN1B1gEv], !type !11
@_ZTV1C = constant [4 x ptr] [ptr null, ptr null, ptr @_ZN1C1fEv, ptr @_ZN1C1gEv]
@plain = constant [2 x ptr] [ptr @_Z5plainPv, ptr @unknown]
@a = global ptr getelementptr (i8, ptr @_ZTV1A, i64 16)
@b = global ptr getelementptr (i8, ptr @_ZTV1B, i64 16)
@c = global ptr getelementptr (i8, ptr @_ZTV1C, i64 16)
@d = global ptr @plain
define void @_ZN1A1fEv(ptr %this) {
  ret void
}
define void @_ZN1A1gEv(ptr %this) {
  ret void
}
define void @_ZN1B1fEv(ptr %this) {
  ret void
}
define void @_ZN1B1gEv(ptr %this) {
  ret void
}
define void @_ZN1C1fEv(ptr %this) {
  ret void
}
define void @_ZN1C1gEv(ptr %this) {
  ret void
}
define void @_Z5plainPv(ptr %this) !dbg !20 {
  ret void
}
define void @unknown(ptr %this) {
  ret void
}
declare i1 @llvm.type.test(ptr, metadata)
declare void @llvm.assume(i1)
define ptr @any(i32 %which) {
  switch i32 %which, label %is_a [ i32 1, label %is_b
    i32 2, label %is_c
    i32 3, label %is_d ]
is_a:
  ret ptr @a
is_b:
  ret ptr @b
is_c:
  ret ptr @c
is_d:
  ret ptr @d
}
define void @sure(i32 %which) {
  %object = call ptr @any(i32 %which)
  %table = load ptr, ptr %object
  %is = call i1 @llvm.type.test(ptr %table, metadata !"A")
  call void @llvm.assume(i1 %is)
  %slot = getelementptr i8, ptr %table, i64 8
  %function = load ptr, ptr %slot
  call void %function(ptr %object)
  ret void
}
define void @not_sure(i32 %which) {
  %object = call ptr @any(i32 %which)
  %table = load ptr, ptr %object
  %slot = getelementptr i8, ptr %table, i64 8
  %function = load ptr, ptr %slot
  call void %function(ptr %object)
  ret void
}
define void @other_way(i32 %which, i1 %known) {
  %object = call ptr @any(i32 %which)
  %table = load ptr, ptr %object
  br i1 %known, label %is_known, label %is_not
is_known:
  %is = call i1 @llvm.type.test(ptr %table, metadata !"A")
  call void @llvm.assume(i1 %is)
  ret void
is_not:
  %slot = getelementptr i8, ptr %table, i64 8
  %function = load ptr, ptr %slot
  call void %function(ptr %object)
  ret void
}
define void @other_class(i32 %which) {
  %object = call ptr @any(i32 %which)
  %table = load ptr, ptr %object
  %is = call i1 @llvm.type.test(ptr %table, metadata !"NotHere")
  call void @llvm.assume(i1 %is)
  %slot = getelementptr i8, ptr %table, i64 8
  %function = load ptr, ptr %slot
  call void %function(ptr %object)
  ret void
}
!llvm.module.flags = !{!30}
!llvm.dbg.cu = !{!21}
!10 = !{i64 16, !"A"}
!11 = !{i64 16, !"B"}
!20 = distinct !DISubprogram(name: "plain", scope: !22, file: !22, unit: !21, spFlags: DISPFlagDefinition)
!21 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !22, emissionKind: FullDebug)
!22 = !DIFile(filename: "a.cpp", directory: "/")
!30 = !{i32 2, !"Debug Info Version", i32 3}
)";

TEST(PointsTo, VirtualCallsReachTheTablesOfTheirClass) {
  for (uint64_t budget : {PointsTo::kBudget, uint64_t{0}}) {
    Program program(kTwoClasses, budget);
    EXPECT_THAT(CalleesIn(program, "not_sure"), IsSupersetOf({"_ZN1A1gEv", "_ZN1B1gEv", "_ZN1C1gEv", "unknown"}));
    EXPECT_THAT(CalleesIn(program, "sure"), IsSupersetOf({"_ZN1A1gEv", "_ZN1C1gEv", "unknown"}));
    for (const char* not_reached : {"_ZN1B1gEv", "_ZN1A1fEv", "_Z5plainPv"}) {
      EXPECT_THAT(CalleesIn(program, "sure"), Not(Contains(not_reached))) << budget;
    }
    for (const char* any : {"other_class", "other_way"}) {
      EXPECT_THAT(CalleesIn(program, any), IsSupersetOf({"_ZN1A1gEv", "_ZN1B1gEv", "_ZN1C1gEv", "unknown"})) << any;
    }
  }
}

MayLock Held(LocId loc) {
  MayLock lock;
  lock.loc = loc;
  return lock;
}

TEST(StateTable, AnyStandsForWhatItCoversAndForNothingElse) {
  StateTable table;
  table.SetAny(100, [](LocId loc) { return loc < 50; });
  State few, many;
  for (LocId loc = 0; loc < 3; ++loc) AddHeld(&few, Held(loc));
  for (LocId loc = 0; loc < 40; ++loc) AddHeld(&many, Held(loc));
  AddHeld(&many, Held(60));
  AddMust(&many, {60, Mode::kWrite});
  EXPECT_EQ(table[table.Intern(few)].held.size(), 3u);
  const State& blurred = table[table.Intern(many)];
  std::set<LocId> locs;
  for (const MayLock& held : blurred.held) locs.insert(held.loc);
  EXPECT_THAT(locs, ElementsAre(60, 100));
  EXPECT_EQ(blurred.most, State::kManyHeld);
  EXPECT_EQ(table.blurred(), 1u);
  table.BlurAll();
  const State& all = table[table.Intern(few)];
  ASSERT_EQ(all.held.size(), 1u);
  EXPECT_EQ(all.held[0].loc, 100u);
}

TEST(StateTable, WithOneStateEverythingIsIt) {
  StateTable table;
  table.SetAny(100, [](LocId) { return true; });
  State top;
  AddHeld(&top, Held(100));
  table.TopAll(top);
  State other;
  AddMust(&other, {3, Mode::kWrite});
  EXPECT_EQ(table.Intern(State{}), table.Intern(other));
  EXPECT_TRUE(table[table.Intern(other)].must.empty());
  EXPECT_TRUE(table.only_top());
}

}  // namespace
}  // namespace heddle::deadlock
