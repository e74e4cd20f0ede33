// SPDX-License-Identifier: Apache-2.0
// Messages at a barrier: packed before it is announced, handed over when it is passed.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/worker.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

namespace {

record* as_record(std::byte* bytes) { return reinterpret_cast<record*>(bytes); }

/// Can a barrier of `label` in a machine of `labels` labels deliver what reaches across these bits?
bool within(std::uint64_t reach, unsigned labels, unsigned label) {
  return static_cast<unsigned>(std::bit_width(reach)) <= labels - label;
}

/// Frees the memory that what a record carries has of its own, if any.
void discard_block(record_kind kind, const std::byte* payload) {
  if (kind == record_kind::block) give_back_memory(load_payload<payload_block>(payload).data);
}
void discard_block(const record& r) {
  if (r.kind != record_kind::packet) return discard_block(r.kind, r.payload());
  const auto resting = load_payload<packet>(r.payload());
  discard_block(resting.kind, resting.payload.data());
}

/// What one message that is not inlined has copied on its way.
std::size_t bytes_beside(const record& r) {
  if (r.kind == record_kind::block) return load_payload<payload_block>(r.payload()).bytes;
  if (r.kind != record_kind::packet) return 0;
  const auto resting = load_payload<packet>(r.payload());
  if (resting.kind == record_kind::block)
    return load_payload<payload_block>(resting.payload.data()).bytes;
  return resting.kind == record_kind::inlined ? resting.size : 0;
}

#ifdef NDEBUG
constexpr bool assertions = false;
#else
constexpr bool assertions = true;
#endif

/// Frees what the records from first to last own. Their memory is the caller's.
void discard_blocks(const std::byte* first, const std::byte* last) {
  for (const std::byte* at = first; at != last;) {
    const auto* r = reinterpret_cast<const record*>(at);
    discard_block(*r);
    at += r->extent();
  }
}

void discard_blocks(byte_buffer& records) {
  discard_blocks(records.begin(), records.end());
  records.clear();
}

/// A parcel nobody will take.
void discard(parcel& box) {
  if (box.epoch.load(std::memory_order_acquire) == 0) return;  // pairs with the release in deliver
  discard_blocks(box.data(), box.data() + box.bytes);
  box.epoch.store(0, std::memory_order_relaxed);  // the sender's again
}

}  // namespace

byte_buffer::~byte_buffer() { release(); }

void byte_buffer::release() noexcept {
  give_back_memory(first_);
  first_ = end_ = limit_ = nullptr;
}

void byte_buffer::grow(std::size_t bytes) {
  const std::size_t capacity = static_cast<std::size_t>(limit_ - first_);
  std::size_t wanted = capacity < 2048 ? 4096 : 2 * capacity;
  while (wanted - size() < bytes) wanted *= 2;
  auto* moved = static_cast<std::byte*>(take_memory(wanted, cache_line));
  const std::size_t held = size();
  if (held != 0) std::memcpy(moved, first_, held);
  give_back_memory(first_);
  first_ = moved;
  end_ = moved + held;
  limit_ = moved + wanted;
}

void worker::pack(const part& p, std::size_t to) {
  outbox& stream = routes_[to].filling;
  if (stream.empty()) return;
  parcel& box = p.where->between(index_, to, p.epoch);
  discard(box);  // usually taken long ago; not if the receiver's VPs had all ended
  const unsigned label = p.where->label;
  if (within(stream.reach(), labels_, label)) {
    std::swap(box.buffer, stream.bytes());
    stream.clear();
  } else {
    // Some messages need a coarser barrier: they stay with us.
    box.buffer.clear();
    try {
      stream.filter(
          0, [&](const record& r) { return !within(r.source ^ r.destination, labels_, label); },
          [&](const record& r) { std::memcpy(box.buffer.append(r.extent()), &r, r.extent()); });
    } catch (...) {
      discard_blocks(box.buffer);  // they were the stream's
      throw;
    }
    if (box.buffer.empty()) return;
  }
  box.bytes = box.buffer.size();
  box.large = box.bytes <= parcel::small ? nullptr : box.buffer.begin();
  if (box.large == nullptr) std::memcpy(box.inlined, box.buffer.begin(), box.bytes);
  box.epoch.store(p.epoch, std::memory_order_release);  // pairs with the acquire in gather_parcels
}

void worker::deliver(unsigned label, rank_range receivers, std::size_t own_from, const part* p) {
  inbox_pool& pool = pools_[label];
  if (!pool.empty()) recycle(pool, label);
  arrivals_.clear();
  if (p != nullptr) gather_parcels(*p);
  timed copying(times_);
  for (const arrival& a : arrivals_) {
    if (a.from->bytes < worth_a_stamp) continue;
    copying.start(activity::communication, label);
    break;
  }
  const bool own = own_leftover_ || own_.position() > own_from;
  if (!own && arrivals_.empty()) return;

  // First everything is brought into one buffer, which may move; then the records are linked.
  std::size_t own_bytes = 0;
  try {
    if (own) gather_own(pool, label, receivers, own_from, p == nullptr);
    own_bytes = pool.records.size();
    std::size_t bytes = 0;
    for (const arrival& a : arrivals_) bytes += a.from->bytes;
    pool.records.reserve(bytes);
    pool.receivers.push_back(receivers);
  } catch (...) {
    discard_blocks(pool.records);  // our own are nobody else's any more
    throw;
  }
  for (arrival& a : arrivals_) {
    a.at = pool.records.size();
    std::memcpy(pool.records.append(a.from->bytes), a.from->data(), a.from->bytes);
  }
  if (pool.records.empty()) {
    pool.receivers.pop_back();
    return;
  }
  ++stamp_;
  // Workers hold ranks in ascending order, so this is the order of the senders' ranks.
  std::byte* const base = pool.records.begin();
  const auto give = [&](std::size_t at_byte, std::size_t length) {
    std::byte* const first = base + at_byte;
    if (strict_ || assertions || live_ != ranks_.size()) [[unlikely]]
      hand_over_checked(pool, label, first, first + length);
    else
      hand_over(pool, label, first, first + length);
  };
  for (const arrival& a : arrivals_) {
    if (a.before_own) give(a.at, a.from->bytes);
  }
  give(0, own_bytes);
  for (const arrival& a : arrivals_) {
    if (!a.before_own) give(a.at, a.from->bytes);
  }
  // release: pairs with the acquire in pack, for a sender that does not meet us again
  for (const arrival& a : arrivals_) a.from->epoch.store(0, std::memory_order_release);
}

void worker::gather_parcels(const part& p) {
  for (std::size_t w = p.where->first_worker; w < p.where->last_worker; ++w) {
    if (w == index_) continue;
    route& way = crew_.workers[w]->routes_[index_];
    parcel& from = p.where->between(w, index_, p.epoch);
    // acquire: pairs with the release in pack
    if (from.epoch.load(std::memory_order_acquire) == p.epoch)
      arrivals_.push_back({&from, 0, w < index_});
    // acquire: pairs with the release in bequeath
    if (way.left.full.load(std::memory_order_acquire)) [[unlikely]]
      inherit(way.left, p);
  }
}

void worker::bequeath(std::size_t to, unsigned label) {
  outbox& stream = routes_[to].filling;
  if (stream.empty()) return;
  route::legacy left;
  try {
    for (const part& p : share_->parts) left.last_arrivals.push_back({p.where, p.epoch});
    stream.filter(
        0, [&](const record& r) { return !within(r.source ^ r.destination, labels_, label); },
        [&](const record& r) { left.messages.append(r); });
    route::legacy_box& box = routes_[to].left;
    const std::scoped_lock lock(box.mutex);
    box.content.push_back(std::move(left));
    box.full.store(true, std::memory_order_release);  // pairs with the acquire in gather_parcels
  } catch (...) {
    discard_blocks(left.messages.bytes());
    throw;
  }
}

void worker::inherit(route::legacy_box& from, const part& p) {
  const std::scoped_lock lock(from.mutex);
  std::erase_if(from.content, [&](route::legacy& left) {
    const bool due = std::any_of(
        left.last_arrivals.begin(), left.last_arrivals.end(),
        [&](const auto& last) { return last.where == p.where && last.epoch < p.epoch; });
    if (!due) return false;
    left.messages.filter(
        0, [](const record&) { return false; }, [&](const record& r) { own_.append(r); });
    own_leftover_ = true;  // they wait with our own for a barrier that joins the two
    return true;
  });
  // Under the mutex, where the writer sets it.
  from.full.store(!from.content.empty(), std::memory_order_relaxed);
}

bool worker::has_ended(std::size_t rank) const noexcept {
  return at(rank).resume_point_ == nullptr;
}

std::uint64_t worker::first_destination() noexcept {
  return as_record(own_.bytes().begin())->destination;
}

void worker::gather_own(inbox_pool& pool, unsigned label, rank_range receivers, std::size_t from,
                        bool only_theirs) {
  if (own_leftover_) {
    if (from != 0) ++own_moves_;
    from = 0;
  }
  // The VPs that sent what is in own_ ran in the order of their ranks, so if the first record is
  // one of this cluster's, all are: with the reach checked below, a destination tells the cluster.
  // (What is in front may be from VPs of another cluster that have ended without a sync.)
  const bool all_theirs = receivers == ranks_ || (only_theirs && !own_leftover_ &&
                                                  receivers.contains(first_destination()));
  if (from == 0 && all_theirs && within(own_.reach(), labels_, label)) {
    std::swap(pool.records, own_.bytes());  // no copy: the stream becomes the inbox
    own_.clear();
    own_leftover_ = false;
    return;
  }
  if (live_ != ranks_.size()) {  // what goes to VPs that have ended would stay for ever
    own_.filter(
        from, [&](const record& r) { return !has_ended(r.destination); },
        [](const record& r) { discard_block(r); });
  }
  pool.records.reserve(own_.position() - from);
  own_.filter(
      from,
      [&](const record& r) {
        return !receivers.contains(r.destination) ||
               !within(r.source ^ r.destination, labels_, label);
      },
      [&](const record& r) { std::memcpy(pool.records.append(r.extent()), &r, r.extent()); });
  own_leftover_ = own_.position() > from;
}

void worker::hand_over_checked(inbox_pool& pool, unsigned label, std::byte* first,
                               std::byte* last) {
  while (first != last) {
    record* const r = as_record(first);
    const std::size_t extent = r->extent();
    if (!pool.receivers.back().contains(r->destination)) {
      throw std::logic_error("Pleat is broken: a message from VP " + std::to_string(r->source) +
                             " to VP " + std::to_string(r->destination) + " at a sync(" +
                             std::to_string(label) +
                             ") that does not join the two; please report it");
    }
    if (has_ended(r->destination))
      discard_block(*r);
    else
      hand_over(pool, label, first, first + extent);
    first += extent;
  }
}

void worker::hand_over(inbox_pool& pool, unsigned label, std::byte* first, std::byte* last) {
  std::uint64_t records = 0, messages = 0, bytes = 0;
  for (std::byte* at_byte = first; at_byte != last;) {
    record* r = as_record(at_byte);
    at_byte += r->extent();
    ++records;
    messages += r->count;
    if (r->kind == record_kind::inlined) [[likely]]
      bytes += std::size_t{r->count} * r->size;
    else
      bytes += bytes_beside(*r);
    vp& receiver = at(r->destination);
    r->home = static_cast<std::uint8_t>(label);
    r->stamp = stamp_;
    record* const before = receiver.inbox_;
    if (before == nullptr) {
      r->next = r;
    } else if (before->stamp == stamp_ && before->source > r->source) [[unlikely]] {
      insert(*before, *r);
      continue;
    } else {
      r->next = before->next;
      before->next = r;
    }
    receiver.inbox_ = r;
  }
  pool.unreceived += records;
  counts_.messages += messages;
  counts_.bytes += bytes;
}

/// A message that was pending longer than one of a higher rank: among those of this delivery it
/// goes where its source belongs, behind what there is from the same source, before `last`.
void worker::insert(record& last, record& r) {
  record* before = &last;
  while (before->next->stamp != r.stamp || before->next->source <= r.source) before = before->next;
  r.next = before->next;
  before->next = &r;
}

void worker::recycle(inbox_pool& pool, unsigned label) {
  if (pool.unreceived != 0) {
    for (const rank_range& receivers : pool.receivers) rescue(receivers, label);
  }
  if (!channel_waits_.empty()) leave_to_readers(pool);
  pool.clear();
}

void worker::leave_to_readers(inbox_pool& pool) {
  const auto waits_there = [&](std::size_t rank) {
    return at(rank).waits_at_ == at_channel && !has_ended(rank);
  };
  // Those who ran since the pool was filled are looked at, if they are fewer than all who wait.
  const bool anybody =
      std::any_of(pool.receivers.begin(), pool.receivers.end(), [&](const rank_range& receivers) {
        if (receivers.size() > channel_waits_.size()) return true;
        bool any = false;
        for (std::size_t r = receivers.first; r < receivers.last; ++r) any |= waits_there(r);
        return any;
      });
  if (!anybody) return;
  std::shared_ptr<byte_buffer> memory;
  for (channel_wait& wait : channel_waits_) {
    const bool reads =
        std::any_of(pool.receivers.begin(), pool.receivers.end(),
                    [&](const rank_range& receivers) { return receivers.contains(wait.rank); });
    if (!reads) continue;
    if (memory == nullptr) memory = std::make_shared<byte_buffer>();
    wait.spent.pools.push_back(memory);
  }
  // Only now: what is read stays the pool's if there is no memory to leave it to them.
  if (memory != nullptr) std::swap(*memory, pool.records);
}

void worker::rescue(rank_range receivers, unsigned label) {
  for (std::size_t rank = receivers.first; rank < receivers.last; ++rank) {
    vp& x = at(rank);
    if (x.inbox_ == nullptr) continue;
    if (x.resume_point_ == nullptr) {  // it has ended and will take no message any more
      discard_inbox(x);
      continue;
    }
    record* before = x.inbox_;
    do {
      record* r = before->next;
      if (r->home == label) {
        const std::size_t extent = r->extent();
        auto* copy = static_cast<record*>(take_memory(extent, alignof(record)));
        std::memcpy(copy, r, extent);
        copy->home = rescued;
        if (r->next == r) copy->next = copy;  // it was alone
        before->next = copy;
        if (x.inbox_ == r) x.inbox_ = copy;
        r = copy;
      }
      before = r;
    } while (before != x.inbox_);
  }
}

void spent_memory::release() noexcept {
  for (void* memory : blocks) give_back_memory(memory);
  blocks.clear();
  pools.clear();
}

void worker::free_spent() noexcept {
  spent_.release();
  reset_quick_labels();
}

void worker::discard_inbox(vp& x) noexcept {
  if (x.inbox_ == nullptr) return;
  record* r = std::exchange(x.inbox_->next, nullptr);  // the ring becomes a list
  while (r != nullptr) {
    record* next = r->next;
    discard_block(*r);
    if (r->home == rescued)
      give_back_memory(r);
    else
      --pools_[r->home].unreceived;
    r = next;
  }
  x.inbox_ = nullptr;
}

void worker::discard_messages() noexcept {
  discard_blocks(own_.bytes().begin(), own_.bytes().end());
  own_.clear();
  own_leftover_ = false;
  for (journey& j : journeys_) {
    discard_blocks(j.sent.bytes().begin(), j.sent.bytes().end());
    for (const packet& p : j.resting) discard_block(p.kind, p.payload.data());
  }
  journeys_.clear();
  for (route& way : routes_) {
    discard_blocks(way.filling.bytes().begin(), way.filling.bytes().end());
    way.filling.clear();
    for (route::legacy& left : way.left.content)
      discard_blocks(left.messages.bytes().begin(), left.messages.bytes().end());
    way.left.content.clear();
    way.left.full.store(false, std::memory_order_relaxed);  // all workers have stopped
  }
  for (part& p : share_->parts) {
    const meeting& m = *p.where;
    for (std::size_t to = m.first_worker; to < m.last_worker; ++to) {
      for (const std::uint64_t epoch : {0, 1}) discard(p.where->between(index_, to, epoch));
    }
  }
  for (std::size_t rank = ranks_.first; vps_ != nullptr && rank < ranks_.last; ++rank) {
    discard_inbox(at(rank));
  }
  for (inbox_pool& pool : pools_) pool.clear();
}

}  // namespace pleat::detail
