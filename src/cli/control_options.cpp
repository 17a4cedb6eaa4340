#include "cli/control_options.h"

#include "cli/word_option.h"

namespace heddle::cli {

CLI::Option* AddVisible(CLI::App& app, analysis::Visibility& visible) {
  return AddWordOption(
      app, "--visible", visible.level,
      "sync: locks and the like; atomics: these too; volatile: and volatile accesses; all: plain accesses too");
}

void AddTimeMode(CLI::App& app, wire::TimeMode& time) {
  AddWordOption(app, "--time-mode", time,
                "virtual: waits take no time; real: they last as long as they say (default: real for queue, and while "
                "the program has a child, listens on a socket or is connected to one)",
                {wire::TimeMode::kVirtual, wire::TimeMode::kReal});
}

void AddControlOptions(CLI::App& app, analysis::ControlOptions& options) {
  AddWordOption(app, "--strategy", options.strategy, "random, pct, pos, queue or rr", kChoosable);
  app.add_option("--seed", options.seed, "seed of random, pct and pos")->capture_default_str();
  app.add_option("--depth", options.depth, "pct: how many ordering constraints the bug may need")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--length", options.length, "pct: steps among which priorities change")->capture_default_str();
  AddWordOption(app, "--carrier", options.carrier, "os: a thread of the system each; fiber: all on one");
  AddVisible(app, options.visible);
  AddTimeMode(app, options.time);
  app.add_flag("--detect", options.detect, "look for races and misuse as well");
}

}  // namespace heddle::cli
