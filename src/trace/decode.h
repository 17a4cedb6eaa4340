// The payload of an events chunk back to events; the counterpart of encode.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/address_guess.h"
#include "trace/event.h"
#include "trace/format.h"

namespace heddle::trace {

// Decodes one payload after another. Frame, Stack and StackReset records come out as events too; StreamCursor folds
// them into Event::stack.
class Decoder {
 public:
  // `payload` must outlive the calls of Next. False when its frame is wrong.
  bool Start(const uint8_t* payload, size_t bytes);

  // False at the end or when the payload is damaged; damaged() tells which.
  bool Next(Event* event);
  bool damaged() const { return damaged_; }

 private:
  struct Site {
    Event prototype;
    AddressGuess address{};
    uint64_t last_arg = 0;
    uint64_t last_arg3 = 0;
  };

  bool Broken();
  bool DefineSite();
  bool WithSite(uint64_t number, Event* event);
  bool Arguments(Site* site, Event* event);
  bool Context(Kind kind, Event* event);
  uint64_t Field();  // sets field_at_ to null when the column has ended

  std::vector<Site> sites_;
  const uint8_t* tag_at_ = nullptr;
  const uint8_t* tag_end_ = nullptr;
  const uint8_t* delta_at_ = nullptr;
  const uint8_t* delta_end_ = nullptr;
  const uint8_t* field_at_ = nullptr;
  const uint8_t* field_end_ = nullptr;
  uint64_t last_pc_ = 0;
  uint64_t last_frame_pc_ = 0;
  uint64_t last_node_ = 0;
  uint64_t last_sequence_ = 0;
  uint64_t last_address_ = 0;
  bool damaged_ = false;
};

// Reads the record at `at` (whole records up to `end`) of a live buffer. Returns the record's slots, 0 when it is not
// a valid record.
uint32_t DecodeSlots(const Slot* at, const Slot* end, Event* event);

}  // namespace heddle::trace
