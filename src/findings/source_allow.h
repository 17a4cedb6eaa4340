// Suppressions in the source: a comment at the place of a finding says that someone decided to live with it, and why.
//
//   hits++;  // heddle-allow(data-race): a lost update does not matter, it is only shown
//
//   // heddle-allow(deadlock, data-race): runs before any other thread
//   pthread_mutex_lock(&b);
//
// The comment is on the line of one of the finding's sites (the innermost frame that is the user's), or in the comment
// lines right above it. A word is a kind of finding, or `race`, or `deadlock`, which means lock-order too. Without a
// reason, or with a word that is no kind, it hides nothing, and Apply says so.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/report.h"

namespace heddle::findings {

class SourceAllow {
 public:
  // The text of a file; nothing when it cannot be read (code of elsewhere: its findings are not hidden).
  using Read = std::function<std::optional<std::string>(const std::string& path)>;
  explicit SourceAllow(Read read) : read_(std::move(read)) {}

  // Marks what a comment hides and nothing else has hidden. Returns what is wrong with the comments that it saw, as
  // "file:line: text".
  std::vector<std::string> Apply(Report& report);

 private:
  struct Comment {
    uint32_t line = 0;
    std::vector<std::string> words;
    std::string reason;
  };
  const std::vector<std::string>& LinesOf(const std::string& path);
  std::optional<Comment> CommentAt(const std::string& path, uint32_t line);
  bool Allows(const Comment& comment, Kind kind, const std::string& path);
  void Complain(const std::string& path, uint32_t line, const std::string& text);

  Read read_;
  std::map<std::string, std::vector<std::string>> files_;
  std::vector<std::string> wrong_;
};

}  // namespace heddle::findings
