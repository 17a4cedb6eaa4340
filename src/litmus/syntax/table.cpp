#include <algorithm>

#include "litmus/syntax/parse_impl.h"

// The program of the assembly languages: a row of thread names, then rows of instructions, one column for each thread.
namespace heddle::litmus {
namespace {

std::string OneLine(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The columns of the row at the cursor as [begin, end) offsets; the cursor ends after its semicolon.
std::vector<std::pair<size_t, size_t>> TakeRow(Cursor& cursor) {
  std::vector<std::pair<size_t, size_t>> columns;
  std::string_view rest = cursor.Rest();
  size_t begin = 0;
  size_t i = 0;
  for (; i < rest.size() && rest[i] != ';'; ++i) {
    if (rest[i] != '|') continue;
    columns.emplace_back(cursor.at() + begin, cursor.at() + i);
    begin = i + 1;
  }
  columns.emplace_back(cursor.at() + begin, cursor.at() + i);
  cursor.Seek(cursor.at() + std::min(i + 1, rest.size()));
  return columns;
}

Status Names(Cursor& cursor, Test& test) {
  cursor.Skip();
  Cursor whole = cursor;
  for (const auto& [begin, end] : TakeRow(cursor)) {
    Cursor column = whole;
    column.Seek(begin);
    std::string_view name = column.Word();
    if (name.size() < 2 || name[0] != 'P' ||
        !std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      return whole.WrongAt(begin, end,
                           "expected the name of a thread, P0 or P1 or ..., in the first row of the program");
    }
    Thread thread;
    thread.name = std::string(name);
    if (column.Take("@")) {
      test.has_scope_tree = true;
      if (Status status = ParseScopes(column, thread.scope); !status) return status;
    }
    test.threads.push_back(std::move(thread));
  }
  return {};
}

Status Column(Cursor column, ThreadBuilder& thread, InstructionParser& parser) {
  while (!column.AtEnd()) {
    // A label, then perhaps an instruction.
    size_t begin = column.at();
    std::string label(column.Word());
    if (!label.empty() && column.Peek() == ':') {
      column.Take(":");
      thread.Label(label);
      thread.thread().rows.push_back(label + ":");
      continue;
    }
    column.Seek(begin);
    int line = column.Line();
    size_t first = thread.thread().code.size();
    if (Status status = parser.Parse(column, thread); !status) return status;
    std::string text = OneLine(column.Text(begin, column.at()));
    thread.thread().rows.push_back(text);
    auto& code = thread.thread().code;
    for (size_t i = first; i < code.size(); ++i) {
      code[i].line = line;
      code[i].text = text;
    }
    if (!column.AtEnd()) return column.Wrong("unexpected " + column.Shown() + " after the instruction");
  }
  return {};
}

}  // namespace

int ThreadNumbered(const Test& test, int64_t number) {
  for (size_t i = 0; i < test.threads.size(); ++i) {
    if (test.threads[i].name == "P" + std::to_string(number)) return static_cast<int>(i);
  }
  return -1;
}

Status ParseScopes(Cursor& cursor, Scope& scope) {
  do {
    std::string word(cursor.Word());
    std::optional<int64_t> number = cursor.Number();
    if (!number) return cursor.Wrong("expected a number after `" + word + "`, found " + cursor.Shown());
    int id = static_cast<int>(*number);
    if (word == "cta" || word == "wg") {
      scope.group = id;
    } else if (word == "gpu" || word == "dev" || word == "dv") {
      scope.device = id;
    } else if (word == "sg" || word == "warp") {
      scope.warp = id;
    } else if (word == "qf") {
      scope.queue = id;
    } else if (word == "cluster") {
      scope.cluster = id;
    } else {
      return cursor.Wrong("expected cta, cluster, gpu, sg, wg, qf or dev, found `" + word + "`");
    }
  } while (cursor.Take(","));
  return {};
}

bool AtEnding(Cursor& cursor) {
  if (cursor.AtEnd()) return true;
  char next = cursor.Peek();
  if (next == '~' || next == '(') return true;
  std::string_view word = cursor.PeekWord();
  if (word == "not") {  // an instruction too
    Cursor ahead = cursor;
    ahead.Word();
    return ahead.PeekWord() == "exists";
  }
  return word == "exists" || word == "forall" || word == "locations" || word == "filter" || word == "final" ||
         word == "assert";
}

Status ParseTable(Cursor& cursor, Test& test, InstructionParser& parser, const std::vector<LaterRegister>& later) {
  if (Status status = Names(cursor, test); !status) return status;
  std::vector<ThreadBuilder> threads;
  for (size_t i = 0; i < test.threads.size(); ++i) threads.emplace_back(test, static_cast<int>(i));
  for (const LaterRegister& reg : later) {
    int index = ThreadNumbered(test, reg.thread);
    if (index < 0)
      return cursor.Wrong("the initial state names thread " + std::to_string(reg.thread) + ", which is not there");
    int number = threads[static_cast<size_t>(index)].Register(reg.name);
    test.threads[static_cast<size_t>(index)].register_init[static_cast<size_t>(number)] = reg.value;
  }
  while (!AtEnding(cursor)) {
    Cursor whole = cursor;
    auto columns = TakeRow(cursor);
    if (columns.size() > threads.size()) {
      return whole.Wrong("this row has " + std::to_string(columns.size()) + " columns for " +
                         std::to_string(threads.size()) + " threads");
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      Cursor column = whole.Within(columns[i].first, columns[i].second);
      if (Status status = Column(column, threads[i], parser); !status) return status;
    }
  }
  for (ThreadBuilder& thread : threads) {
    if (Status status = thread.FinishLabels(cursor); !status) return status;
  }
  return {};
}

}  // namespace heddle::litmus
