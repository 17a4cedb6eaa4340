#include "instrument/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/file.h"
#include "instrument/arguments.h"
#include "wire/declared_locks.h"

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

// The dependency file of source.c in a linking command: OUTPUT-source.d for gcc, for clang OUTPUT or source with
// another ending.
std::string DependencyName(const DriverConfig& config, const CommandLine& line, const std::string& source) {
  if (!IsClang(config)) return (line.output.empty() ? "a" : line.output) + "-" + Stem(source) + ".d";
  if (line.output.empty()) return Stem(source) + ".d";
  size_t dot = line.output.rfind('.');
  bool ending = dot != std::string::npos && line.output.find('/', dot) == std::string::npos;
  return (ending ? line.output.substr(0, dot) : line.output) + ".d";
}

bool Has(const std::vector<size_t>& indices, size_t index) {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

// Whether the option is about the list of files that the source includes.
bool WritesDependencies(std::string_view option) {
  return option == "-MD" || option == "-MMD" || option == "-MP" || option == "-MG" || option == "-MV" ||
         option.starts_with("-MF") || option.starts_with("-MT") || option.starts_with("-MQ") ||
         option.starts_with("-MJ");
}

// The arguments for compiling the source at `source` alone: without other inputs, libraries and the output.
Arguments ForSource(const Arguments& arguments, const CommandLine& line, size_t source, bool dependencies) {
  Arguments kept;
  for (size_t i = 0; i < arguments.size(); i += OptionWidth(arguments, i)) {
    bool library = arguments[i].starts_with("-l") || arguments[i].starts_with("-Wl,");
    bool other = Has(line.inputs, i) && i != source;
    if (other || library || i == line.output_index) continue;
    if (!dependencies && WritesDependencies(arguments[i])) continue;
    for (size_t k = i; k < i + OptionWidth(arguments, i); ++k) kept.push_back(arguments[k]);
  }
  return kept;
}

// Assembler has no bitcode, and what comes by standard input can be read once only.
bool HasBitcode(const std::string& source) {
  return source != "-" && !source.ends_with(".s") && !source.ends_with(".S") && !source.ends_with(".sx");
}

// Headers are compiled for later, not into an object.
bool MakesHeader(const Arguments& arguments, const CommandLine& line) {
  if (std::find(arguments.begin(), arguments.end(), "-emit-pch") != arguments.end()) return true;
  return std::any_of(line.sources.begin(), line.sources.end(), [&](size_t source) {
    std::string_view name = arguments[source];
    return name.ends_with(".h") || name.ends_with(".hpp") || name.ends_with(".hh");
  });
}

// Neither the instrumentation nor headers that were compiled with it. Build systems name such a header's source too.
Arguments WithoutSanitizers(const Arguments& arguments) {
  Arguments kept;
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool header = arguments[i] == "-Xclang" && i + 3 < arguments.size() && arguments[i + 1] == "-include-pch";
    if (header) i += 3;
    if (!header && !arguments[i].starts_with(kSanitize)) kept.push_back(arguments[i]);
  }
  return kept;
}

// Compiles the source at `source` to bitcode as the static analysis likes it. What is wrong with the source is said by
// the command that makes the object; errors that stop both are said here.
Arguments BitcodeCommand(const DriverConfig& config, const Arguments& arguments, const CommandLine& line, size_t source,
                         const std::string& output) {
  Arguments command = {config.program};
  // Before the user's own flags: -Uguarded_by leaves a word alone that means something else in the program.
  for (const wire::DeclaredAttribute& one : wire::kDeclaredAttributes) {
    command.push_back(
        fmt::format("-D{}(...)=annotate(\"{}{}:\" #__VA_ARGS__)", one.attribute, wire::kDeclaredPrefix, one.word));
  }
  Append(&command, WithoutSanitizers(ForSource(arguments, line, source, false)));
  command.push_back("--start-no-unused-arguments");
  // Code of two branches stays apart, each with its own lines; virtual calls tell their class.
  Append(&command,
         {"-flto=full", "-fwhole-program-vtables", "-O1", "-fno-inline", "-g", "-w", "-mllvm",
          "-hoist-common-insts=false", "-mllvm", "-sink-common-insts=false", "-mllvm",
          "-simplifycfg-merge-cond-stores=false", "-mllvm", "-instcombine-code-sinking=false", "-c", "-o", output});
  command.push_back("--end-no-unused-arguments");
  return command;
}

// Adds the commands that compile the source at `source` into `object`, which carries bitcode when that is wanted.
void AddCompile(const DriverConfig& config, const Arguments& arguments, const CommandLine& line, size_t source,
                Arguments compile, DriverPlan* plan) {
  std::string carried;
  if (config.bitcode && HasBitcode(arguments[source])) {
    carried = fmt::format("{}/{}-{}.bc", config.temporary_dir, source, Stem(arguments[source]));
    plan->commands.push_back(BitcodeCommand(config, arguments, line, source, carried));
    plan->carried.emplace_back();
    plan->temporaries.push_back(carried);
  }
  plan->commands.push_back(std::move(compile));
  plan->carried.push_back(carried);
}

// One compile command for each source, then the link.
DriverPlan Split(const DriverConfig& config, const Arguments& arguments, const CommandLine& line) {
  DriverPlan plan;
  Arguments link = {config.program};
  Append(&link, LinkFlags(config));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!Has(line.sources, i)) {
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
    Append(&compile, ForSource(arguments, line, i, true));
    if (line.writes_dependencies && !line.dependency_file_given) {
      Append(&compile, {"-MF", DependencyName(config, line, arguments[i])});
    }
    Append(&compile, {"-c", "-o", object});
    AddCompile(config, arguments, line, i, std::move(compile), &plan);
    plan.temporaries.push_back(object);
    link.push_back(object);
  }
  plan.commands.push_back(std::move(link));
  plan.carried.emplace_back();
  return plan;
}

// Without a link: each source becomes an object of its own.
DriverPlan CompileEach(const DriverConfig& config, const Arguments& arguments, const CommandLine& line) {
  DriverPlan plan;
  for (size_t source : line.sources) {
    Arguments compile = {config.program};
    Append(&compile, CompileFlags(config, line));
    // The compiler gives the object its name: that of -o, or of the source.
    Append(&compile, line.sources.size() == 1 ? arguments : ForSource(arguments, line, source, true));
    AddCompile(config, arguments, line, source, std::move(compile), &plan);
  }
  return plan;
}

Error NotClang(const DriverConfig& config) {
  return MakeError(ErrorCode::kUsage,
                   fmt::format("--bitcode needs clang 19, and {} is another compiler", config.program));
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
    return DriverPlan{{command}, {}, {}, "", ""};
  }
  if (config.bitcode && config.compiler != Compiler::kClang19) return NotClang(config);
  if (!sanitizers.refused.empty()) {
    return MakeError(
        ErrorCode::kUsage,
        fmt::format("-fsanitize={}: it lays out the program's memory in its own way, and heddle cannot be in "
                    "the same program; build without it",
                    sanitizers.refused));
  }
  bool links = line.stage == Stage::kLink && !line.relocatable;
  if (links && line.is_static) {
    return MakeError(ErrorCode::kUsage,
                     "-static: heddle's runtime is a shared library and must be loaded with libc; link without -static "
                     "(-static-libstdc++ and -static-libgcc are fine)");
  }
  DriverPlan plan;
  bool carries = config.bitcode && !MakesHeader(*expanded, line);
  // clang links no sanitizer's runtime in a command that compiles for us; one that only links has those it needs.
  bool splits = !IsClang(config) || sanitizers.others || carries;
  if (links && !line.sources.empty() && splits) {
    plan = Split(config, *expanded, line);
  } else if (carries && line.stage == Stage::kAssemble && !line.sources.empty()) {
    plan = CompileEach(config, *expanded, line);
  } else {
    Arguments command = {config.program};
    if (!line.sources.empty()) Append(&command, CompileFlags(config, line));
    if (links) Append(&command, LinkFlags(config));
    Append(&command, asked ? *expanded : given);
    plan.commands.push_back(std::move(command));
  }
  if (config.bitcode && links) {
    plan.linked = line.output.empty() ? "a.out" : line.output;
    plan.bitcode_path = plan.linked + ".bc";
  }
  return plan;
}

}  // namespace heddle::instrument
