// The options of every command as tables. Each verb declares its options once, to the parser; `--help`, the shell
// completions, the man pages and the check of heddle.toml all read that declaration.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace heddle::cli {

struct OptionInfo {
  std::vector<std::string> names;    // "-o", "--output"; of a positional its one name
  std::string value;                 // "FILE", "TIME"; empty: a flag
  std::vector<std::string> choices;  // when only these are allowed
  std::string text;
  std::string standard;  // the default, when it is told
  bool positional = false;
  bool several = false;  // may be given more than once

  // The name that heddle.toml uses: the first long one without its dashes, else the short one.
  std::string Key() const;
};

struct CommandInfo {
  std::string name;  // "check", "trace record"
  std::string summary;
  std::string about;
  std::string footer;  // examples
  std::vector<OptionInfo> options;
  std::vector<std::string> parts;  // names of the commands below it

  const OptionInfo* Find(const std::string& key) const;  // by Key()
};

CommandInfo InfoOf(const CLI::App& app);

// Every verb and every part of a verb, in the order of `heddle --help`.
std::vector<CommandInfo> DescribeAll();

// For Parse and for verbs that do not use it: where to put the table when the options are only described, else null.
CommandInfo* DescribeSink();

}  // namespace heddle::cli
