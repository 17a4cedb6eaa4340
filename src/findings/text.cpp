#include "findings/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "findings/width.h"
#include "findings/witness_text.h"

namespace heddle::findings {
namespace {

constexpr size_t kIdColumn = 78;    // where "F1 · confirmed" begins when the message leaves room
constexpr size_t kSiteGap = 3;      // between the columns of the site list
constexpr size_t kMinSiteText = 8;  // so that short statements line up from finding to finding
constexpr size_t kMaxSiteText = 48;
constexpr size_t kMaxFrames = 8;  // of a stack that is shown on one line

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kReset = "\x1b[0m";

std::string Paint(std::string_view text, std::string_view color, const TextOptions& options) {
  if (!options.color) return std::string(text);
  return fmt::format("{}{}{}", color, text, kReset);
}

std::string Plural(uint64_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

// "possible" findings are warnings: heddle does not claim that the program can do it.
std::string Header(const Finding& finding, const TextOptions& options) {
  bool sure = finding.status != FindingStatus::kPossible;
  std::string label = fmt::format("{}[{}]", sure ? "error" : "warning", KindName(finding.kind));
  std::string message = ": " + Printable(finding.message);
  std::string right = fmt::format("{} · {}", Printable(finding.id), Printable(StatusText(finding)));
  if (finding.count > 1) right += fmt::format(" · {} times", finding.count);
  size_t used = DisplayWidth(label) + DisplayWidth(message);
  std::string gap(used + 2 <= kIdColumn ? kIdColumn - used : 2, ' ');
  return Paint(label, sure ? kRed : kYellow, options) + Paint(message, kBold, options) + gap +
         Paint(right, kDim, options) + "\n";
}

const ThreadInfo* FindThread(const Finding& finding, const std::string& id) {
  auto found = std::find_if(finding.threads.begin(), finding.threads.end(),
                            [&](const ThreadInfo& thread) { return thread.id == id; });
  return found == finding.threads.end() ? nullptr : &*found;
}

std::string ThreadLabel(const Finding& finding, const std::string& id) {
  const ThreadInfo* thread = FindThread(finding, id);
  if (thread == nullptr || thread->name.empty()) return Printable(id);
  return fmt::format("{} `{}`", Printable(id), Printable(thread->name));
}

std::string LocksText(const Step& step) {
  if (step.locks.empty()) return "none";
  std::string out;
  for (const std::string& lock : step.locks) out += (out.empty() ? "" : ", ") + Printable(lock);
  return out;
}

std::string FrameText(const Frame& frame, bool with_place) {
  std::string name = frame.function.empty() ? "?" : fmt::format("`{}`", Printable(frame.function));
  if (with_place) name += " " + Printable(ShortPlace(frame));
  if (frame.inlined) name += " (inlined)";
  return name;
}

// The stack on one line, innermost first; runs of library frames folded, those below the thread's own code dropped.
std::vector<std::string> FoldedFrames(const Stack& stack) {
  const Frame* site = UserFrame(stack);
  std::vector<std::string> parts;
  size_t run = 0;
  std::string alone;
  for (const Frame& frame : stack) {
    if (IsLibraryFrame(frame) && &frame != site) {
      alone = FrameText(frame, false);
      ++run;
      continue;
    }
    if (run > 0) parts.push_back(run == 1 ? alone : Plural(run, "library frame"));
    run = 0;
    parts.push_back(FrameText(frame, &frame != site));
  }
  return parts;
}

std::string StackLine(const Finding& finding, const Step& step) {
  std::vector<std::string> parts = FoldedFrames(step.stack);
  const Frame* site = UserFrame(step.stack);
  if (site == nullptr) return {};
  // A single frame in the thread's own start function says nothing that the site line does not.
  const ThreadInfo* thread = FindThread(finding, step.thread);
  bool plain = parts.size() == 1 && ((thread != nullptr && thread->name == site->function) || site->function.empty());
  if (plain) return {};
  std::string line = "      in ";
  for (size_t i = 0; i < std::min(parts.size(), kMaxFrames); ++i) line += (i == 0 ? "" : " ← ") + parts[i];
  if (parts.size() > kMaxFrames) line += fmt::format(" ← {} more", parts.size() - kMaxFrames);
  return line + "\n";
}

struct SiteRow {
  std::string place;
  std::string thread;
  std::string text;
};

std::string SitesText(const Finding& finding, const TextOptions& options) {
  std::vector<SiteRow> rows;
  size_t place_width = 0;
  size_t thread_width = 0;
  size_t text_width = kMinSiteText;
  std::vector<const Step*> sites = Sites(finding);
  for (const Step* step : sites) {
    const Frame* frame = UserFrame(step->stack);
    SiteRow row{frame == nullptr ? "?" : Printable(ShortPlace(*frame)), "thread " + ThreadLabel(finding, step->thread),
                CutTo(Printable(StepText(*step)), kMaxSiteText)};
    place_width = std::max(place_width, DisplayWidth(row.place));
    thread_width = std::max(thread_width, DisplayWidth(row.thread));
    text_width = std::max(text_width, DisplayWidth(row.text));
    rows.push_back(std::move(row));
  }
  std::string out;
  for (size_t i = 0; i < rows.size(); ++i) {
    // Painted after padding: escape sequences take no columns.
    out +=
        "  " + Paint(rows[i].place, kBold, options) + PadTo("", place_width - DisplayWidth(rows[i].place) + kSiteGap);
    out += PadTo(rows[i].thread, thread_width + kSiteGap) + PadTo(rows[i].text, text_width + kSiteGap);
    out += "locks held: " + LocksText(*sites[i]) + "\n" + StackLine(finding, *sites[i]);
  }
  return out;
}

std::string OwnerText(const Memory& memory, std::string_view verb) {
  std::string out;
  if (!memory.thread.empty()) out += fmt::format(" {} {}", verb, Printable(memory.thread));
  const Frame* frame = UserFrame(memory.allocation_stack);
  if (frame == nullptr) return out;
  if (out.empty()) out = " allocated";
  return out + fmt::format(" at {} in {}", Printable(ShortPlace(*frame)), FrameText(*frame, false));
}

// Nothing for the start of a global: the message names it.
std::string MemoryText(const Memory& memory) {
  std::string size = memory.size > 0 ? fmt::format(" of {}", Plural(memory.size, "byte")) : "";
  std::string name = Printable(memory.name);
  switch (memory.where) {
    case Memory::Where::kUnknown:
      return {};
    case Memory::Where::kGlobal:
      if (memory.offset == 0) return {};
      return fmt::format("  memory: byte {} of the global `{}`{}\n", memory.offset, name, size);
    case Memory::Where::kHeap:
      return fmt::format("  memory: byte {} of a heap block{}{}\n", memory.offset, size,
                         OwnerText(memory, "allocated by"));
    case Memory::Where::kStack:
      return fmt::format("  memory: byte {} of `{}`{} on the stack{}\n", memory.offset, name.empty() ? "?" : name, size,
                         OwnerText(memory, "of"));
    case Memory::Where::kThreadLocal:
      return fmt::format("  memory: byte {} of the thread-local `{}`{}{}\n", memory.offset, name, size,
                         OwnerText(memory, "of"));
  }
  return {};
}

std::string OutputText(const Finding& finding) {
  if (finding.output.empty()) return {};
  std::string out =
      finding.output.size() == 1 ? "  the program printed last:\n" : "  the last lines that the program printed:\n";
  for (const std::string& line : finding.output) out += "    | " + Printable(line) + "\n";
  return out;
}

std::string ThreadsText(const Finding& finding) {
  std::string out;
  for (const ThreadInfo& thread : finding.threads) {
    const Frame* frame = UserFrame(thread.creation_stack);
    if (frame == nullptr) continue;
    out += fmt::format("  thread {} created{} at {} in {}\n", ThreadLabel(finding, thread.id),
                       thread.parent.empty() ? "" : " by " + Printable(thread.parent), Printable(ShortPlace(*frame)),
                       FrameText(*frame, false));
  }
  return out;
}

std::string StatusCounts(const Report& report) {
  std::string out;
  for (FindingStatus status : {FindingStatus::kConfirmed, FindingStatus::kProved, FindingStatus::kPossible}) {
    auto n = std::count_if(report.findings.begin(), report.findings.end(),
                           [&](const Finding& finding) { return Active(finding) && finding.status == status; });
    if (n > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, StatusName(status));
  }
  return out;
}

std::string CountsText(const Report& report) {
  uint64_t active = ActiveCount(report);
  std::string out = active == 0 ? (report.coverage.undecided.empty() ? "no findings" : "not decided")
                                : fmt::format("{} ({})", Plural(active, "finding"), StatusCounts(report));
  uint64_t known = 0;
  uint64_t suppressed = 0;
  for (const Finding& finding : report.findings) {
    if (finding.suppressed) {
      ++suppressed;
    } else if (finding.known) {
      ++known;
    }
  }
  if (suppressed > 0) out += fmt::format(", {} suppressed", suppressed);
  if (known > 0) out += fmt::format(", {} in the baseline", known);
  return out;
}

std::string WorkText(const Coverage& coverage) {
  std::string out;
  auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  if (coverage.runs > 0) add(Plural(coverage.runs, "run"));
  if (coverage.executions > 0) add(Plural(coverage.executions, "execution"));
  if (coverage.blocked > 0) add(fmt::format("{} blocked", coverage.blocked));
  if (coverage.events > 0) add(Plural(coverage.events, "event"));
  if (coverage.threads > 0) add(Plural(coverage.threads, "thread"));
  return out;
}

// Always one of: complete, bounded by something, or sampled.
std::string ScopeText(const Coverage& coverage) {
  if (!coverage.undecided.empty()) return coverage.undecided;
  if (coverage.complete) return coverage.scope.empty() ? "complete" : coverage.scope;
  std::string out = coverage.scope.empty() ? "" : coverage.scope + ", ";
  // A bound that is a sentence of its own needs no introduction.
  for (std::string_view word : {"stopped ", "exploration ", "not explored", "not complete"}) {
    if (coverage.bound.starts_with(word)) return out + coverage.bound;
  }
  if (!coverage.bound.empty()) return out + "bounded by " + coverage.bound;
  return out + "sampled: other runs may differ";
}

// Every line at most so wide, but a command stays in one piece, so that it can be copied.
std::string Wrapped(std::string_view text, size_t width) {
  std::string out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    bool command = line.find("heddle replay") != std::string_view::npos;
    out += (command ? std::string(line) : WrapTo(line, width)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string FindingText(const Finding& finding, const TextOptions& options) {
  std::string out = Header(finding, options) + SitesText(finding, options) + WitnessText(finding, options);
  out += MemoryText(finding.memory) + OutputText(finding);
  if (options.verbose) out += ThreadsText(finding);
  if (!finding.why.empty()) out += "  " + Printable(finding.why) + "\n";
  if (!finding.help.empty()) out += "  " + Paint("help:", kCyan, options) + " " + Printable(finding.help) + "\n";
  if (!finding.replay.empty()) out += "  " + Paint("replay:", kCyan, options) + " " + Printable(finding.replay) + "\n";
  return out;
}

std::string CoverageLine(const Report& report) {
  const Coverage& coverage = report.coverage;
  std::string out = CountsText(report);
  std::string work = WorkText(coverage);
  if (!work.empty()) out += " · " + work;
  out += " · " + Printable(ScopeText(coverage));
  if (!coverage.note.empty()) out += " · " + Printable(coverage.note);
  return out + fmt::format(" · {:.{}f} s", coverage.seconds, coverage.seconds < 100 ? 1 : 0);
}

std::string ReportText(const Report& report, const TextOptions& options) {
  std::string out;
  for (const Finding& finding : report.findings) {
    if (!Active(finding)) continue;
    if (!out.empty()) out += "\n";
    out += FindingText(finding, options);
  }
  out += Paint(CoverageLine(report), kBold, options) + "\n";
  return options.wrap ? Wrapped(out, options.width) : out;
}

}  // namespace heddle::findings
