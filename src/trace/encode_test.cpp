// Records to payloads and back, against a plain copy of the records.
#include "trace/encode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "trace/decode.h"
#include "trace/test_events.h"

namespace heddle::trace {
namespace {

void AppendSlots(const Event& event, std::vector<Slot>* slots) {
  slots->push_back({PackHead(event.kind, event.detail, event.address), PackTail(event.pc, event.result, event.order)});
  if (IsRange(event.kind)) slots->push_back({event.arg, 0});
  if (IsOrdered(event.kind)) slots->push_back({event.sequence, event.arg});
  if (SlotsOf(event.kind) > 2) slots->push_back({event.arg2, event.arg3});
}

std::vector<Event> Decode(const std::vector<uint8_t>& payload) {
  Decoder decoder;
  EXPECT_TRUE(decoder.Start(payload.data(), payload.size()));
  std::vector<Event> events;
  Event event;
  while (decoder.Next(&event)) events.push_back(event);
  EXPECT_FALSE(decoder.damaged());
  return events;
}

std::vector<uint8_t> Encode(Encoder* encoder, const std::vector<Slot>& slots, uint32_t* count) {
  std::vector<uint8_t> payload(MaxPayloadBytes(slots.size()));
  payload.resize(encoder->Encode(slots.data(), slots.data() + slots.size(), payload.data(), count));
  return payload;
}

TEST(Encode, RandomRecordsComeBack) {
  std::mt19937_64 random(1);
  auto encoder = std::make_unique<Encoder>();
  for (int round = 0; round < 300; ++round) {
    std::vector<Event> events = RandomEvents(random, random() % 1300, 1);
    std::vector<Slot> slots;
    for (Event& event : events) AppendSlots(event, &slots);
    uint32_t count = 0;
    std::vector<uint8_t> payload = Encode(encoder.get(), slots, &count);
    EXPECT_EQ(count, events.size());
    ExpectSame(Decode(payload), events);
  }
}

// The largest fields in each record: the bound that the runtime relies on for its static buffers.
// Frame, Stack and StackReset records have no other fields than these.
void KeepMeaningful(Event* event) {
  if (event->kind < Kind::Frame || event->kind > Kind::StackReset) return;
  event->detail = event->result = event->order = 0;
  if (event->kind != Kind::Frame) event->pc = 0;
  if (event->kind == Kind::StackReset) event->address = 0;
}

TEST(Encode, WorstCaseFitsTheBound) {
  std::mt19937_64 random(2);
  auto encoder = std::make_unique<Encoder>();
  for (int kind = 1; kind < kKinds; ++kind) {
    std::vector<Slot> slots;
    std::vector<Event> events;
    while (slots.size() + 3 <= kLiveSlots) {
      Event event;
      event.kind = static_cast<Kind>(kind);
      event.detail = event.result = event.order = 255;
      event.address = events.size() % 2 == 0 ? kAddressMask : 0;
      event.pc = (random() & kAddressMask) | uint64_t{1} << 47U;
      if (events.size() % 2 == 0) event.pc = random() & 1023U;
      if (IsOrdered(event.kind)) event.sequence = events.size() % 2 == 0 ? UINT64_MAX : 1;
      if (IsOrdered(event.kind) || IsRange(event.kind)) event.arg = UINT64_MAX;
      if (SlotsOf(event.kind) > 2) event.arg2 = event.arg3 = UINT64_MAX;
      KeepMeaningful(&event);
      AppendSlots(event, &slots);
      events.push_back(event);
    }
    uint32_t count = 0;
    ExpectSame(Decode(Encode(encoder.get(), slots, &count)), events);
  }
}

TEST(Encode, DamagedPayloadsNeverCrash) {
  std::mt19937_64 random(3);
  auto encoder = std::make_unique<Encoder>();
  std::vector<Slot> slots;
  for (const Event& event : RandomEvents(random, 100, 1)) AppendSlots(event, &slots);
  uint32_t count = 0;
  std::vector<uint8_t> payload = Encode(encoder.get(), slots, &count);
  Decoder decoder;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> broken = payload;
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) broken[random() % broken.size()] ^= 1U << random() % 8;
    broken.resize(random() % 4 == 0 ? random() % broken.size() : broken.size());
    Event event;
    size_t events = 0;
    if (decoder.Start(broken.data(), broken.size())) {
      while (decoder.Next(&event)) ++events;
    }
    EXPECT_LE(events, broken.size());
  }
}

TEST(Encode, SlotsDecodeLikePayloads) {
  std::mt19937_64 random(4);
  std::vector<Event> events = RandomEvents(random, 1000, 1);
  std::vector<Slot> slots;
  for (const Event& event : events) AppendSlots(event, &slots);
  std::vector<Event> got;
  Event event;
  for (const Slot* at = slots.data(); uint32_t n = DecodeSlots(at, slots.data() + slots.size(), &event); at += n) {
    got.push_back(event);
  }
  ExpectSame(got, events);
}

TEST(Varint, BothFormsWriteTheSame) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t value = random() >> (random() % 64);
    uint8_t plain[kMaxVarintBytes + kVarintSlack] = {};
    uint8_t fast[kMaxVarintBytes + kVarintSlack] = {};
    long length = PutVarint(plain, value) - plain;
    ASSERT_EQ(PutVarintFast(fast, value) - fast, length) << value;
    ASSERT_EQ(memcmp(plain, fast, static_cast<size_t>(length)), 0) << value;
  }
}

}  // namespace
}  // namespace heddle::trace
