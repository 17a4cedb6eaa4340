#include "sched/c11_graph.h"

namespace heddle::sched {
namespace {

using trace::Order;

bool Acquires(Order order) {
  return order == Order::Consume || order == Order::Acquire || order == Order::AcqRel || order == Order::SeqCst;
}
bool Releases(Order order) { return order == Order::Release || order == Order::AcqRel || order == Order::SeqCst; }

}  // namespace

void C11Graph::Join(Clock& clock, const Clock& other) {
  for (uint32_t i = 0; i < wire::kMaxC11Threads; ++i) {
    if (clock.of[i] < other.of[i]) clock.of[i] = other.of[i];
  }
}

bool C11Graph::Before(int32_t a, int32_t b) const {
  if (a == b || events_[b].kind == Kind::kInitial) return false;
  return events_[a].kind == Kind::kInitial || events_[b].clock.of[events_[a].thread] >= events_[a].place;
}

bool C11Graph::KnownTo(int32_t event, uint8_t thread) const {
  return events_[event].kind == Kind::kInitial ||
         threads_[thread].now.of[events_[event].thread] >= events_[event].place;
}

// Nothing older can be read, and nothing can be put before it: it happens before the thread's next event, or somebody
// who read it does.
bool C11Graph::Binds(int32_t store, uint8_t thread) const {
  if (KnownTo(store, thread)) return true;
  for (int32_t reader = events_[store].first_reader; reader != 0; reader = events_[reader].next_reader) {
    if (KnownTo(reader, thread)) return true;
  }
  return false;
}

int32_t C11Graph::NewEvent(Kind kind, uint8_t thread, Order order) {
  if (count_ + 1 >= kMaxEvents) {
    overflowed_ = true;
    return 0;
  }
  auto index = static_cast<int32_t>(++count_);
  Event& event = events_[index];
  event = {};
  event.kind = kind;
  event.thread = thread;
  event.order = order;
  if (kind == Kind::kInitial) return index;
  ThreadState& state = threads_[thread];
  event.place = static_cast<uint16_t>(state.events + 1);
  event.previous = state.last;
  event.clock = state.now;
  event.clock.of[thread] = event.place;
  return index;
}

void C11Graph::Enter(int32_t index) {
  const Event& event = events_[index];
  ThreadState& state = threads_[event.thread];
  if (state.last != 0) events_[state.last].following = index;
  state.last = index;
  state.events = event.place;
  state.now = event.clock;
  sc_count_ += IsSc(index) ? 1 : 0;
}

int32_t C11Graph::BeginLocation(const C11Access& access, uint64_t present) {
  int32_t initial = location_count_ < kMaxLocations ? NewEvent(Kind::kInitial, 0, Order::Relaxed) : 0;
  if (initial == 0) {
    overflowed_ = true;
    return -1;
  }
  auto index = static_cast<int32_t>(location_count_++);
  locations_[index] = {access.address, 1, initial, access.bytes};
  events_[initial].value = present;
  events_[initial].location = index;
  events_[initial].position = 1;
  // Somebody may have released there by other means: a guard of a local static, a lock of the program's own.
  if (const Object* object = ObjectOf(access.address, false)) events_[initial].handed = object->clock;
  return index;
}

int32_t C11Graph::Locate(const C11Access& access, uint64_t present) {
  if (overflowed_) return -1;
  for (uint32_t i = 0; i < location_count_; ++i) {
    Location& location = locations_[i];
    if (location.address != access.address) continue;
    if (location.bytes == access.bytes && events_[location.newest].value == present) return static_cast<int32_t>(i);
    mixed_ = mixed_ || location.bytes != access.bytes;
    location.address = 0;  // its events stay in the graph
    break;
  }
  return BeginLocation(access, present);
}

int32_t C11Graph::Find(int32_t location, uint32_t id) const {
  int32_t store = locations_[location].newest;
  while (events_[store].id != id && events_[store].older != 0) store = events_[store].older;
  return store;
}

void C11Graph::Forget(uint64_t address, uint64_t bytes) {
  for (uint32_t i = 0; i < location_count_; ++i) {
    if (locations_[i].address - address < bytes) locations_[i].address = 0;
  }
}

bool C11Graph::Succeeds(const C11Access& access, int32_t store) const {
  if (access.kind != C11Access::kCompare) return access.kind == C11Access::kUpdate;
  return events_[store].value == access.expected;
}

// Atomicity: nobody gets between a store and the read-modify-write that read it.
bool C11Graph::Possible(const C11Access& access, int32_t store) const {
  if (access.await_bits != 0 && !wire::AwaitMet(access, events_[store].value, access.expected)) return false;
  bool stores = access.kind == C11Access::kStore || Succeeds(access, store);
  return !stores || events_[store].updated_by == 0;
}

// The event, with its edges but not yet its thread's last. Behind it, `Unlink` takes it back and `Enter` keeps it.
int32_t C11Graph::Build(const C11Access& access, int32_t location, int32_t from) {
  bool updates = Succeeds(access, from);
  bool stores = access.kind == C11Access::kStore || updates;
  Order order = access.kind == C11Access::kCompare && !updates ? access.failure : access.order;
  Kind kind = updates ? Kind::kUpdate : stores ? Kind::kStore : Kind::kLoad;
  int32_t index = NewEvent(kind, access.thread, order);
  if (index == 0) return 0;
  Event& event = events_[index];
  event.location = location;
  if (kind != Kind::kStore) event.reads = from;
  if (kind != Kind::kStore && Acquires(order)) Join(event.clock, events_[from].handed);
  if (stores) {
    event.id = (uint32_t{access.thread} + 1) << 20U | event.place;
    event.handed = Releases(order) ? event.clock : threads_[access.thread].released;
    if (updates) Join(event.handed, events_[from].handed);
  }
  Link(index, from);
  return index;
}

void C11Graph::Link(int32_t index, int32_t from) {
  Event& event = events_[index];
  if (event.reads != 0) {
    event.next_reader = events_[from].first_reader;
    events_[from].first_reader = index;
  }
  if (!Writes(index)) return;
  Location& location = locations_[event.location];
  if (event.kind == Kind::kUpdate) events_[from].updated_by = index;
  event.older = from;
  event.newer = events_[from].newer;
  if (event.newer != 0) events_[event.newer].older = index;
  events_[from].newer = index;
  if (location.newest == from) location.newest = index;
  event.rank = location.stores++;
  Number(event.location);
}

void C11Graph::Unlink(int32_t index) {
  Event& event = events_[index];
  if (event.reads != 0) events_[event.reads].first_reader = event.next_reader;
  if (Writes(index)) {
    Location& location = locations_[event.location];
    if (event.kind == Kind::kUpdate) events_[event.reads].updated_by = 0;
    events_[event.older].newer = event.newer;
    if (event.newer != 0) events_[event.newer].older = event.older;
    if (location.newest == index) location.newest = event.older;
    --location.stores;
    Number(event.location);
  }
  --count_;
}

void C11Graph::Number(int32_t location) {
  uint32_t position = locations_[location].stores;
  for (int32_t store = locations_[location].newest; store != 0; store = events_[store].older) {
    events_[store].position = position--;
  }
}

bool C11Graph::Allowed(const C11Access& access, int32_t location, int32_t from) {
  if (!Possible(access, from)) return false;
  if (from == locations_[location].newest || sc_count_ == 0) return true;
  int32_t event = Build(access, location, from);
  if (event == 0) return false;
  bool cyclic = Cyclic(event);
  Unlink(event);
  return !cyclic;
}

uint32_t C11Graph::Options(const C11Access& access, uint64_t present, uint32_t since, Option* options) {
  int32_t location = Locate(access, present);
  if (location < 0) return 0;
  uint32_t found = 0;
  for (int32_t store = locations_[location].newest; store != 0; store = events_[store].older) {
    bool wanted = since == 0 || (events_[store].kind != Kind::kInitial && events_[store].step + 1 >= since);
    if (wanted && Allowed(access, location, store)) {
      if (found == kMaxOptions) {
        overflowed_ = true;
        return found;
      }
      options[found++] = {events_[store].id, events_[store].rank};
    }
    if (Binds(store, access.thread)) break;
  }
  return found;
}

bool C11Graph::Any(const C11Access& access, uint64_t present, uint32_t since) {
  Option options[kMaxOptions];
  return Options(access, present, since, options) != 0;
}

uint64_t C11Graph::ValueOf(const C11Access& access, uint64_t present, uint32_t choice) {
  int32_t location = Locate(access, present);
  return location < 0 ? present : events_[Find(location, choice)].value;
}

uint32_t C11Graph::Ranked(const C11Access& access, uint64_t present, uint32_t rank) {
  int32_t location = Locate(access, present);
  if (location < 0) return kInitial;
  int32_t store = locations_[location].newest;
  while (events_[store].rank != rank && events_[store].older != 0) store = events_[store].older;
  return events_[store].id;
}

uint32_t C11Graph::Last(const C11Access& access, uint64_t present) {
  int32_t location = Locate(access, present);
  return location < 0 ? kInitial : events_[locations_[location].newest].id;
}

C11Graph::Performed C11Graph::Add(const C11Access& access, int32_t location, int32_t from, uint64_t written,
                                  uint32_t step) {
  Performed performed;
  performed.read = events_[from].value;
  performed.rank = events_[from].rank;
  performed.before = locations_[location].stores;
  performed.incarnation = static_cast<uint32_t>(location) + 1;
  int32_t index = Build(access, location, from);
  if (index == 0) return performed;
  Event& event = events_[index];
  event.step = step;
  event.value = written;
  Enter(index);
  if (event.reads != 0) Join(threads_[access.thread].read, events_[from].handed);
  performed.own = event.id;
  performed.stores = Writes(index);
  performed.last = performed.stores && locations_[location].newest == index;
  return performed;
}

void C11Graph::Fence(uint8_t thread, Order order) {
  int32_t index = NewEvent(Kind::kFence, thread, order);
  if (index == 0) return;
  if (Acquires(order)) Join(events_[index].clock, threads_[thread].read);
  Enter(index);
  if (Releases(order)) threads_[thread].released = events_[index].clock;
}

C11Graph::Object* C11Graph::ObjectOf(uint64_t key, bool make) {
  uint64_t at = key * 0x9E3779B97F4A7C15ULL >> 32U;
  for (uint32_t i = 0; i < kMaxObjects; ++i) {
    Object& object = objects_[(at + i) % kMaxObjects];
    if (object.key == key) return &object;
    if (object.key != 0) continue;
    if (!make) return nullptr;
    object.key = key;
    return &object;
  }
  overflowed_ = true;
  return nullptr;
}

void C11Graph::Acquire(uint8_t thread, uint64_t object) {
  const Object* known = ObjectOf(object, true);
  int32_t index = NewEvent(Kind::kSync, thread, Order::Acquire);
  if (index == 0 || known == nullptr) return;
  Join(events_[index].clock, known->clock);
  Enter(index);
}

void C11Graph::Release(uint8_t thread, uint64_t object) {
  Object* known = ObjectOf(object, true);
  int32_t index = NewEvent(Kind::kSync, thread, Order::Release);
  if (index == 0 || known == nullptr) return;
  Enter(index);
  Join(known->clock, events_[index].clock);
}

C11Graph::Shown C11Graph::Show(uint32_t index) const {
  const Event& event = events_[index];
  bool placed = event.kind != Kind::kFence && event.kind != Kind::kSync;
  return {event.kind,  event.thread,
          event.order, placed ? locations_[event.location].address : 0,
          event.reads, Writes(static_cast<int32_t>(index)) ? event.older : 0};
}

}  // namespace heddle::sched
