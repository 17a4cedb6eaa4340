// The parts of the Arm model that go beyond whole words and computed values: dependencies over selections, accesses of
// different sizes, pairs of registers, atomics without a result. Each case has a twin with the other answer.
#include <gtest/gtest.h>

#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

// Whether the condition can hold.
bool Allowed(const std::string& text, const std::string& model = "aarch64") {
  SimResult result = SimulateText(text, model);
  EXPECT_EQ(result.undecided, "") << text;
  return result.positive > 0;
}

// Load buffering: the first thread orders its accesses, the second is given. It reads `in` and must write 1 to `out`.
bool LoadBuffering(const std::string& rows, const std::string& init = "") {
  return Allowed("AArch64 t\n{ " + init +
                 " 0:X1=out; 0:X2=in; 0:X3=1; 1:X1=in; 1:X2=out; 1:X7=1; 1:X9=t; 1:X10=u; }\n"
                 " P0 | P1 ;\n LDR W0,[X1] | LDR W0,[X1] ;\n STLR W3,[X2] | MOV W20,W0 ;\n" +
                 rows + "exists (0:X0=1 /\\ 1:X20=1)\n");
}

// Message passing: the second thread reads the flag and then `data`.
bool MessagePassing(const std::string& rows, const std::string& init = "") {
  return Allowed("AArch64 t\n{ " + init +
                 " 0:X1=data; 0:X2=flag; 0:X3=1; 1:X1=flag; 1:X2=data; 1:X7=1; 1:X9=t; }\n"
                 " P0 | P1 ;\n STR W3,[X1] | LDR W0,[X1] ;\n STLR W3,[X2] | MOV W20,W0 ;\n" +
                 rows + "exists (1:X20=1 /\\ 1:X6=0)\n");
}

TEST(ArmSelections, OnlyTheChosenValueIsComputed) {
  // X5 is 1 and is chosen; the value that was read only decides.
  EXPECT_FALSE(LoadBuffering(" | MOV W4,#1 ;\n | CMP W0,#1 ;\n | CSEL W5,W4,W4,EQ ;\n | STR W5,[X2] ;\n"));
  // It neither decides nor is chosen.
  EXPECT_TRUE(LoadBuffering(" | MOV W4,#1 ;\n | CMP W4,#1 ;\n | CSEL W5,W4,W0,EQ ;\n | STR W5,[X2] ;\n"));
  // Chosen: as any value.
  EXPECT_FALSE(LoadBuffering(" | MOV W4,#1 ;\n | CMP W4,#1 ;\n | CSEL W5,W0,W4,EQ ;\n | STR W5,[X2] ;\n"));
}

TEST(ArmSelections, WhatDecidesOrdersWritesOnly) {
  const std::string select = " | CMP W0,#1 ;\n | CSEL X5,X2,X9,EQ ;\n";
  EXPECT_TRUE(MessagePassing(select + " | LDR W6,[X5] ;\n"));
  EXPECT_FALSE(MessagePassing(" | EOR W5,W0,W0 ;\n | LDR W6,[X2,W5,SXTW] ;\n"));
  EXPECT_FALSE(MessagePassing(select + " | CBZ X5,L ;\n | L: ;\n | ISB ;\n | LDR W6,[X5] ;\n"));
  // The write through the selected address keeps later writes behind, what is written through it does not.
  EXPECT_FALSE(LoadBuffering(" | CMP W0,#1 ;\n | CSEL X5,X9,X10,EQ ;\n | STR W7,[X5] ;\n | STR W7,[X2] ;\n"));
  EXPECT_TRUE(LoadBuffering(" | CMP W0,#1 ;\n | CSEL X5,X9,X10,EQ ;\n | STR W5,[X9] ;\n | STR W7,[X2] ;\n"));
}

TEST(ArmSelections, DependenciesGoThroughMemory) {
  const std::string stored = " | CMP W0,#1 ;\n | CSEL W5,W7,W20,EQ ;\n | STR W5,[X9] ;\n";
  EXPECT_FALSE(LoadBuffering(stored + " | LDR W6,[X9] ;\n | EOR W8,W6,W6 ;\n | STR W7,[X2,W8,SXTW] ;\n"));
  // An acquire after the way through memory orders what follows.
  EXPECT_FALSE(LoadBuffering(stored + " | LDAR W6,[X9] ;\n | STR W7,[X2] ;\n"));
  EXPECT_TRUE(LoadBuffering(stored + " | LDR W6,[X9] ;\n | STR W7,[X2] ;\n"));
}

TEST(ArmAtomics, CompareAndSwapGivesBackOneOfTwoValues) {
  // It compares with a constant: what it gives back may be that constant.
  const std::string swap =
      "AArch64 t\n{ 0:X1=data; 0:X2=flag; 0:X3=1; 1:X1=flag; 1:X2=data; 1:X7=7; }\n"
      " P0 | P1 ;\n STR W3,[X1] | MOV W4,#%d ;\n STLR W3,[X2] | CAS W4,W7,[X1] ;\n"
      " | EOR W5,W4,W4 ;\n | LDR W6,[X2,W5,SXTW] ;\nexists (1:X4=1 /\\ 1:X6=0)\n";
  auto with = [&](char compared) {
    std::string text = swap;
    return text.replace(text.find("%d"), 2, 1, compared);
  };
  EXPECT_TRUE(Allowed(with('1')));   // succeeds
  EXPECT_FALSE(Allowed(with('5')));  // fails: the value comes from memory
  // The value that it compares with decides whether it writes.
  EXPECT_FALSE(LoadBuffering(" | SUB W4,W0,#1 ;\n | CAS W4,W7,[X2] ;\n"));
  EXPECT_TRUE(LoadBuffering(" | MOV W4,#0 ;\n | CAS W4,W7,[X2] ;\n"));
}

TEST(ArmAtomics, WithoutAResultNothingIsAcquired) {
  for (const char* op : {"SWPA W7,WZR,[X9]", "LDADDA W7,WZR,[X9]", "CASA WZR,W7,[X9]"}) {
    std::string text =
        std::string("AArch64 t\n{ 0:X1=data; 0:X9=flag; 1:X9=flag; 1:X2=data; 0:X3=1; 0:X4=2; 1:X7=8; }\n") +
        " P0 | P1 ;\n STR W3,[X1] | " + op + " ;\n STLR W4,[X9] | LDR W6,[X2] ;\n" +
        "exists (1:X6=0 /\\ (flag=8 \\/ flag=10))\n";
    if (text.find("CAS") != std::string::npos) text.replace(text.find("STLR W4"), 7, "STLR WZR");
    EXPECT_TRUE(Allowed(text)) << text;
  }
  // With a result it is: the value tells that it came after the release.
  EXPECT_FALSE(
      Allowed("AArch64 t\n{ 0:X1=data; 0:X9=flag; 1:X9=flag; 1:X2=data; 0:X3=1; 0:X4=2; 1:X7=8; }\n"
              " P0 | P1 ;\n STR W3,[X1] | SWPA W7,W5,[X9] ;\n STLR W4,[X9] | LDR W6,[X2] ;\n"
              "exists (1:X6=0 /\\ 1:X5=2)\n"));
}

TEST(ArmAtomics, AnExclusiveWriteAloneOrdersNoAcquire) {
  // A branch orders the exclusive store, but the acquire after it only follows the exclusive load.
  EXPECT_TRUE(
      MessagePassing(" | CBZ W0,L ;\n | L: ;\n | LDXR W11,[X9] ;\n | STXR W12,W7,[X9] ;\n | LDAR W13,[X9] ;\n"
                     " | LDR W6,[X2] ;\n"));
  EXPECT_FALSE(
      MessagePassing(" | EOR W5,W0,W0 ;\n | LDXR W11,[X9] ;\n | ADD W5,W5,#3 ;\n | STR W5,[X9] ;\n"
                     " | LDAR W13,[X9] ;\n | LDR W6,[X2] ;\n"));
}

TEST(MixedSizes, LittleEndian) {
  SimResult result = SimulateText(
      "AArch64 t\n{ uint64_t x=0x1122334455667788; 0:X1=x; 0:X2=0xaabb; }\n P0 ;\n STRH W2,[X1,#2] ;\n LDRB W3,[X1,#7] "
      ";\n"
      " LDR W4,[X1] ;\n LDR X5,[X1] ;\nforall (0:X3=0x11 /\\ 0:X4=0xaabb7788 /\\ 0:X5=0x11223344aabb7788 /\\ "
      "x=0x11223344aabb7788)\n",
      "aarch64");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.states.size(), 1u);
}

TEST(MixedSizes, AnAccessIsOne) {
  // The halves of one store are seen together by one load, but not by two.
  const std::string store = "{ uint64_t x; 0:X1=x; 1:X1=x; 0:X2=0x100000001; }\n P0 | P1 ;\n STR X2,[X1] | ";
  EXPECT_FALSE(Allowed("AArch64 t\n" + store + "LDR X3,[X1] ;\nexists (1:X3=1)\n"));
  EXPECT_TRUE(Allowed("AArch64 t\n" + store + "LDR W3,[X1] ;\n | LDR W4,[X1,#4] ;\nexists (1:X3=1 /\\ 1:X4=0)\n"));
  EXPECT_TRUE(
      Allowed("AArch64 t\n{ uint64_t x; 0:X1=x; 1:X1=x; 0:X2=1; }\n P0 | P1 ;\n STR W2,[X1] | LDR X3,[X1] ;\n"
              " STR W2,[X1,#4] | ;\nexists (1:X3=1)\n"));
}

TEST(MixedSizes, OfX86) {
  const std::string store = "{ uint64_t x; uint64_t y; }\n P0 | P1 ;\n movq $0x100000001,(x) | ";
  for (const char* model : {"x86tso", "sc"}) {
    EXPECT_FALSE(Allowed("X86_64 t\n" + store + "movq (x),%rax ;\nexists (1:rax=1)\n", model));
    EXPECT_FALSE(
        Allowed("X86_64 t\n" + store + "movl (x),%eax ;\n | movl 4(x),%ebx ;\nexists (1:rax=1 /\\ 1:rbx=0)\n", model));
  }
  // A wide load may see its own narrow store before others do, and what it reads beside it can be older than theirs.
  const std::string forward =
      "X86_64 t\n{ uint64_t x; }\n P0 | P1 ;\n movl $1,(x) | movl $1,4(x) ;\n"
      " movq (x),%rax | movq (x),%rax ;\nexists (0:rax=1 /\\ 1:rax=0x100000000)\n";
  EXPECT_TRUE(Allowed(forward, "x86tso"));
  EXPECT_FALSE(Allowed(forward, "sc"));
}

TEST(MixedSizes, WhatAModelDoesNotSpeakOfIsRefused) {
  Result<litmus::Test> test = ParseLitmus("t.litmus",
                                          "RISCV t\n{ uint64_t x; 0:x6=x; }\n P0 ;\n lw x5,0(x6) ;\n lb x7,0(x6) ;\n"
                                          "exists (0:x5=0)\n");
  ASSERT_TRUE(test) << test.error().message;
  Result<SimResult> result = Simulate(*test, ModelNamed("riscv").sources, ModelNamed("riscv").program, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("accesses of different sizes to `x`"), std::string::npos);
  Result<litmus::Test> across = ParseLitmus("t.litmus",
                                            "AArch64 t\n{ uint64_t x; 0:X1=x; }\n P0 ;\n LDRB W0,[X1] ;\n"
                                            " LDR W2,[X1,#2] ;\nexists (0:X0=0)\n");
  ASSERT_TRUE(across);
  result = Simulate(*across, ModelNamed("aarch64").sources, ModelNamed("aarch64").program, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("not aligned"), std::string::npos);
}

TEST(Pairs, ExclusivePairsAreAtomic) {
  const std::string text =
      "AArch64 t\n{ uint32_t x[2]; 0:X1=x; 1:X1=x; 0:X2=1; 1:X3=7; }\n P0 | P1 ;\n"
      " LDXP W4,W5,[X1] | STR W3,[X1,#4] ;\n STXP W6,W2,W5,[X1] | ;\n"
      "exists (0:X6=0 /\\ x[1]=0)\n";
  EXPECT_FALSE(Allowed(text));  // the other's write would be lost
  std::string plain = text;
  plain.replace(plain.find("LDXP"), 4, "LDP");
  plain.replace(plain.find("STXP W6,"), 8, "STP ");
  EXPECT_TRUE(Allowed(plain));
  // Words are read together; doublewords one by one, unless the store succeeds.
  const std::string words = "AArch64 t\n{ uint32_t x[2]; 0:X1=x; 1:X1=x; 1:X2=0x100000001; }\n P0 | P1 ;\n";
  EXPECT_FALSE(Allowed(words + " LDXP W4,W5,[X1] | STR X2,[X1] ;\nexists (0:X4=1 /\\ 0:X5=0)\n"));
  EXPECT_TRUE(Allowed(words + " LDP W4,W5,[X1] | STR X2,[X1] ;\nexists (0:X4=1 /\\ 0:X5=0)\n"));
  const std::string wide =
      "AArch64 t\n{ uint64_t x[2]; 0:X1=x; 1:X1=x; 1:X6=1; 1:X7=1; }\n P0 | P1 ;\n"
      " LDXP X4,X5,[X1] | CASP X2,X3,X6,X7,[X1] ;\n STXP W8,X4,X5,[X1] | ;\n";
  EXPECT_TRUE(Allowed(wide + "exists (0:X4=1 /\\ 0:X5=0)\n"));
  EXPECT_FALSE(Allowed(wide + "exists (0:X4=1 /\\ 0:X5=0 /\\ 0:X8=0)\n"));
}

TEST(Pairs, CompareAndSwapPair) {
  auto text = [](const char* op, const char* condition) {
    return std::string(
               "AArch64 t\n{ uint64_t x[2]={1,2}; 0:X1=x; 0:X4=1; 0:X5=2; 0:X6=3; 0:X7=4; 1:X1=x; 1:X4=1; 1:X5=9; "
               "}\n P0 | P1 ;\n ") +
           op + " X4,X5,X6,X7,[X1] | LDP X2,X3,[X1] ;\n" + condition + "\n";
  };
  EXPECT_TRUE(Allowed(text("CASP", "exists (x[0]=3 /\\ x[1]=4 /\\ 0:X4=1 /\\ 0:X5=2)")));
  EXPECT_FALSE(Allowed(text("CASPAL", "exists (x[0]=3 /\\ x[1]=2)")));
  EXPECT_FALSE(
      Allowed("AArch64 t\n{ uint64_t x[2]={1,2}; 0:X1=x; 0:X4=1; 0:X5=9; 0:X6=3; 0:X7=4; }\n P0 ;\n"
              " CASP X4,X5,X6,X7,[X1] ;\nexists (x[0]=3 \\/ 0:X5=9)\n"));
}

}  // namespace
}  // namespace heddle::litmus
