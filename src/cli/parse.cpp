#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "base/near.h"
#include "cli/describe.h"
#include "cli/project_file.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

// Every long option name of the app and its subcommands, with the dashes.
std::vector<std::string> LongOptions(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// A wrong option gets the nearest right one; CLI11 only says that it did not expect it.
std::string Suggestion(const CLI::App& app, const Arguments& arguments) {
  std::vector<std::string> known = LongOptions(app);
  std::vector<std::string_view> views(known.begin(), known.end());
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.rfind("--", 0) != 0) continue;
    std::string name = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = DidYouMean(name, views);
    if (!hint.empty()) return fmt::format("unknown option `{}`: {}", name, hint);
  }
  return {};
}

// What an input or a name puts into a message must not move the cursor or colour the terminal.
std::string Visible(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    out += (byte < ' ' && c != '\n' && c != '\t') || byte == 0x7F ? '?' : c;
  }
  return out;
}

// What heddle.toml says, then the command line. The options of a --help are not worth an error in that file.
Result<Arguments> WithProjectFile(CLI::App& app, const Arguments& arguments) {
  auto program = std::find(arguments.begin(), arguments.end(), "--");
  bool help = std::find_if(arguments.begin(), program,
                           [](const std::string& word) { return word == "--help" || word == "-h"; }) != program;
  std::string path = help ? "" : FindProjectFile();
  if (path.empty()) return arguments;
  Result<Arguments> all = ProjectArguments(path, app, arguments);
  if (all) all->insert(all->end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

int Parse(CLI::App& app, const Arguments& arguments) {
  std::string color = "auto";
  app.add_option("--color", color, "colour in what is printed: auto (on a terminal, not with NO_COLOR), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  if (CommandInfo* sink = DescribeSink()) {
    *sink = InfoOf(app);
    return kExitClean;
  }
  Result<Arguments> all = WithProjectFile(app, arguments);
  if (!all) return Fail(app.get_name().substr(7), all.error());
  std::vector<std::string> reversed(all->rbegin(), all->rend());
  try {
    app.parse(std::move(reversed));
    ChooseColor(color);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::fputs(app.help().c_str(), stdout);
      return kExitClean;
    }
    std::string hint = Suggestion(app, arguments);
    fmt::print(stderr, "{}: {}\n", app.get_name(), hint.empty() ? error.what() : hint);
    fmt::print(stderr, "try `{} --help`\n", app.get_name());
    return kExitUsage;
  }
  return -1;
}

int Fail(std::string_view verb, const Error& error) {
  std::string message = Visible(error.message);
  // A message about a line of an input is complete, and stands alone so that editors find the place.
  if (!message.empty() && message.back() == '\n') {
    fmt::print(stderr, "{}", message);
  } else {
    fmt::print(stderr, "heddle {}: {}\n", verb, message);
  }
  switch (error.code) {
    case ErrorCode::kUsage:
    case ErrorCode::kBadInput:
    case ErrorCode::kNotFound:
      return kExitUsage;
    case ErrorCode::kUnsupported:
      return kExitEnvironment;
    case ErrorCode::kIo:
    case ErrorCode::kLimit:
    case ErrorCode::kInternal:
      return kExitUndecided;
  }
  return kExitUndecided;
}

int CannotRunCode(const Error& error) { return error.code == ErrorCode::kNotFound ? kExitNoProgram : kExitCannotRun; }

}  // namespace heddle::cli
