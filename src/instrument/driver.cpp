#include "instrument/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/file.h"
#include "instrument/arguments.h"

namespace heddle::instrument {
namespace {

// GNU rules: blanks separate, quotes of both kinds group, a backslash takes the next character as it is.
Arguments SplitResponse(const std::string& text) {
  Arguments words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

// Files may name files; a cycle ends at this depth.
constexpr int kMaxDepth = 20;

Status Expand(const Arguments& arguments, int depth, Arguments* out) {
  for (const std::string& argument : arguments) {
    if (argument.size() < 2 || argument[0] != '@') {
      out->push_back(argument);
      continue;
    }
    Result<std::string> text = ReadFile(argument.substr(1));
    if (!text) {
      out->push_back(argument);  // as the compilers do: then it is a file's name
      continue;
    }
    if (depth == kMaxDepth) return MakeError(ErrorCode::kUsage, argument + ": response files nest too deeply");
    Status status = Expand(SplitResponse(*text), depth + 1, out);
    if (!status) return status;
  }
  return {};
}

bool IsClang(const DriverConfig& config) { return config.compiler != Compiler::kGcc; }

constexpr std::string_view kSanitize = "-fsanitize=";

// What the command line asks of sanitizers, without `thread`: that instrumentation is ours in any case, and the runtime
// that belongs to it must not be linked.
struct Sanitizers {
  Arguments arguments;  // the command line without -fsanitize=thread
  bool others = false;
  std::string refused;  // one that cannot be in a program with heddle; empty: none
};

bool CannotBeTogether(std::string_view sanitizer) {
  constexpr std::array kOwnMemory = {"address", "hwaddress", "memory", "leak", "dataflow", "kernel-address", "memtag"};
  return std::find(kOwnMemory.begin(), kOwnMemory.end(), sanitizer) != kOwnMemory.end();
}

Sanitizers TakeSanitizers(const Arguments& arguments) {
  Sanitizers found;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with(kSanitize)) {
      found.arguments.push_back(argument);
      continue;
    }
    std::string left;
    for (size_t begin = kSanitize.size(); begin <= argument.size();) {
      size_t end = std::min(argument.find(',', begin), argument.size());
      std::string word = argument.substr(begin, end - begin);
      if (CannotBeTogether(word)) found.refused = word;
      if (word != "thread") left += (left.empty() ? "" : ",") + word;
      begin = end + 1;
    }
    found.others = found.others || !left.empty();
    if (!left.empty()) found.arguments.push_back(std::string(kSanitize) + left);
  }
  return found;
}

Arguments CompileFlags(const DriverConfig& config, const CommandLine& line) {
  Arguments flags;
  if (IsClang(config)) flags.push_back("--start-no-unused-arguments");
  flags.push_back("-fsanitize=thread");
  if (IsClang(config)) {
    flags.push_back("-fno-sanitize-link-runtime");
    if (config.compiler == Compiler::kClang19 && !config.plugin.empty()) {
      flags.push_back("-fpass-plugin=" + config.plugin);
    }
  } else {
    flags.push_back("-Wno-tsan");  // it warns that fences are not understood; by our runtime they are
  }
  if (!line.debug_info_given) flags.push_back("-g");
  if (IsClang(config)) flags.push_back("--end-no-unused-arguments");
  return flags;
}

Arguments LinkFlags(const DriverConfig& config) {
  Arguments flags;
  if (IsClang(config)) flags.push_back("--start-no-unused-arguments");
  flags.insert(flags.end(), {"-Wl,--push-state,--no-as-needed", "-L" + config.runtime_dir, "-lheddle_rt",
                             "-Wl,--pop-state", "-Wl,-rpath," + config.runtime_dir});
  if (IsClang(config)) flags.push_back("--end-no-unused-arguments");
  return flags;
}

void Append(Arguments* to, const Arguments& more) { to->insert(to->end(), more.begin(), more.end()); }

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string Stem(const std::string& path) {
  std::string base = BaseName(path);
  return base.substr(0, base.rfind('.'));
}

// gcc names the dependency file of source.c in a linking command OUTPUT-source.d.
std::string DependencyName(const CommandLine& line, const std::string& source) {
  return (line.output.empty() ? "a" : line.output) + "-" + Stem(source) + ".d";
}

// Link-time optimisation sees the whole program; lld keeps it as it is before optimising.
Result<DriverPlan> PlanBitcode(const DriverConfig& config, const Arguments& given, const CommandLine& line,
                               bool links) {
  if (config.compiler != Compiler::kClang19) {
    return MakeError(ErrorCode::kUsage,
                     fmt::format("--bitcode needs clang 19, and {} is another compiler", config.program));
  }
  Arguments command = {config.program};
  Append(&command, given);
  command.push_back("--start-no-unused-arguments");
  // Code of two branches stays apart, each with its own lines; virtual calls tell their class.
  Append(&command, {"-flto=full", "-fwhole-program-vtables", "-O1", "-fno-inline", "-g", "-mllvm",
                    "-hoist-common-insts=false", "-mllvm", "-sink-common-insts=false", "-mllvm",
                    "-simplifycfg-merge-cond-stores=false", "-mllvm", "-instcombine-code-sinking=false"});
  DriverPlan plan;
  if (links) {
    plan.bitcode_path = (line.output.empty() ? "a.out" : line.output) + ".bc";
    plan.linked_bitcode = (line.output.empty() ? "a.out" : line.output) + ".0.0.preopt.bc";
    // The classes stay in the saved program, and the linker changes no call because of them: classes of libraries may
    // be derived from the program's.
    Append(&command, {"-fuse-ld=lld", "-Wl,--save-temps=preopt", "-Wl,--lto-whole-program-visibility",
                      "-Wl,-mllvm,-wholeprogramdevirt-skip=*"});
  }
  command.push_back("--end-no-unused-arguments");
  plan.commands.push_back(std::move(command));
  return plan;
}

// One compile command for each source, then the link.
DriverPlan Split(const DriverConfig& config, const Arguments& arguments, const CommandLine& line) {
  DriverPlan plan;
  Arguments link = {config.program};
  Append(&link, LinkFlags(config));
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool is_source = std::find(line.sources.begin(), line.sources.end(), i) != line.sources.end();
    if (!is_source) {
      // Objects of the split must not be taken for sources again.
      if (arguments[i] == "-x" && i + 1 < arguments.size())
        ++i;
      else if (arguments[i].rfind("-x", 0) != 0)
        link.push_back(arguments[i]);
      continue;
    }
    std::string object = fmt::format("{}/{}-{}.o", config.temporary_dir, i, Stem(arguments[i]));
    Arguments compile = {config.program};
    Append(&compile, CompileFlags(config, line));
    for (size_t j = 0; j < arguments.size(); j += OptionWidth(arguments, j)) {
      bool input = std::find(line.inputs.begin(), line.inputs.end(), j) != line.inputs.end();
      bool library = arguments[j].rfind("-l", 0) == 0 || arguments[j].rfind("-Wl,", 0) == 0;
      if ((input && j != i) || j == line.output_index || library) continue;
      for (size_t k = j; k < j + OptionWidth(arguments, j); ++k) compile.push_back(arguments[k]);
    }
    if (line.writes_dependencies && !line.dependency_file_given) {
      Append(&compile, {"-MF", DependencyName(line, arguments[i])});
    }
    Append(&compile, {"-c", "-o", object});
    plan.commands.push_back(std::move(compile));
    plan.temporaries.push_back(object);
    link.push_back(object);
  }
  plan.commands.push_back(std::move(link));
  return plan;
}

}  // namespace

Result<Arguments> ExpandResponseFiles(const Arguments& arguments) {
  Arguments expanded;
  Status status = Expand(arguments, 0, &expanded);
  if (!status) return status.error();
  return expanded;
}

Result<DriverPlan> PlanCompile(const DriverConfig& config, const Arguments& given) {
  Result<Arguments> expanded = ExpandResponseFiles(given);
  if (!expanded) return expanded.error();
  Sanitizers sanitizers = TakeSanitizers(*expanded);
  bool asked = sanitizers.arguments.size() != expanded->size() || sanitizers.others;
  if (asked) *expanded = sanitizers.arguments;
  CommandLine line = ParseCommandLine(*expanded);
  if (line.inputs.empty()) {
    Arguments command = {config.program};
    Append(&command, given);
    return DriverPlan{{command}, {}, "", ""};
  }
  if (!sanitizers.refused.empty() && !config.bitcode) {
    return MakeError(
        ErrorCode::kUsage,
        fmt::format("-fsanitize={}: it lays out the program's memory in its own way, and heddle cannot be in "
                    "the same program; build without it",
                    sanitizers.refused));
  }
  bool links = line.stage == Stage::kLink && !line.relocatable;
  if (config.bitcode) return PlanBitcode(config, given, line, links);
  if (links && line.is_static) {
    return MakeError(ErrorCode::kUsage,
                     "-static: heddle's runtime is a shared library and must be loaded with libc; link without -static "
                     "(-static-libstdc++ and -static-libgcc are fine)");
  }
  // clang links no sanitizer's runtime in a command that compiles for us; one that only links has those it needs.
  bool splits = !IsClang(config) || sanitizers.others;
  if (links && !line.sources.empty() && splits) return Split(config, *expanded, line);
  Arguments command = {config.program};
  if (!line.sources.empty()) Append(&command, CompileFlags(config, line));
  if (links) Append(&command, LinkFlags(config));
  Append(&command, asked ? *expanded : given);
  return DriverPlan{{command}, {}, "", ""};
}

}  // namespace heddle::instrument
