#include "predict/property_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "predict/csp_model.h"
#include "predict/event_names.h"
#include "trace/user_event.h"

namespace heddle::predict {
namespace {

using trace::UserField;
using trace::UserShape;

std::string Numbers(size_t count) { return count == 0 ? "{}" : fmt::format("{{0..{}}}", count - 1); }

std::string Listed(const std::set<int64_t>& values) {
  std::string text = "{";
  // `{-` would begin a comment.
  for (int64_t value : values) text += (text.size() == 1 ? " " : ", ") + std::to_string(value);
  return text + " }";
}

// What is known of one event: how its fields look, and which values they had.
struct Channel {
  std::vector<UserField> fields;
  std::vector<std::set<int64_t>> values;     // by field
  std::vector<std::set<std::string>> words;  // by field
};

class Declarations {
 public:
  Declarations(const TraceModel& model, const std::map<uint64_t, std::string>& strings, const Property& property) {
    for (const auto& [number, text] : strings) Declare(text);
    for (const std::string& text : property.declared) Declare(text);
    for (const CustomEvent& event : model.custom) {
      auto text = strings.find(event.name);
      if (text != strings.end()) AddValues(text->second, event);
    }
  }

  std::string Write(const std::map<std::string, bool>& property_words) const {
    std::string text;
    std::set<std::string> words;
    std::set<int64_t> values = {0};
    for (const auto& [name, channel] : channels_) {
      for (const auto& set : channel.words) words.insert(set.begin(), set.end());
      for (const auto& set : channel.values) values.insert(set.begin(), set.end());
    }
    if (!words.empty()) text += fmt::format("datatype Word = {}\n", fmt::join(words, " | "));
    text += fmt::format("nametype Value = {}\n", Listed(values));
    for (const auto& [name, channel] : channels_) text += WriteChannel(name, channel, property_words);
    return text;
  }

 private:
  void Declare(const std::string& text) {
    std::optional<UserShape> shape = trace::ShapeOfUserEvent(text);
    if (!shape) return;
    Channel& channel = channels_[shape->name];
    if (channel.fields.empty()) {
      channel.fields = shape->fields;
      channel.values.resize(shape->fields.size());
      channel.words.resize(shape->fields.size());
    }
    if (channel.fields.size() != shape->fields.size()) return;  // two programs' events in one trace
    for (size_t i = 0; i < shape->fields.size(); ++i) {
      const UserField& field = shape->fields[i];
      if (field.kind == UserField::Kind::kWord) channel.words[i].insert(field.text);
      if (field.kind == UserField::Kind::kNumber) channel.values[i].insert(std::stoll(field.text));
    }
  }

  void AddValues(const std::string& text, const CustomEvent& event) {
    std::optional<UserShape> shape = trace::ShapeOfUserEvent(text);
    if (!shape) return;
    Channel& channel = channels_[shape->name];
    size_t captured = 0;
    for (size_t i = 0; i < shape->fields.size() && i < channel.values.size(); ++i) {
      if (shape->fields[i].kind != UserField::Kind::kCaptured || captured >= event.values.size()) continue;
      channel.values[i].insert(event.values[captured++]);
    }
  }

  static std::string WriteChannel(const std::string& name, const Channel& channel,
                                  const std::map<std::string, bool>& property_words) {
    std::string text;
    std::string type = "Thread";
    for (size_t i = 0; i < channel.fields.size(); ++i) {
      bool word = !channel.words[i].empty();
      std::string set = word ? fmt::format("{{ {} }}", fmt::join(channel.words[i], ", ")) : Listed(channel.values[i]);
      text += fmt::format("{}_arg{} = {}\n", name, i + 1, set);
      type += word ? fmt::format(".{}_arg{}", name, i + 1) : std::string(".Value");
    }
    auto known = property_words.find(name);
    bool own = known != property_words.end() && known->second;
    if (!own) text += fmt::format("channel {} : {}\n", name, type);
    return text;
  }

  std::map<std::string, Channel> channels_;
};

std::string Script(const TraceModel& model, const std::map<uint64_t, std::string>& strings, const Property& property,
                   const std::string& operations) {
  EventNames names(model, strings);
  std::string text =
      "-- What a property is checked on: the events of a run, and PROGRAM, which performs them in all orders.\n";
  text += fmt::format("nametype Thread = {}\nnametype Mutex = {}\nnametype CondVar = {}\nnametype Barrier = {}\n",
                      Numbers(model.threads.size()), Numbers(model.locks), Numbers(names.conditions()),
                      Numbers(model.barriers.size()));
  text += fmt::format("nametype Semaphore = {}\nnametype Memory = {{}}\ninclude \"program.csp\"\n",
                      Numbers(model.semaphores.size()));
  text += Declarations(model, strings, property).Write(WordsOf(property.text));
  text += operations;
  text += "PROGRAM = OP_ALL[[ done <- endthreads";
  for (const Place& place : model.places) {
    std::string name = names.Of(place);
    if (!name.empty()) text += fmt::format(",\n  op.{}.{} <- {}", place.thread, place.position, name);
  }
  text += " ]] \\ {| op |}\n";
  return text + fmt::format("include \"{}\"\n", property.path);
}

}  // namespace

std::map<std::string, bool> WordsOf(const std::string& text) {
  std::map<std::string, bool> words;
  bool channel = false;  // between `channel` and the end of its names
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "--") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "{-") == 0) {
      i = std::min(text.find("-}", i), text.size() - 2) + 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      size_t begin = i;
      while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_')) ++i;
      std::string word = text.substr(begin, i - begin);
      words[word] = words[word] || channel;
      if (word == "channel") channel = true;
    } else {
      if (text[i] == ':' || text[i] == '\n') channel = false;
      ++i;
    }
  }
  return words;
}

std::string PropertyScript(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                           const Property& property, const Constraints& constraints) {
  return Script(model, strings, property, CspReorderings(model, constraints, "OP_ALL"));
}

std::string PropertyRunScript(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                              const Property& property, bool ends) {
  return Script(model, strings, property, CspRun(model, ends, "OP_ALL"));
}

}  // namespace heddle::predict
