#!/usr/bin/env python3
"""The checkers themselves: what must match matches, and what must not does not."""
import unittest

import events
import trace_expectation
import invariants
import pattern

TRACE = """
       1 T0    begin stack=0x10+8
       2 T0    lock mutex 0xa0  pc=0x1
         T0    write 0xc0 4  pc=0x2
       3 T0    unlock mutex 0xa0  pc=0x3
       4 T0    fork T1  pc=0x4
       5 T1    begin stack=0x20+8
       6 T1    lock mutex try 0xa0  pc=0x5
       7 T1    unlock mutex 0xa0  pc=0x6
       8 T1    end
       9 T0    join T1  pc=0x7
      10 T0    process_exit 0
"""


def complaints(text, trace=TRACE):
    wanted = trace_expectation.Expectation(text)
    return wanted.sections[0].check(events.parse(trace), wanted.hidden)


class Patterns(unittest.TestCase):
    GOOD = "T0: begin; lock $m @a; unlock $m; fork T1; join T1; process_exit 0\nT1: begin; lock try $m @b; unlock $m; end\n"

    def test_whole_match(self):
        self.assertEqual(complaints(self.GOOD + "order @a < @b\ncount unlock $m = 2"), [])

    def test_differences_are_found(self):
        for old, new in [("lock try $m", "lock $m"), ("fork T1; ", ""), ("lock try $m", "lock try $n"), ("end", "end; end"),
                         ("process_exit 0", "process_exit 1"), ("T1: begin", "T2: begin")]:
            self.assertNotEqual(complaints(self.GOOD.replace(old, new, 1)), [], (old, new))

    def test_order_and_count(self):
        self.assertNotEqual(complaints(self.GOOD + "order @b < @a"), [])
        self.assertNotEqual(complaints(self.GOOD + "order @a < @missing"), [])
        self.assertNotEqual(complaints(self.GOOD + "count unlock $m = 1"), [])
        self.assertNotEqual(complaints(self.GOOD + "count unlock $m >= 3"), [])

    def test_skip_repeat_and_show(self):
        self.assertEqual(complaints("T0: begin; ...; join T1; ...\nT1: begin; (lock try $_; unlock $_)*; end"), [])
        self.assertNotEqual(complaints("T0: ...\nT1: begin; (lock try $_; unlock $_)*2; end"), [])
        self.assertNotEqual(complaints("show: write\n" + self.GOOD), [])

    def test_bad_text_is_refused(self):
        for text in ["T0: (begin", "T0: begin)*", "count lock", "wrong: 1", "nonsense"]:
            with self.assertRaises(pattern.PatternError):
                trace_expectation.Expectation(text)


class Invariants(unittest.TestCase):
    def broken(self, old, new):
        self.assertIn(old, TRACE)
        return invariants.check(events.parse(TRACE.replace(old, new)))

    def test_good(self):
        self.assertEqual(invariants.check(events.parse(TRACE)), [])

    def test_each_violation_is_found(self):
        for old, new in [
            ("       3 T0    unlock mutex 0xa0  pc=0x3", "       3 T0    fence seq_cst"),  # T1 locks what T0 holds
            ("       6 T1    lock mutex try 0xa0", "       6 T1    lock mutex try busy 0xa0"),  # unlock without lock
            ("       8 T1    end", "       8 T1    fence seq_cst"),  # joined while alive
            ("       7 T1", "      77 T1"),  # a place is missing
            ("       4 T0    fork T1", "       4 T0    fork T2"),  # T1 was never created
        ]:
            self.assertNotEqual(self.broken(old, new), [], new)

    def test_objects(self):
        for lines in [
            "1 T0    begin stack=0x1+1\n2 T0    sem_init 0xa 0\n3 T0    sem_wait 0xa",
            "1 T0    begin stack=0x1+1\n2 T0    barrier_init 0xa 2\n3 T0    barrier_enter 0xa\n4 T0    barrier_exit 0xa",
            "1 T0    begin stack=0x1+1\n2 T0    alloc 0xa 8\n3 T0    alloc 0xa 8",
            "1 T0    begin stack=0x1+1\n2 T0    atomic_store 0xa 4 value=1 relaxed\n"
            "3 T0    atomic_load 0xa 4 value=2 relaxed",
            "1 T0    begin stack=0x1+1\n2 T0    lock mutex 0xb\n3 T0    wait 0xa mutex=0xb\n"
            "4 T0    wake 0xa mutex=0xb signal=9",
        ]:
            self.assertNotEqual(invariants.check(events.parse(lines)), [], lines)


unittest.main()
