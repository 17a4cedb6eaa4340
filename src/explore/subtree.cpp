#include "explore/subtree.h"

#include "explore/event_code.h"

namespace heddle::explore {

std::string EncodeSubtree(const Subtree& subtree) {
  EventWriter writer;
  writer.States(subtree.path);
  writer.Number(subtree.base);
  writer.Tree(subtree.below);
  return writer.Text();
}

std::optional<Subtree> DecodeSubtree(std::string_view text) {
  EventReader reader(text);
  Subtree subtree;
  subtree.path = reader.States();
  subtree.base = reader.Below(subtree.path.size() + 1);
  subtree.below = reader.Tree();
  if (!reader.AtEnd()) return std::nullopt;
  return subtree;
}

std::string EncodeRest(const SubtreeRest& rest) {
  EventWriter writer;
  writer.Number(rest.asks.size());
  for (const AskedSequence& ask : rest.asks) {
    writer.Number(ask.depth);
    writer.Sequence(ask.events);
  }
  writer.Event(rest.root);
  writer.States(rest.own);
  return writer.Text();
}

std::optional<SubtreeRest> DecodeRest(std::string_view text) {
  EventReader reader(text);
  SubtreeRest rest;
  for (size_t left = reader.Count(); reader.ok() && left > 0; --left) {
    AskedSequence ask;
    ask.depth = reader.Number();
    ask.events = reader.Events();
    rest.asks.push_back(std::move(ask));
  }
  rest.root = reader.Event();
  rest.own = reader.States();
  if (!reader.AtEnd()) return std::nullopt;
  return rest;
}

}  // namespace heddle::explore
