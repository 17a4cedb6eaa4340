// heddle litmus SUBVERB: memory-model tests.
#include "cli/litmus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "analysis/target/share_dir.h"
#include "base/file.h"
#include "base/near.h"
#include "litmus/syntax/parse.h"

namespace heddle::cli {
namespace {

constexpr Part kSubVerbs[] = {
    {"gen", "tests from cycles of relaxations", LitmusGen},
    {"sim", "which final states a memory model allows", LitmusSim},
    {"run", "what this machine does, with counts", LitmusRun},
    {"optcheck", "whether the compiler kept a test's accesses", LitmusOptcheck},
    {"lock", "which fence a lock misses", LitmusLock},
    {"log", "compare, merge and tabulate logs", LitmusLog},
};

void Usage() {
  fmt::print(
      "heddle litmus: memory-model tests, from a cycle of relaxations to counts on the machine.\n\n"
      "  heddle litmus gen --arch X86_64 -o tests       tests from cycles\n"
      "  heddle litmus sim --model x86tso SB.litmus    which final states does the model allow?\n"
      "  heddle litmus run --model x86tso SB.litmus     what does this machine do, and is it allowed?\n"
      "  heddle litmus lock ticket.c                    which fence does this lock miss?\n"
      "  heddle litmus log compare A.log B.log          which shows more?\n\n");
  for (const Part& verb : kSubVerbs) fmt::print("  {:<9} {}\n", verb.name, verb.summary);
  fmt::print("\n`heddle litmus SUBVERB --help` says more; docs/litmus.md explains the formats and models.\n");
}

int RunLitmus(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    Usage();
    return arguments.empty() ? kExitUsage : kExitClean;
  }
  std::vector<std::string_view> known;
  for (const Part& verb : kSubVerbs) {
    if (verb.name == arguments[0]) return verb.run({arguments.begin() + 1, arguments.end()});
    known.push_back(verb.name);
  }
  std::string hint = DidYouMean(arguments[0], known);
  fmt::print(stderr, "heddle litmus: there is no `{}`{}{}\n", arguments[0], hint.empty() ? "" : "; ", hint);
  return kExitUsage;
}

Status AddList(const std::string& path, std::vector<std::string>& files) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  std::istringstream lines(*text);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    files.push_back(line[0] == '/' ? line : (folder / line).string());
  }
  return {};
}

void AddFolder(const std::string& path, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
    if (entry.path().extension() == ".litmus") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

litmus::CatSearch LitmusSearch(const std::vector<std::string>& include, const std::vector<std::string>& variants) {
  litmus::CatSearch search;
  search.paths = include;
  for (std::string& path : analysis::LitmusModelPaths()) search.paths.push_back(std::move(path));
  search.variants = variants;
  return search;
}

Result<litmus::Test> ReadLitmus(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return litmus::ParseLitmus(path, *text);
}

Result<std::vector<std::string>> LitmusFiles(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument.size() > 1 && argument[0] == '@') {
      if (Status status = AddList(argument.substr(1), files); !status) return status.error();
    } else if (std::filesystem::is_directory(argument, error)) {
      AddFolder(argument, files);
    } else {
      files.push_back(argument);
    }
  }
  return files;
}

int LitmusFail(const Error& error) {
  if (error.code != ErrorCode::kBadInput && error.code != ErrorCode::kUnsupported) return Fail("litmus", error);
  fmt::print(stderr, "{}", error.message);
  if (!error.message.ends_with('\n')) fmt::print(stderr, "\n");
  return error.code == ErrorCode::kUnsupported ? kExitUndecided : kExitUsage;
}

extern const Verb kLitmusVerb;
const Verb kLitmusVerb{"litmus", "memory-model tests: generate, simulate, run, compare", RunLitmus, kSubVerbs, false};

}  // namespace heddle::cli
