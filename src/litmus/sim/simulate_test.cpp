#include "litmus/sim/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "litmus/sim/draw.h"
#include "litmus/testing/models.h"

// Small tests whose answer follows from a rule of the language or of the model: barriers, values out of thin air, final
// values, and instructions that do more than they seem to.
namespace heddle::litmus {
namespace {

struct Case {
  const char* why;
  const char* model;
  const char* text;
  bool ok;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SimResult result = SimulateText(c.text, c.model);
    EXPECT_EQ(result.undecided, "") << c.why;
    EXPECT_EQ(result.ok, c.ok) << c.why << "\n" << c.text;
  }
}

TEST(LitmusSimulate, BarriersOfPtx) {
  for (const char* model : {"ptx6", "ptx7.5"}) {
    Check({
        {"both wait: what was read before is not what is written after", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 ;\n ld.weak r3, v | bar.cta.sync 5 ;\n bar.cta.sync 5 | "
         "st.weak v, 4 ;\nexists (P0:r3 == 4)\n",
         false},
        {"the second only arrives, so it may be early", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 ;\n ld.weak r3, v | bar.cta.arrive 5 ;\n bar.cta.sync 5 | "
         "st.weak v, 4 ;\nexists (P0:r3 == 4)\n",
         true},
        {"an arrival is before the wait of the other", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 ;\n st.weak v, 4 | bar.cta.sync 5 ;\n bar.cta.arrive 5 | "
         "ld.weak r3, v ;\nforall (P1:r3 == 4)\n",
         true},
        {"different CTAs do not meet", model,
         "PTX b\n{ v=0; }\n P0@cta 1,gpu 0 | P1@cta 2,gpu 0 ;\n st.weak v, 4 | bar.cta.sync 5 ;\n bar.cta.sync 5 | "
         "ld.weak r3, v ;\nforall (P1:r3 == 4)\n",
         false},
        {"the same instance, different numbers: they do not meet", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 ;\n st.weak v, 4 | bar.cta.sync 1, 6 ;\n bar.cta.sync 1, 7 "
         "| ld.weak r3, v ;\nforall (P1:r3 == 4)\n",
         false},
        {"each waits for the other's second barrier: no execution ends", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 ;\n bar.cta.sync 3 | bar.cta.sync 4 ;\n bar.cta.sync 4 | "
         "bar.cta.sync 3 ;\n ld.weak r3, v | ;\n~exists (P0:r3 == 0)\n",
         true},
        {"four are needed and three come", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 | P2@cta 2,gpu 0 ;\n bar.cta.sync 1, 1, 4 | bar.cta.sync "
         "1, "
         "1, 4 | bar.cta.sync 1, 1, 4 ;\n ld.weak r3, v | | ;\n~exists (P0:r3 == 0)\n",
         true},
        {"two of three are enough: the writer may come late", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 | P2@cta 2,gpu 0 ;\n st.weak v, 4 | bar.cta.sync 1, 1, 2 | "
         "bar.cta.sync 1, 1, 2 ;\n bar.cta.sync 1, 1, 2 | ld.weak r3, v | ;\nexists (P1:r3 == 0)\n",
         true},
        {"three of three are not", model,
         "PTX b\n{ v=0; }\n P0@cta 2,gpu 0 | P1@cta 2,gpu 0 | P2@cta 2,gpu 0 ;\n st.weak v, 4 | bar.cta.sync 1, 1, 3 | "
         "bar.cta.sync 1, 1, 3 ;\n bar.cta.sync 1, 1, 3 | ld.weak r3, v | ;\nexists (P1:r3 == 0)\n",
         false},
    });
  }
}

TEST(LitmusSimulate, ProxiesHaveTheAddressOfWhatTheyAreAliasesOf) {
  std::string test =
      "PTX t\n{ a=0; b @ generic aliases a; p @ surface aliases a; q @ surface aliases b; }\n P0@cta 0,gpu 0 ;\n ";
  // p and a share an address, q and b another: within one proxy and address program order is enough.
  EXPECT_TRUE(SimulateText(test + "sust.weak p, 5 ;\n suld.weak r1, p ;\nforall (P0:r1 == 5)\n", "ptx7.5").ok);
  EXPECT_FALSE(SimulateText(test + "sust.weak p, 5 ;\n suld.weak r1, q ;\nforall (P0:r1 == 5)\n", "ptx7.5").ok);
  EXPECT_TRUE(
      SimulateText(test + "sust.weak p, 5 ;\n fence.proxy.surface ;\n ld.weak r1, a ;\nforall (P0:r1 == 5)\n", "ptx7.5")
          .ok);
  EXPECT_FALSE(
      SimulateText(test + "sust.weak p, 5 ;\n fence.proxy.surface ;\n ld.weak r1, b ;\nforall (P0:r1 == 5)\n", "ptx7.5")
          .ok);
}

constexpr const char* kCopies =
    "{ a=0; b=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n ld.atom.wg.sc0 r5, a | ld.atom.wg.sc0 r6, b ;\n "
    "st.atom.wg.sc0 b, r5 | st.atom.wg.sc0 a, r6 ;\nexists (P0:r5 == 7 /\\ P1:r6 == 7)\n";

TEST(LitmusSimulate, ThinAirIsDecidedByTheModel) {
  std::string vulkan = std::string("VULKAN t\n") + kCopies;
  EXPECT_TRUE(SimulateText(vulkan, "vulkan").ok);  // it has no rule against it
  const char* copies =
      "C t\n{ [a]=0; [b]=0; }\nP0 (atomic_int* a, atomic_int* b) { int r = atomic_load_explicit(a, "
      "memory_order_relaxed); atomic_store_explicit(b, r, memory_order_relaxed); }\nP1 (atomic_int* a, atomic_int* b) "
      "{ "
      "int r = atomic_load_explicit(b, memory_order_relaxed); atomic_store_explicit(a, r, memory_order_relaxed); "
      "}\nexists (0:r=7 /\\ 1:r=7)\n";
  // Each store stands in code that only the other store lets run.
  const char* guarded =
      "C t\n{ [a]=0; [b]=0; }\nP0 (atomic_int* a, atomic_int* b) { if (atomic_load_explicit(a, "
      "memory_order_relaxed)) { atomic_store_explicit(b, 3, memory_order_relaxed); } }\nP1 (atomic_int* a, atomic_int* "
      "b) { if (atomic_load_explicit(b, memory_order_relaxed)) { atomic_store_explicit(a, 3, memory_order_relaxed); } "
      "}\nexists (b=3)\n";
  for (const char* text : {copies, guarded}) {
    EXPECT_TRUE(SimulateText(text, "c11").ok) << text;
    EXPECT_FALSE(SimulateText(text, "rc11").ok) << text;
  }
  EXPECT_FALSE(
      SimulateText("AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n P0 | P1 ;\n LDR W0,[X1] | LDR W0,[X1] ;\n "
                   "STR W0,[X3] | STR W0,[X3] ;\nexists (0:X0=7)\n",
                   "aarch64")
          .ok);
}

TEST(LitmusSimulate, LaterWritesOfAThreadAreItsLast) {
  SimResult result = SimulateText(
      "VULKAN t\n{ a=0; }\n P0@sg 0,wg 0,qf 0 ;\n st.sc0 a, 8 ;\n st.sc0 a, 9 ;\nforall (a == 9)\n", "vulkan");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.states.size(), 1U);
}

// The first drawing is the one that the condition speaks of; a forbidden one names its check and its cycle.
TEST(LitmusSimulate, DrawingsBeginWithWhatTheConditionAsks) {
  Result<litmus::Test> test =
      ParseLitmus("t.litmus",
                  "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],1 | MOV [y],1 ;\n MOV EAX,[y] | MOV EAX,[x] "
                  ";\nexists (0:EAX=1 /\\ 1:EAX=0)\n");
  ASSERT_TRUE(test) << test.error().message;
  auto drawn = [&](const char* model, SimResult& result) {
    SimOptions options;
    options.witnesses = true;
    const Model& m = ModelNamed(model);
    result = *Simulate(*test, m.sources, m.program, options);
    return DrawingsOf(*test, model, result);
  };
  SimResult result;
  std::vector<Drawing> drawings = drawn("x86tso", result);
  ASSERT_EQ(drawings.size(), 4U);
  EXPECT_EQ(drawings[0].title, "SB: 0:EAX=1; 1:EAX=0; (the condition holds)");
  EXPECT_EQ(drawings[1].title, "SB: 0:EAX=0; 1:EAX=0;");
  test = ParseLitmus("t.litmus",
                     "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],1 | MOV [y],1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 "
                     "/\\ 1:EAX=0)\n");
  drawings = drawn("sc", result);
  ASSERT_EQ(drawings.size(), 4U);
  EXPECT_EQ(drawings[0].title, "SB: the condition would need this");
  EXPECT_NE(drawings[0].note.find("forbidden by "), std::string::npos);
  EXPECT_EQ(drawings[0].cycle.size(), 4U);
  findings::Finding view = ViewOf(*test, drawings[0]);
  EXPECT_EQ(std::count_if(view.steps.begin(), view.steps.end(), [](const auto& step) { return step.site == 1; }), 4);
  EXPECT_EQ(view.threads.size(), 3U);
}

TEST(LitmusSimulate, ATicketLockIsDecided) {
  const char* rows =
      "rmw.atom.acq.wg.sc0.semsc0.add r1, next, 1 ;\nLC00: ;\nld.atom.acq.wg.sc0.semsc0 r2, now ;\nbeq r1, r2, LC01 "
      ";\ngoto LC00 ;\nLC01: ;\nld.vis.wg.sc0 r3, d ;\nst.av.wg.sc0 d, 1 ;\nrmw.atom.rel.wg.sc0.semsc0.add r1, now, 1 "
      ";";
  std::string text = "VULKAN lock\n{ next=0; now=0; d=0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n";
  std::string row;
  for (const char* c = rows; *c != '\0'; ++c) {
    if (*c == ';') {
      text += row + " | " + row + " ;\n";
      row.clear();
    } else if (*c != '\n') {
      row += *c;
    }
  }
  SimOptions patient;
  patient.seconds = 120;  // of a build with sanitizers, on a busy machine; it takes 0.3 s else
  SimResult result = SimulateText(text + "exists (P0:r3 == 0 /\\ P1:r3 == 0)\n", "vulkan", patient);
  EXPECT_EQ(result.undecided, "");
  EXPECT_FALSE(result.ok);
  EXPECT_GT(result.negative, 0U);
}

TEST(LitmusSimulate, InstructionsOfArm) {
  Check({
      {"an index before and after the access changes the base", "aarch64",
       "AArch64 t\n{ 0:X1=v; int64_t v[3]={5,6,7}; }\n P0 ;\n LDR X0,[X1],#8 ;\n LDR X2,[X1,#8]! ;\n LDR X3,[X1] ;\n"
       "forall (0:X0=5 /\\ 0:X2=7 /\\ 0:X3=7)\n",
       true},
      {"a pair is two accesses", "aarch64",
       "AArch64 t\n{ 0:X1=v; int v[2]={5,6}; }\n P0 ;\n LDP W0,W2,[X1] ;\n STP W2,W0,[X1] ;\nforall (0:X0=5 /\\ 0:X2=6 "
       "/\\ "
       "v[0]=6 /\\ v[1]=5)\n",
       true},
      {"select, increment, bits", "aarch64",
       "AArch64 t\n{ 0:X1=4; 0:X2=9; }\n P0 ;\n CMP W1,#4 ;\n CSINC W3,W1,W2,EQ ;\n CSINC W4,W1,W2,NE ;\n CSETM W5,NE "
       ";\n "
       "BIC W6,W2,W1 ;\n UBFX W7,W2,#3,#1 ;\n MOVK W1,#1,LSL #16 ;\n NEG W8,W2 ;\n ADD W8,W8,W2 ;\nforall (0:X3=4 /\\ "
       "0:X4=10 /\\ 0:X5=0 /\\ 0:X6=9 /\\ 0:X7=1 /\\ 0:X1=65540 /\\ 0:X8=0)\n",
       true},
      {"a narrow access keeps what fits", "aarch64",
       "AArch64 t\n{ 0:X1=x; 0:X2=513; uint8_t x=258; }\n P0 ;\n LDRB W0,[X1] ;\n STRB W2,[X1] ;\n LDRSB W3,[X1] ;\n"
       "forall (0:X0=2 /\\ x=1 /\\ 0:X3=1)\n",
       true},
      {"ret ends the thread", "aarch64", "AArch64 t\n{ }\n P0 ;\n MOV W0,#1 ;\n RET ;\n MOV W0,#2 ;\nforall (0:X0=1)\n",
       true},
      {"an exchange with both orders is a full barrier for what follows it", "aarch64",
       "AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 0:X5=1; 1:X5=1; }\n P0 | P1 ;\n SWPAL W5,W6,[X1] | SWPAL "
       "W5,W6,[X1] "
       ";\n LDR W0,[X3] | LDR W0,[X3] ;\nexists (0:X0=0 /\\ 1:X0=0)\n",
       false},
      {"DSB for stores keeps a later read behind, DMB does not", "aarch64",
       "AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 0:X5=1; 1:X5=1; }\n P0 | P1 ;\n STR W5,[X1] | STR W5,[X1] ;\n DSB "
       "ST | "
       "DSB ST ;\n LDR W0,[X3] | LDR W0,[X3] ;\nexists (0:X0=0 /\\ 1:X0=0)\n",
       false},
      {"the same with DMB", "aarch64",
       "AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 0:X5=1; 1:X5=1; }\n P0 | P1 ;\n STR W5,[X1] | STR W5,[X1] ;\n DMB "
       "ST | "
       "DMB ST ;\n LDR W0,[X3] | LDR W0,[X3] ;\nexists (0:X0=0 /\\ 1:X0=0)\n",
       true},
  });
}

TEST(LitmusSimulate, OperandsOfX86AndOthers) {
  Check({
      {"Intel's order in a 64-bit test", "x86tso",
       "X86_64 t\n{ x=3; }\n P0 ;\n mov eax,[x] ;\n add eax,2 ;\n mov dword ptr [x],eax ;\nforall (0:rax=5 /\\ x=5)\n",
       true},
      {"AT&T's order in it", "x86tso",
       "X86_64 t\n{ x=3; }\n P0 ;\n movl (x),%eax ;\n addl $2,%eax ;\n movl %eax,(x) ;\nforall (0:rax=5 /\\ x=5)\n",
       true},
      {"signed comparisons", "x86tso",
       "X86 t\n{ }\n P0 ;\n MOV EAX,$0 ;\n DEC EAX ;\n CMP EAX,$1 ;\n JL L ;\n MOV EBX,$1 ;\n L: ;\nforall (0:EBX=0)\n",
       true},
      {"not and neg", "x86tso", "X86 t\n{ x=5; }\n P0 ;\n NOT [x] ;\n NEG [x] ;\nforall (x=6)\n", true},
      {"not of RISC-V", "riscv",
       "RISCV t\n{ 0:x6=5; }\n P0 ;\n not x5,x6 ;\n neg x5,x5 ;\n srai x7,x5,1 ;\n"
       "forall (0:x5=6 /\\ 0:x7=3)\n",
       true},
      {"hints of Power's branches", "power",
       "PPC t\n{ 0:r2=x; x=4; }\n P0 ;\n lwz r1,0(r2) ;\n cmpwi cr0,r1,4 ;\n bne- L ;\n li r3,1 ;\n L: ;\nforall "
       "(0:r3=1)\n",
       true},
  });
}

TEST(LitmusSimulate, ScopesMakeACTestOneOfOpenCl) {
  const char* text =
      "C t\n{ [d]=0; [f]=0; }\nP0@wg 0, dev 0 (global int* d, local atomic_int* f) { *d = 1; atomic_store_explicit(f, "
      "1, "
      "memory_order_release, memory_scope_work_group); }\nP1@wg 0, dev 0 (global int* d, local atomic_int* f) { int r0 "
      "= "
      "atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group); int r1 = *d; }\nexists (1:r0=1 /\\ "
      "1:r1=0)\n";
  Result<litmus::Test> test = ParseLitmus("t.litmus", text);
  ASSERT_TRUE(test) << test.error().message;
  EXPECT_EQ(test->arch, Arch::kOpenCl);
  EXPECT_TRUE(SimulateText(text, "opencl").ok);  // the flag is local and says nothing of global memory
  // A parameter in the condition is the address that it holds.
  EXPECT_FALSE(SimulateText("C t\n{ [d]=0; }\nP0 (int* d) { int r0 = *d; }\nexists (0:d=0)\n", "rc11").ok);
}

}  // namespace
}  // namespace heddle::litmus
