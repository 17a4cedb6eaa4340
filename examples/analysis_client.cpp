// What an IDE or a CI system would do: run an analysis on a program and look at the findings, without the command.
//   analysis_client detect|predict|explore|check RESULTS PROGRAM ARGUMENTS...
#include <heddle/analysis/run.h>

#include <cstdio>
#include <map>
#include <string>

int main(int count, char** words) {
  using namespace heddle;
  const std::map<std::string, Result<findings::Report> (*)(const analysis::Request&)> analyses = {
      {"detect", analysis::Detect},
      {"predict", analysis::Predict},
      {"explore", analysis::Explore},
      {"check", analysis::Check}};
  auto chosen = count < 4 ? analyses.end() : analyses.find(words[1]);
  if (chosen == analyses.end()) {
    std::fprintf(stderr, "usage: analysis_client detect|predict|explore|check RESULTS PROGRAM ARGUMENTS...\n");
    return 2;
  }
  Result<findings::Report> report = chosen->second({{words + 3, words + count}, words[2], 30});
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 3;
  }
  for (const findings::Finding& finding : report->findings) {
    std::printf("%s %s: %s\n", finding.id.c_str(), std::string(findings::KindName(finding.kind)).c_str(),
                finding.message.c_str());
    for (const findings::Step* site : findings::Sites(finding)) {
      const Frame* frame = site->stack.empty() ? nullptr : &site->stack.front();
      std::printf("  thread %s at %s:%u\n", site->thread.c_str(), frame == nullptr ? "?" : frame->file.c_str(),
                  frame == nullptr ? 0 : frame->line);
    }
  }
  if (!report->coverage.undecided.empty()) std::printf("not decided: %s\n", report->coverage.undecided.c_str());
  return report->findings.empty() ? 0 : 1;
}
