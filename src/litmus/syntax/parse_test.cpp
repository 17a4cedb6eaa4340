// Messages for wrong tests, and forms that tests of others use.
#include <gtest/gtest.h>

#include "litmus/sim/trace.h"
#include "litmus/testing/models.h"

namespace heddle::litmus {
namespace {

std::string Message(const std::string& text) {
  Result<Test> test = ParseLitmus("t.litmus", text);
  return test ? "" : test.error().message;
}

std::string X86(const std::string& row) { return "X86 t\n{ }\n P0 ;\n " + row + " ;\nexists (true)\n"; }
std::string Arm(const std::string& row) { return "AArch64 t\n{ 0:X1=x; }\n P0 ;\n " + row + " ;\nexists (true)\n"; }
std::string Riscv(const std::string& row) { return "RISCV t\n{ 0:x6=x; }\n P0 ;\n " + row + " ;\nexists (true)\n"; }
std::string Ppc(const std::string& row) { return "PPC t\n{ 0:r2=x; }\n P0 ;\n " + row + " ;\nexists (true)\n"; }
std::string Ptx(const std::string& row) {
  return "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n " + row + " ;\nexists (true)\n";
}
std::string Vulkan(const std::string& row) {
  return "VULKAN t\n{ x=0; }\n P0@sg 0,wg 0,qf 0 ;\n " + row + " ;\nexists (true)\n";
}
std::string C(const std::string& body) {
  return "C t\n{ [x]=0; }\nP0 (atomic_int* x) {\n" + body + "\n}\nexists (true)\n";
}

TEST(LitmusParse, WrongTests) {
  const std::pair<std::string, const char*> kWrong[] = {
      {"", "t.litmus:1:1: error: the file is empty"},
      {"   \n", "the file is empty"},
      {"X68 t\n{ }\n", "did you mean `X86`"},
      {"X86 t\nP0 ;\n", "there is no initial state"},
      {"X86 t\n{ x=0;\nP0 ;\n", "is not closed"},
      {"X86 t\n{ x=; }\n P0 ;\n", "expected a value"},
      {"X86 t\n{ =0; }\n P0 ;\n", "expected a location or a register"},
      {"X86 t\n{ x=0 y=0; }\n P0 ;\n", "expected `;`"},
      {"X86 t\n{ 0:FOO=0; }\n P0 ;\n", "`FOO` is not a register"},
      {"X86 t\n{ 3:EAX=0; }\n P0 ;\n", "names thread 3"},
      {"X86 t\n{ int x[9999]; }\n P0 ;\n", "more than 256 elements"},
      {"X86 t\n{ }\n Q0 ;\n", "expected the name of a thread"},
      {"X86 t\n{ }\n P0 ;\n NOP | NOP ;\n", "2 columns for 1 threads"},
      {X86("FOO"), "unknown instruction `foo`"},
      {X86("MOV [x],[y]"), "from memory to memory"},
      {X86("MOV $1,EAX"), "the destination is a number"},
      {X86("MOV EAX"), "two operands"},
      {X86("MOV [x"), "expected `]`"},
      {X86("MOV EAX,"), "expected an operand"},
      {X86("XCHG EAX,$1"), "needs a register and memory"},
      {X86("CMPXCHG [x],EBX"), "without lock is not atomic"},
      {X86("JE nowhere"), "has no label `nowhere`"},
      {X86("JXX L"), "unknown instruction"},
      {X86("MFENCE MFENCE"), "unexpected `MFENCE` after the instruction"},
      {Arm("FOO W0"), "unknown instruction `FOO`"},
      {Arm("LDR W0,X1"), "expected `[`"},
      {Arm("LDR Q0,[X1]"), "expected a register, found `Q0`"},
      {Arm("LDR W0 [X1]"), "expected `,`"},
      {Arm("LDR W0,[X1"), "expected `]`"},
      {Arm("DMB XX"), "unknown option `XX`"},
      {Arm("CBZ W0,L"), "has no label `L`"},
      {Arm("B.XX L"), "unknown condition"},
      {Arm("ADD W0,W1"), "expected `,`"},
      {Arm("MOV W0,#x"), "expected a number"},
      {Arm("LDXP W0,[X1]"), "expected a register"},
      {Arm("CASPB W0,W1,W2,W3,[X1]"), "unknown instruction `CASPB`"},
      {Arm("LDR W0,[X1,W2,FOO]"), "expected LSL, LSR, ASR, SXTW or UXTW"},
      {Riscv("foo x5"), "unknown instruction `foo`"},
      {Riscv("lw x5,x6"), "expected `(`"},
      {Riscv("lw q5,0(x6)"), "expected a register"},
      {Riscv("fence q,q"), "unknown fence"},
      {Riscv("amofoo.w x5,x7,(x6)"), "unknown instruction"},
      {Riscv("bne x5,x0,L"), "has no label `L`"},
      {Ppc("foo r1"), "unknown instruction `foo`"},
      {Ppc("lwz r1,r2"), "expected `(`"},
      {Ppc("lwz x1,0(r2)"), "expected a register"},
      {Ppc("beq L"), "has no label `L`"},
      {Ptx("foo r0"), "unknown instruction `foo`"},
      {Ptx("ld.foo r0, x"), "unknown modifier `.foo`"},
      {Ptx("ld.release.gpu r0, x"), "a load cannot release"},
      {Ptx("st.acquire.gpu x, 1"), "a store cannot acquire"},
      {Ptx("st.weak 1, x"), "a store needs a location"},
      {Ptx("atom.relaxed.gpu r0, x, 1"), "needs an operation"},
      {Ptx("atom.relaxed.gpu.cas r0, x, 1"), "has 4 operands"},
      {Ptx("fence.proxy.foo"), "unknown proxy"},
      {Ptx("fence.weak"), "a fence is .sc"},
      {"PTX t\n{ }\n P0@foo 0 ;\n", "expected cta, cluster"},
      {Ptx("ld.relaxed.sysx r0, x"), "unknown modifier `.sysx`"},
      {Ptx("ld.relaxed.clusters r0, x"), "unknown modifier `.clusters`"},
      {X86("MOV [x],$99999999999999999999"), "t.litmus:4:11: error: this number does not fit into 64 bits"},
      {X86("MOV [x],$0x10000000000000000"), "does not fit into 64 bits"},
      {X86("L: NOP ;\n L: NOP ;\n JMP L"), "thread 0 has the label `L` twice"},
      {Ptx("ld.acquire r0, x"), "this needs a scope"},
      {Ptx("st.relaxed x, 1"), "this needs a scope"},
      {Ptx("fence.sc"), "this needs a scope"},
      {Ptx("ld.weak.gpu r0, x"), "a weak access has no other order and no scope"},
      {Ptx("ld.relaxed.weak r0, x"), "a weak access has no other order"},
      {Ptx("st.relaxed.release.gpu x, 1"), "two orders"},
      {Ptx("ld.weak.u8 r0, x"), "accesses of less than 32 bits"},
      {X86("MOVNTI [x],EAX"), "weaker than the models of x86"},
      {X86("LOCK MOV [x],1"), "`lock` stands before"},
      {X86("LOCK ADD EAX,1"), "`lock` stands before"},
      {C("WRITE_ONCE(*x, 1);"), "is of the Linux kernel"},
      {C("smp_mb();"), "is of the Linux kernel"},
      {C("spin_lock(x);"), "is of the Linux kernel"},
      {C("lock(x);"), "write the lock with <stdatomic.h>"},
      {C("pthread_mutex_lock(x);"), "write the lock with <stdatomic.h>"},
      {"C t\n{ }\nP0 (spinlock_t* l) { }\n", "`spinlock_t` is not a type that is known here"},
      {"C t\n{ }\nP0@wg 0, dev 0 (global atomic_int* x) {\n  int r0 = atomic_load_explicit(x, memory_order_acquire, "
       "memory_scope_sub_group);\n}\n",
       "which threads are in one sub-group"},
      {"X86 t\n{ double x; }\n P0 ;\n NOP ;\n", "values of type `double` are not supported"},
      {"X86 t\n{ uint128_t x; }\n P0 ;\n NOP ;\n", "values of type `uint128_t` are not supported"},
      {"AArch64 t\n{ [PTE(x)]=(valid:0); }\n P0 ;\n NOP ;\n", "page tables and memory tags"},
      {"AArch64 t\n{ 0:X1=x; }\n P0 ;\n L: LDR W0,[X1] ;\nexists (fault(P0:L,x))\n", "faults are not modelled"},
      {Ptx("bar.cta.red 1"), "a barrier is .sync or .arrive"},
      {Ptx("bar.cta.sync r1, 2"), "the instance of a barrier is a constant"},
      {Ptx("bar.cta.sync 1, 2, 3, 4"), "a barrier has a number"},
      {C("int r0 = *x; } P1 (int* x y) {"), "expected `,` or `)` after a parameter"},
      {"PTX t\n{ x @ foo aliases y; }\n P0@cta 0,gpu 0 ;\n", "expected generic"},
      {Vulkan("ld.foo r0, x"), "unknown modifier `.foo`"},
      {Vulkan("foo"), "unknown instruction `foo`"},
      {Vulkan("rmw.atom.dv.sc0 x, 1"), "rmw needs a register"},
      {"VULKAN t\n{ x=0; }\n{ ssw 0 7; }\n P0@sg 0,wg 0,qf 0 ;\n", "a thread that the test does not have"},
      {C("foo(x);"), "unknown function `foo`"},
      {C("atomic_laod(x);"), "did you mean `atomic_load`"},
      {C("atomic_load_explicit(x);"), "needs a memory order"},
      {C("atomic_store_explicit(x, memory_order_relaxed);"), "needs 2 arguments"},
      {C("int r0 = ;"), "expected an expression"},
      {C("int r0 = 1"), "expected `;`"},
      {C("r0 = r9;"), "`r9` is not declared"},
      {C("if x { }"), "expected `(`"},
      {C("break;"), "`break` outside a loop"},
      {C("for (;;"), "is not closed"},
      {C("int r = x->next;"), "no struct has a member `next`"},
      {"C t\n{ }\nint f(int a) { return a; }\nP0 () { int r = f(); }\n", "`f` has 1 parameter"},
      {"C t\n{ }\nint f(int a) { return f(a); }\nP0 () { int r = f(1); }\n", "too many calls of functions"},
      {"C t\n{ }\nint f(int a) { return a;\nP0 () { }\n", "the function is not closed"},
      {"C t\n{ }\nstruct a { int m; };\nstruct b { int k; int m; };\nP0 (int* x) { int r = x->m; }\n",
       "member of two structs"},
      {"C t\n{ }\nstruct a { int m[2]; };\n", "an array inside a struct"},
      {"C t\n{ }\n_Thread_local int m;\n", "thread-local variables are not supported"},
      {"C t\n{ }\nint m = q;\n", "expected a number, found `q`"},
      {"C t\n{ }\ntypedef int;\n", "expected the name of the type"},
      {C("switch (1) {}"), "`switch` is not supported"},
      {C("int r = &x + ;"), "expected an expression"},
      {"C t\n{ }\nP0 (int* x { }\n", "expected"},
      {"C t\n{ }\nP0 (int* x) { *x = 1;\n", "not closed by `}`"},
      {"C t\n{ }\nexists (true)\n", "the test has no threads"},
      {"C t\n{ }\nQ0 (int* x) { }\n", "expected a thread"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists 0:EAX=0 /\\ \n", "expected a register or a location"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (0:EAX 0)\n", "expected `=`"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (0:EAX=0\n", "expected `)`"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (4:EAX=0)\n", "the test has no thread 4"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (0:FOO=0)\n", "`FOO` is not a register"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexists (true) exists (true)\n", "after the condition"},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nexits (true)\n", ""},
      {"X86 t\n{ }\n P0 ;\n NOP ;\nlocations [x\n", "expected `]`"},
      {"GPU_PTX t\n0:.reg .s32 r0\nP0\n", "expected `;`"},
      {"GPU_PTX t\n7:.reg .s32 r0;\nP0\nmov.s32 r0,1\n", "thread 7"},
      {"GPU_PTX t\nP0\nfoo r0\n", "unknown instruction `foo`"},
      {"GPU_PTX t\nP0\nmembar.foo\n", "membar needs .cta, .gl or .sys"},
      {"GPU_PTX t\nP0\nmov.s32 r0,1\n(device (kernel (cta (warp P7))))\n", "`P7`, which is not a thread"},
      {"GPU_PTX t\nP0\nmov.s32 r0,1\n(device (kernel (cta (warp P0)\n", "not closed"},
  };
  for (const auto& [text, message] : kWrong) {
    std::string answer = Message(text);
    EXPECT_FALSE(answer.empty()) << text;
    EXPECT_NE(answer.find(message), std::string::npos) << text << "\n" << answer;
    EXPECT_NE(answer.find("t.litmus:"), std::string::npos) << text << "\n" << answer;
  }
}

TEST(LitmusParse, MixedSizesOfOneLocationAreRefused) {
  auto traces = [](const std::string& init, const std::string& code) {
    Result<litmus::Test> test = ParseLitmus("t.litmus", "AArch64 t\n{ " + init + " }\n P0 ;\n " + code + "\n");
    EXPECT_TRUE(test) << test.error().message;
    Result<TraceSet> ways = EnumerateTraces(*test, {}, false);
    return ways ? ErrorCode::kBadInput : ways.error().code;
  };
  EXPECT_EQ(traces("0:X1=x;", "LDRB W0,[X1] ;\n STR W0,[X1] ;"), ErrorCode::kUnsupported);
  EXPECT_EQ(traces("0:X1=x; int x[2];", "LDR X0,[X1] ;"), ErrorCode::kUnsupported);
  EXPECT_EQ(traces("0:X1=x; 0:X2=y;", "LDRB W0,[X1] ;\n STR W0,[X2] ;"), ErrorCode::kBadInput);  // no error
}

std::string Observation(const std::string& text, const std::string& model) {
  SimResult result = SimulateText(text, model);
  return std::string(ObservationWord(result)) + " " + std::to_string(result.states.size());
}

TEST(LitmusParse, FormsOfTheInitialStateAndTheCondition) {
  EXPECT_EQ(
      Observation(
          "AArch64 t\n\"title { }\"\nCom=Rf\n{ uint64_t x=3; int64_t y; 0:X1=x; uint64_t 0:X2; 0:X3=&y; }\n P0 ;\n"
          " LDR X0,[X1] ;\n LDR X4,[X3] ;\nlocations [x; y; 0:X2;]\nexists (0:X0=3 /\\ 0:X4=0 /\\ [x]=3)\n",
          "aarch64"),
      "Always 1");
  EXPECT_EQ(
      Observation("AArch64 t\n{ int x[2]={5,6}; 0:X1=x; }\n P0 ;\n LDR W0,[X1,#4] ;\nforall (0:X0=6 /\\ x[1]=6)\n",
                  "aarch64"),
      "Always 1");
  EXPECT_EQ(Observation(
                "X86_64 t\n{ x=y; y=7; }\n P0 ;\n movq (x),%rax ;\n movl (%rax),%ebx ;\nexists (0:rax=y /\\ 0:rbx=7)\n",
                "x86tso"),
            "Always 1");
  EXPECT_EQ(
      Observation("X86 t\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nfilter (1:EAX=1)\nexists (not (1:EAX=0))\n",
                  "x86tso"),
      "Always 1");
  EXPECT_EQ(
      Observation("X86 t\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n~exists (1:EAX>=2 \\/ false)\n", "x86tso"),
      "Never 2");
  EXPECT_EQ(Observation(
                "\xef\xbb\xbfX86 t\r\n{ x=18446744073709551615; }\r\n P0 ;\r\n MOV EAX,[x] ;\r\nexists (0:EAX=-1)\r\n",
                "x86tso"),
            "Always 1");
  EXPECT_EQ(Observation("C t\n{ [x]=1; int y = 2; }\nP0 (int* x, int* y) { int r0 = *x + *y * 2; int r1 = r0 == 5 && "
                        "*x; }\nexists (0:r0=5 /\\ 0:r1=1)\n",
                        "rc11"),
            "Always 1");
}

TEST(LitmusParse, TypesOfSeveralWords) {
  // A location of 8 bytes whatever the order of the words, so that 2^40 fits.
  for (const char* type : {"long", "long int", "unsigned long int", "long unsigned int", "long long", "uint64_t"}) {
    std::string init = std::string("{ ") + type + " x = 1099511627776; 0:X1=x; }";
    EXPECT_EQ(Observation("AArch64 t\n" + init + "\n P0 ;\n LDR X0,[X1] ;\nforall (0:X0=1099511627776)\n", "aarch64"),
              "Always 1")
        << type;
  }
  EXPECT_EQ(
      Observation("C t\n{ }\nP0 (_Atomic(int)* x, _Atomic int* y) { atomic_store(x, 3); int r0 = atomic_load(x); }\n"
                  "forall (0:r0=3)\n",
                  "rc11"),
      "Always 1");
}

TEST(LitmusParse, AtomicInstructions) {
  EXPECT_EQ(Observation("X86_64 t\n{ x=5; }\n P0 ;\n movl $2,%ebx ;\n lock xaddl %ebx,(x) ;\n lock incl (x) ;\nexists "
                        "(0:rbx=5 /\\ x=8)\n",
                        "x86tso"),
            "Always 1");
  EXPECT_EQ(Observation("X86_64 t\n{ x=5; 0:rax=5; 0:rbx=9; }\n P0 ;\n lock cmpxchgl %ebx,(x) ;\n jne L ;\n movl "
                        "$1,%ecx ;\n L: ;\nexists (x=9 /\\ 0:rcx=1)\n",
                        "x86tso"),
            "Always 1");
  EXPECT_EQ(Observation("AArch64 t\n{ x=5; 0:X1=x; 0:X2=3; }\n P0 ;\n LDADDAL W2,W3,[X1] ;\n SWPA W2,W4,[X1] ;\n CAS "
                        "W2,W3,[X1] ;\n STCLR W2,[X1] ;\nexists (0:X3=5 /\\ 0:X4=8 /\\ 0:X2=3 /\\ x=4)\n",
                        "aarch64"),
            "Always 1");
  EXPECT_EQ(Observation("RISCV t\n{ x=5; 0:x6=x; 0:x7=3; }\n P0 ;\n amoadd.w.aq.rl x5,x7,(x6) ;\n amoswap.w x8,x7,(x6) "
                        ";\nexists (0:x5=5 /\\ 0:x8=8 /\\ x=3)\n",
                        "riscv"),
            "Always 1");
  EXPECT_EQ(Observation("PTX t\n{ x=5; }\n P0@cta 0,gpu 0 ;\n atom.acq_rel.gpu.add r0, x, 2 ;\n red.relaxed.gpu.add x, "
                        "1 ;\n atom.relaxed.sys.cas r1, x, 8, 1 ;\nexists (0:r0=5 /\\ 0:r1=8 /\\ x=1)\n",
                        "ptx6"),
            "Always 1");
  EXPECT_EQ(
      Observation("C t\n{ [x]=5; }\nP0 (atomic_int* x) { int e = 5; int r0 = "
                  "atomic_compare_exchange_strong_explicit(x, &e, 7, memory_order_acq_rel, memory_order_relaxed); int "
                  "r1 = atomic_fetch_add(x, 1); int r2 = atomic_compare_exchange_strong(x, &e, 9); }\n"
                  "exists (0:r0=1 /\\ 0:r1=7 /\\ 0:r2=0 /\\ 0:e=8 /\\ x=8)\n",
                  "rc11"),
      "Always 1");
}

TEST(LitmusParse, BuiltinsAndChoices) {
  EXPECT_EQ(
      Observation("C t\n{ int x = 5; }\nP0 (int* x) { int e = 5; int r0 = __atomic_compare_exchange_n(x, &e, 7, 0, "
                  "__ATOMIC_ACQ_REL, __ATOMIC_RELAXED); int r1 = __atomic_add_fetch(x, 2, __ATOMIC_RELAXED); int r2 = "
                  "__atomic_exchange_n(x, 1, __ATOMIC_SEQ_CST); __atomic_thread_fence(__ATOMIC_SEQ_CST); int r3 = "
                  "__atomic_load_n(x, __ATOMIC_ACQUIRE) ? r0 ? 3 : 4 : *x; }\n"
                  "exists (0:r0=1 /\\ 0:r1=9 /\\ 0:r2=9 /\\ 0:r3=3 /\\ x=1)\n",
                  "rc11"),
      "Always 1");
  // Store buffering with fences, and with one too weak.
  auto buffering = [](const std::string& fence) {
    std::string thread = "(int* x, int* y) { __atomic_store_n(%1, 1, __ATOMIC_RELAXED); __atomic_thread_fence(" +
                         fence + "); int r0 = __atomic_load_n(%2, __ATOMIC_RELAXED); }\n";
    auto with = [&](const char* a, const char* b) {
      std::string text = thread;
      text.replace(text.find("%1"), 2, a);
      return text.replace(text.find("%2"), 2, b);
    };
    return Observation("C t\n{ }\nP0 " + with("x", "y") + "P1 " + with("y", "x") + "exists (0:r0=0 /\\ 1:r0=0)\n",
                       "rc11");
  };
  EXPECT_EQ(buffering("__ATOMIC_SEQ_CST"), "Never 3");
  EXPECT_EQ(buffering("__ATOMIC_ACQ_REL"), "Sometimes 4");
  // Only the side that is chosen reads.
  EXPECT_EQ(Observation("C t\n{ int y = 1; }\nP0 (atomic_int* x, int* y) { int r0 = atomic_load_explicit(x, "
                        "memory_order_relaxed) ? *y : 7; }\nP1 (atomic_int* x, int* y) { *y = 2; }\nexists (0:r0=7)\n",
                        "rc11"),
            "Always 1");
}

// Signs, carries and parts of registers; `tests/litmus/arithmetic.py` compares many more with processors.
TEST(LitmusParse, NumbersOfTheirSize) {
  EXPECT_EQ(Observation("X86_64 t\n{ 0:rax=0; }\n P0 ;\n decl %eax ;\n js L ;\n movl $1,%ebx ;\n L: ;\nexists "
                        "(0:rbx=0)\n",
                        "x86tso"),
            "Always 1");
  EXPECT_EQ(
      Observation("X86_64 t\n{ int64_t 0:rax=257; int64_t t[2]={1,-1}; 0:rbx=t; 0:rcx=1; }\n P0 ;\n movb $3,%al ;\n "
                  "movq 0(%rbx,%rcx,8),%rdx ;\nexists (0:rax=259 /\\ 0:rdx=-1)\n",
                  "x86tso"),
      "Always 1");
  EXPECT_EQ(
      Observation("AArch64 t\n{ int64_t 0:X1=-9223372036854775808; 0:X2=3; }\n P0 ;\n SUBS X0,X1,X2 ;\n CSET W3,MI "
                  ";\n CSET W4,VS ;\n CSET W5,CS ;\nexists (0:X3=0 /\\ 0:X4=1 /\\ 0:X5=1)\n",
                  "aarch64"),
      "Always 1");
  EXPECT_EQ(
      Observation("AArch64 t\n{ int x=-1; 0:X1=x; 0:X2=-128; 0:X4=-128; 0:X5=7; }\n P0 ;\n LDSMIN W2,W3,[X1] ;\n CAS "
                  "W4,W5,[X1] ;\nexists (0:X3=-1 /\\ 0:X4=-128 /\\ x=7)\n",
                  "aarch64"),
      "Always 1");
  EXPECT_EQ(Observation("RISCV t\n{ int x=5; 0:x6=x; int64_t 0:x7=4294967296; }\n P0 ;\n amomin.w x5,x7,(x6) ;\nexists "
                        "(0:x5=5 /\\ x=0)\n",
                        "riscv"),
            "Always 1");
}

// A reservation of RISC-V may cover more than one place, one of Arm does not.
TEST(LitmusParse, ReservationOfAnotherPlace) {
  EXPECT_EQ(
      Observation("RISCV t\n{ 0:x5=x; 0:x7=y; }\n P0 ;\n lr.w x1,(x5) ;\n ori x2,x0,1 ;\n sc.w x6,x2,(x7) ;\nexists "
                  "(y=1)\n",
                  "riscv"),
      "Sometimes 2");
  EXPECT_EQ(Observation("AArch64 t\n{ 0:X5=x; 0:X7=y; 0:X2=1; }\n P0 ;\n LDXR W1,[X5] ;\n STXR W6,W2,[X7] ;\nexists "
                        "(y=1)\n",
                        "aarch64"),
            "Never 1");
}

TEST(LitmusParse, LoopsAndLargeTests) {
  SimResult spin = SimulateText(
      "C t\n{ }\nP0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\n"
      "P1 (atomic_int* x) { int r; do { r = atomic_load_explicit(x, memory_order_relaxed); } while (r == 0); }\nexists "
      "(1:r=0)\n",
      "rc11");
  EXPECT_EQ(spin.undecided, "");  // a loop that only waits loses nothing
  EXPECT_EQ(spin.positive, 0U);
  SimResult counts =
      SimulateText("C t\n{ }\nP0 (atomic_int* x) { while (1) { atomic_fetch_add(x, 1); } }\nexists (x=1)\n", "rc11");
  EXPECT_NE(counts.undecided.find("a loop was followed"), std::string::npos);
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += i % 2 == 0 ? " MOV [x],$1 | MOV EAX,[y] ;\n" : " MOV [y],$1 | MOV EBX,[x] ;\n";
  Result<litmus::Test> test =
      ParseLitmus("t.litmus", "X86 big\n{ }\n P0 | P1 ;\n" + rows + "exists (1:EAX=1 /\\ 1:EBX=0)\n");
  ASSERT_TRUE(test);
  SimOptions options;
  options.seconds = 0.2;
  options.limits.traces = 5000;
  Result<SimResult> result = Simulate(*test, ModelNamed("x86tso").sources, ModelNamed("x86tso").program, options);
  EXPECT_TRUE(!result || !result->undecided.empty());  // too large, and it says so
}

}  // namespace
}  // namespace heddle::litmus
