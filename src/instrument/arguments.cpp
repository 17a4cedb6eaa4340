#include "instrument/arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::instrument {
namespace {

// Options whose value is the next argument.
constexpr std::array<std::string_view, 44> kSeparate = {
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-l",
    "-B",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-imultilib",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xanalyzer",
    "-target",
    "-arch",
    "-wrapper",
    "--param",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-mllvm",
    "-framework",
    "-soname",
};

constexpr std::array<std::string_view, 24> kSourceEndings = {
    ".c", ".i",  ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C",   ".ii", ".cppm", ".ixx",
    ".m", ".mm", ".s",  ".S",  ".sx",  ".ll",  ".bc",  ".f",   ".f90", ".h",  ".hpp",  ".hh"};

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool IsSource(std::string_view name, bool language_given) {
  if (language_given || name == "-") return true;
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  return std::find(kSourceEndings.begin(), kSourceEndings.end(), name.substr(dot)) != kSourceEndings.end();
}

void Stop(CommandLine* line, Stage stage) { line->stage = std::min(line->stage, stage); }

void Flag(std::string_view flag, CommandLine* line) {
  if (flag == "-E" || flag == "-M" || flag == "-MM") return Stop(line, Stage::kPreprocess);
  if (flag == "-S" || flag == "-fsyntax-only" || flag == "-emit-ast") return Stop(line, Stage::kCompile);
  if (flag == "-c" || flag == "--precompile") return Stop(line, Stage::kAssemble);
  if (flag == "-static" || flag == "-static-pie") line->is_static = true;
  if (flag == "-r") line->relocatable = true;
  if (flag == "-MD" || flag == "-MMD") line->writes_dependencies = true;
  if (StartsWith(flag, "-MF")) line->dependency_file_given = true;
  // -g, -g0, -ggdb3, -gdwarf-4, ...; not -gcc-toolchain and the like, which have two dashes.
  if (StartsWith(flag, "-g")) line->debug_info_given = true;
}

}  // namespace

size_t OptionWidth(const Arguments& arguments, size_t index) {
  bool separate = std::find(kSeparate.begin(), kSeparate.end(), arguments[index]) != kSeparate.end();
  return separate && index + 1 < arguments.size() ? 2 : 1;
}

CommandLine ParseCommandLine(const Arguments& arguments) {
  CommandLine line;
  bool language_given = false;
  for (size_t i = 0; i < arguments.size(); i += OptionWidth(arguments, i)) {
    const std::string& argument = arguments[i];
    if (argument == "-" || argument.empty() || argument[0] != '-') {
      line.inputs.push_back(i);
      if (IsSource(argument, language_given)) line.sources.push_back(i);
      continue;
    }
    Flag(argument, &line);
    if (StartsWith(argument, "-x")) {
      std::string_view language =
          argument == "-x" && i + 1 < arguments.size() ? arguments[i + 1] : std::string_view(argument).substr(2);
      language_given = language != "none";
    } else if (argument == "-o" && i + 1 < arguments.size()) {
      line.output = arguments[i + 1];
      line.output_index = i;
    } else if (StartsWith(argument, "-o") && !StartsWith(argument, "-object")) {
      line.output = argument.substr(2);
      line.output_index = i;
    }
  }
  return line;
}

}  // namespace heddle::instrument
