#!/usr/bin/env python3
"""The helpers of the runners themselves: each word of an expectation refuses what it should, and a failure names its case."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from expectation import KNOWN, Expectation, cases_in
from heddle import Ended, Failed, Heddle, run_cases


def ended(kinds=(), code=0, text="", **coverage):
    findings = [{"kind": kind.split(":")[0], "status": (kind.split(":") + ["proved"])[1]} for kind in kinds]
    return Ended(code, text, "", {"findings": findings, "coverage": {"complete": True, "executions": 3, "blocked": 1, **coverage}})


class ExpectationTest(unittest.TestCase):
    def check(self, text, good, bad):
        self.assertEqual(Expectation(text).problems(good), [], text)
        self.assertNotEqual(Expectation(text).problems(bad), [], text)

    def test_each_word_accepts_and_refuses(self):
        tried = {
            "findings=data-race": (ended(["data-race"]), ended(["deadlock"])),
            "findings=none": (ended(), ended(["data-race"])),
            "findings=deadlock:confirmed": (ended(["deadlock:confirmed"]), ended(["deadlock:possible"])),
            "has=data-race": (ended(["data-race", "misuse"]), ended(["misuse"])),
            "exit=1": (ended(code=1), ended(code=0)),
            "says=not.complete": (ended(text="it is not complete"), ended(text="complete")),
            "complete": (ended(), ended(complete=False)),
            "bounded": (ended(complete=False), ended()),
            "executions=3": (ended(), ended(executions=4)),
            "total=4": (ended(), ended(blocked=0)),
            "confirmed": (ended(["data-race:confirmed"]), ended(["data-race:possible"])),
        }
        for text, (good, bad) in tried.items():
            self.check(text, good, bad)
        self.assertEqual({text.split("=")[0] for text in tried}, KNOWN)

    def test_unknown_word_is_wrong(self):
        self.assertNotEqual(Expectation("finding=none").problems(ended()), [])

    def test_missing_report_is_wrong(self):
        self.assertNotEqual(Expectation("findings=none").problems(Ended(3, "", "")), [])

    def test_suppressed_findings_do_not_count(self):
        one = ended(["data-race"])
        one.report["findings"][0]["suppressed"] = {"rule": "x"}
        self.assertEqual(Expectation("findings=none").problems(one), [])

    def test_cases_in_comments(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.c"
            path.write_text("/* EXPLORE: -DN=2 -DX -> executions=2 complete */\n// EXPLORE: -> findings=none\nint x;\n")
            self.assertEqual(list(cases_in(path, "EXPLORE")), [(["-DN=2", "-DX"], "executions=2 complete"), ([], "findings=none")])


class RunCasesTest(unittest.TestCase):
    def run_it(self, check, cases=("first", "second")):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            good = run_cases("cases", cases, check, end=False)
        return good, text.getvalue()

    def test_all_right(self):
        self.assertEqual(self.run_it(lambda case: ""), (True, "2 cases, 0 failed\n"))

    def test_no_cases_is_a_failure(self):
        self.assertFalse(self.run_it(lambda case: "", [])[0])

    def test_a_failure_names_its_case_and_the_others_are_run(self):
        def check(case):
            if case == "first":
                raise Failed("it does not compile")
            return ["one", "two"]
        good, text = self.run_it(check)
        self.assertFalse(good)
        self.assertEqual(text, "FAILED first: it does not compile\nFAILED second: one\nFAILED second: two\n2 cases, 2 failed\n")

    def test_a_fault_of_the_runner_names_its_case(self):
        good, text = self.run_it(lambda case: 1 // 0)
        self.assertFalse(good)
        self.assertIn("FAILED first: Traceback", text)


class CommandTest(unittest.TestCase):
    def test_flags_reach_the_compiler(self):
        heddle = Heddle("/bin/echo")
        commands = []
        
        def run(*command, **_):
            commands.append([str(word) for word in command])
            return Ended(0, "", "")

        heddle.run = run
        heddle.build(pathlib.Path("a.cpp"), "a", "-DBUG", "-mcx16", libraries=["-lx"])
        for word in ("-DBUG", "-mcx16", "-lx", "-std=c++20"):
            self.assertIn(word, commands[0])
        self.assertGreater(commands[0].index("-lx"), commands[0].index("a.cpp"))

    def test_late_commands_and_wrong_codes_fail(self):
        heddle = Heddle("/bin/true")
        with self.assertRaises(Failed):
            heddle.run("sh", "-c", "exit 3", code=0)
        with self.assertRaises(Failed):
            heddle.run("sh", "-c", "while :; do :; done", seconds=0.2)


if __name__ == "__main__":
    unittest.main()
