#include "cli/refine_html.h"

#include <fmt/format.h>

#include "base/markup.h"

namespace heddle::cli {
namespace {

std::string FailureRows(const refine::RangeResult& all) {
  std::string rows;
  for (const refine::FailureRow& row : all.failures) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        EscapeMarkup(row.constraint), EscapeMarkup(row.headline), EscapeMarkup(row.original),
                        EscapeMarkup(row.transformed), row.count, row.seed);
  }
  return rows;
}

}  // namespace

std::string RefineHtml(const refine::RangeResult& all, const std::string& title) {
  std::string page = fmt::format(
      "<!doctype html><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>body{{font:14px sans-serif;margin:2em}}table{{border-collapse:collapse}}"
      "td,th{{border:1px solid #ccc;padding:.3em .6em;text-align:left}}</style>\n"
      "<h1>{0}</h1>\n<p>{1} threads, {2} comparisons: {3} equal, {4} not decided. {5} reads that the original does not "
      "do had no effect.</p>\n",
      EscapeMarkup(title), all.threads, all.pairs, all.matched, all.undecided, all.harmless_reads);
  page += all.failures.empty()
              ? "<p>No failures.</p>\n"
              : "<h2>Failures</h2>\n<table><tr><th>constraint</th><th>what the compiler did</th><th>original</th>"
                "<th>compiled</th><th>times</th><th>first seed</th></tr>\n" +
                    FailureRows(all) + "</table>\n";
  if (all.reasons.empty()) return page;
  page += "<h2>Not decided</h2>\n<table><tr><th>times</th><th>why</th></tr>\n";
  for (const auto& [reason, count] : all.reasons) {
    page += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", count, EscapeMarkup(reason));
  }
  return page + "</table>\n";
}

}  // namespace heddle::cli
