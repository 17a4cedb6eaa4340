"""The one language in which tests say what heddle must say of a program: words with spaces between them.

  findings=K,K     the kinds of findings, all of them; none: there are none. K:STATUS also demands that status of each
  has=K,K          at least these kinds
  exit=N           the exit code
  says=WORDS       in what is printed, with dots for spaces
  complete         the report says so; `bounded`: it does not
  executions=N     complete executions;  total=N  complete and abandoned ones
  confirmed        no finding is only possible

A suite may have words of its own, which it takes out first (`take`). In a program's comment, `WORD: FLAGS -> WORDS` is one case:
FLAGS are the compiler's. A word that nobody knows is an error: a misspelled expectation checks nothing.
"""
import re

KNOWN = {"findings", "has", "exit", "says", "complete", "bounded", "executions", "total", "confirmed"}


def cases_in(path, word):
    """The cases that the comments of a source have: (flags, text of the expectation)."""
    for line in path.read_text().splitlines():
        found = re.search(rf"{word}:(.*?)->(.*?)(\*/)?$", line)
        if found:
            yield found[1].split(), found[2].strip()


class Expectation:
    def __init__(self, text):
        self.words = dict((word.split("=", 1) + ["yes"])[:2] for word in text.split())

    def take(self, word, otherwise=None):
        """A word of the suite's own, which is then no longer looked at."""
        return self.words.pop(word, otherwise)

    def has(self, word):
        return word in self.words

    def problems(self, ended):
        """What is not as expected of a command that has ended (heddle.Ended)."""
        unknown = sorted(set(self.words) - KNOWN)
        if unknown:
            return [f"the expectation has unknown words: {' '.join(unknown)}"]
        wrong = [problem for word, value in self.words.items() for problem in [self._problem(word, value, ended)] if problem]
        return [f"{'; '.join(wrong)}\n{ended.text}"] if wrong else []

    def _problem(self, word, value, ended):
        if word == "exit":
            return "" if ended.code == int(value) else f"exit code {ended.code}, expected {value}"
        if word == "says":
            return "" if value.replace(".", " ") in ended.text else f"does not say '{value}'"
        if ended.report is None:
            return f"there is no report (exit code {ended.code})"
        return getattr(self, f"_{word}")(value, ended, ended.report["coverage"])

    @staticmethod
    def _findings(value, ended, _):
        wanted = {} if value == "none" else dict((item.split(":") + [""])[:2] for item in value.split(","))
        found = {one["kind"] for one in ended.findings()}
        if found != set(wanted):
            return f"findings {sorted(found)}, expected {sorted(wanted)}"
        bad = [f"{one['kind']} is {one['status']}" for one in ended.findings() if wanted[one["kind"]] not in ("", one["status"])]
        return ", ".join(bad)

    @staticmethod
    def _has(value, ended, _):
        found = {one["kind"] for one in ended.findings()}
        return "" if set(value.split(",")) <= found else f"findings {sorted(found)}, expected {value} among them"

    @staticmethod
    def _complete(_, __, coverage):
        return "" if coverage["complete"] else f"not complete: {coverage.get('bound', '')}"

    @staticmethod
    def _bounded(_, __, coverage):
        return "complete, expected a bound" if coverage["complete"] else ""

    @staticmethod
    def _executions(value, _, coverage):
        return "" if coverage["executions"] == int(value) else f"{coverage['executions']} executions, expected {value}"

    @staticmethod
    def _total(value, _, coverage):
        total = coverage["executions"] + coverage["blocked"]
        return "" if total == int(value) else f"{total} executions in all, expected {value}"

    @staticmethod
    def _confirmed(_, ended, __):
        return ", ".join(f"{one['kind']} was not confirmed" for one in ended.findings() if one["status"] == "possible")
