// The options that every verb with a controlled run shares.
#pragma once

#include "analysis/target/controlled_run.h"
#include "wire/control_words.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heddle::cli {

// --visible.
CLI::Option* AddVisible(CLI::App& app, analysis::Visibility& visible);

// --time-mode.
void AddTimeMode(CLI::App& app, wire::TimeMode& time);

// --strategy, --seed, --depth, --length, --carrier, --visible, --time-mode, --detect.
void AddControlOptions(CLI::App& app, analysis::ControlOptions& options);

}  // namespace heddle::cli
