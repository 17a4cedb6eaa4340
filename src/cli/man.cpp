// heddle man: the man pages, made from the same tables as --help. A page for heddle and one for each verb.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "cli/describe.h"
#include "cli/verb.h"

namespace heddle::cli {
namespace {

// A text as a line of roff: no character of it is a request or an escape.
std::string Text(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string PageName(const std::string& command) {
  std::string name = command.empty() ? "heddle" : "heddle-" + command;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string Head(const std::string& command, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"heddle {}\" \"heddle\"\n.SH NAME\n{} \\- {}\n", Text(PageName(command)),
                     HEDDLE_VERSION, Text(PageName(command)), Text(summary));
}

// Lines stay lines: examples and lists are laid out by hand.
std::string Literal(const std::string& text) { return ".nf\n" + Text(text) + "\n.fi\n"; }

std::string OptionsText(const CommandInfo& command) {
  std::string text;
  for (const OptionInfo& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) {
      names += fmt::format("{}{}{}\\fR", names.empty() ? "" : ", ", option.positional ? "\\fI" : "\\fB", Text(name));
    }
    bool value = !option.value.empty() && !option.positional;
    text += fmt::format(".TP\n{}{}\n{}", names, value ? " \\fI" + Text(option.value) + "\\fR" : "", Text(option.text));
    if (!option.choices.empty()) {
      text += ":";
      for (const std::string& choice : option.choices) text += " " + Text(choice);
    }
    if (!option.standard.empty()) text += fmt::format(" (default {})", Text(option.standard));
    text += "\n";
  }
  return text;
}

constexpr const char* kExitCodes =
    ".SH EXIT STATUS\n"
    ".TP\n0\nnothing found\n.TP\n1\nfindings\n.TP\n2\nthe command line or an input file is wrong\n"
    ".TP\n3\nnot decided, or could not analyse\n.TP\n4\nthe replay diverged\n"
    ".TP\n5\nthis machine lacks something; the message says what to do\n"
    ".TP\n126, 127\nthe program cannot be run, or is not there\n";

constexpr const char* kFiles =
    ".SH FILES\n"
    ".TP\n\\fI.heddle/\\fR\nresults of each command, and \\fIlatest\\fR, a link to the last\n"
    ".TP\n\\fIheddle.toml\\fR\noptions of the project\n"
    ".TP\n\\fIheddle.supp\\fR\nsuppressions\n";

// What a page says of one command; a verb with parts has several.
std::string Section(const CommandInfo& command) {
  std::string text = fmt::format(".SS heddle {}\n", Text(command.name));
  text += Literal(command.about.empty() ? command.summary : command.about) + OptionsText(command);
  return command.footer.empty() ? text : text + ".PP\n" + Literal(command.footer);
}

std::string VerbPage(const CommandInfo& verb, const std::vector<CommandInfo>& all) {
  std::string text = Head(verb.name, verb.summary);
  std::string positionals;
  for (const OptionInfo& option : verb.options) {
    if (option.positional) positionals += " [\\fI" + Text(option.names[0]) + "\\fR]";
  }
  text += fmt::format(".SH SYNOPSIS\n\\fBheddle {}\\fR{} [\\fIoptions\\fR]{}\n", Text(verb.name),
                      verb.parts.empty() ? "" : " \\fIpart\\fR", positionals);
  if (!verb.options.empty()) {
    text += ".SH DESCRIPTION\n" + Literal(verb.about) + ".SH OPTIONS\n" + OptionsText(verb);
    if (!verb.footer.empty()) text += ".SH EXAMPLES\n" + Literal(verb.footer);
  }
  if (!verb.parts.empty()) {
    text += ".SH PARTS\n";
    for (const CommandInfo& part : all) {
      if (part.name.starts_with(verb.name + " ")) text += Section(part);
    }
  }
  return text + kExitCodes + ".SH SEE ALSO\n\\fBheddle\\fR(1)\n";
}

std::string MainPage(const std::vector<CommandInfo>& all) {
  std::string text = Head("", "finds, predicts, provokes, replays and explains concurrency bugs");
  text += ".SH SYNOPSIS\n\\fBheddle\\fR \\fIverb\\fR [\\fIoptions\\fR] [\\-\\- \\fIprogram\\fR \\fIarguments\\fR]\n";
  text += ".SH DESCRIPTION\nCompile a program with \\fBheddle cc\\fR; every analysis runs on that binary.\n.SH VERBS\n";
  for (const CommandInfo& command : all) {
    if (command.name.find(' ') != std::string::npos) continue;
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", Text(PageName(command.name)), Text(command.summary));
  }
  return text + kExitCodes + kFiles;
}

// By file name.
std::map<std::string, std::string> Pages() {
  std::vector<CommandInfo> all = DescribeAll();
  std::map<std::string, std::string> pages = {{"heddle.1", MainPage(all)}};
  for (const CommandInfo& command : all) {
    if (command.name.find(' ') == std::string::npos) pages[PageName(command.name) + ".1"] = VerbPage(command, all);
  }
  return pages;
}

int RunMan(const Arguments& arguments) {
  CLI::App app("Prints a man page, or writes all of them", "heddle man");
  std::string verb;
  std::string folder;
  app.add_option("VERB", verb, "whose page (default: that of heddle itself)");
  app.add_option("-o", folder, "write every page into this folder")->type_name("DIR");
  app.footer("Examples:\n  heddle man check | man -l -\n  heddle man -o ~/.local/share/man/man1");
  if (int code = Parse(app, arguments); code >= 0) return code;
  std::map<std::string, std::string> pages = Pages();
  if (folder.empty()) {
    auto page = pages.find(PageName(verb) + ".1");
    if (page == pages.end()) {
      return Fail("man", MakeError(ErrorCode::kUsage, fmt::format("there is no verb `{}`", verb)));
    }
    std::fputs(page->second.c_str(), stdout);
    return kExitClean;
  }
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Fail("man", ErrnoError(folder, failure.value()));
  for (const auto& [name, text] : pages) {
    std::string path = folder;
    path += "/" + name;
    if (Status written = WriteFileAtomic(path, text); !written) return Fail("man", written.error());
  }
  return kExitClean;
}

}  // namespace

extern const Verb kManVerb;
const Verb kManVerb{"man", "print a man page, or write all of them", RunMan};

}  // namespace heddle::cli
