#include "cli/control_options.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {

void AddControlOptions(CLI::App& app, analysis::ControlOptions& options) {
  app.add_option("--strategy", options.strategy, "random, pct, pos, queue or rr")
      ->check(CLI::IsMember({"random", "pct", "pos", "queue", "rr"}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of random, pct and pos")->capture_default_str();
  app.add_option("--depth", options.depth, "pct: how many ordering constraints the bug may need")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--length", options.length, "pct: steps among which priorities change")->capture_default_str();
  app.add_option("--carrier", options.carrier, "os: a thread of the system each; fiber: all on one")
      ->check(CLI::IsMember({"os", "fiber"}))
      ->capture_default_str();
  app.add_option("--visible", options.visible, "sync: locks and the like; atomics: these too; all: plain accesses too")
      ->check(CLI::IsMember({"sync", "atomics", "all"}))
      ->capture_default_str();
  app.add_option("--time-mode", options.time,
                 "virtual: waits take no time; real: they last as long as they say (default: real when the program "
                 "listens on a socket, and for queue)")
      ->check(CLI::IsMember({"virtual", "real"}));
  app.add_flag("--detect", options.detect, "look for races and misuse as well");
}

}  // namespace heddle::cli
