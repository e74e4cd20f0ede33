// SPDX-License-Identifier: Apache-2.0
//
// Delivery to a worker's virtual processors: messages are delivered when a barrier is passed.
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <pleat/runtime/detail/memory.hpp>

#include "mail/mail.hpp"

namespace pleat::detail {

namespace {

#ifdef NDEBUG
constexpr bool assertions = false;
#else
constexpr bool assertions = true;
#endif

record* as_record(std::byte* bytes) { return reinterpret_cast<record*>(bytes); }

/// Number of bytes copied to a block of its own for one message; 0 if it has no block.
std::size_t bytes_beside(const record& r) {
  return r.kind == record_kind::block ? load_payload<payload_block>(r.payload()).bytes : 0;
}

/// Inserts `r` in the order of sources among the messages of this delivery: behind messages of the
/// same source, before `last`. Needed because a stream is out of order if an earlier barrier did
/// not deliver all of it.
void insert(record& last, record& r) {
  record* before = &last;
  while (before->next->stamp != r.stamp || before->next->source <= r.source) before = before->next;
  r.next = before->next;
  before->next = &r;
}

}  // namespace

// Both deliver functions first copy all records to one buffer, which may move. Then they link the
// records into the inboxes, without further allocations.

void mail::deliver(unsigned label, rank_range receivers, mark since) {
  inbox_pool& pool = emptied_pool(label);
  const bool in_order = since.removals == removals_ && !leftover_;
  const std::size_t from = in_order ? since.position : 0;
  if (inside_.position() <= from) return;
  moved_ = true;
  if (!in_order && since.position != 0) ++removals_;
  pool.receivers = receivers;
  // Checks only the first record: the records are in the order of their senders' ranks, so if the
  // first one is for a receiver, all are. This assumes that no record leaves its sender's cluster,
  // which take_own checks. Otherwise the first record may be from a VP of another cluster that
  // ended without a sync.
  const bool all_theirs =
      receivers == vps_.ranks ||
      (in_order && receivers.contains(as_record(inside_.bytes().begin())->destination));
  take_own(pool, label, receivers, from, all_theirs, 0);
  ++stamp_;
  link(pool, label, 0, pool.records.size());
}

void mail::deliver(const membership& p) {
  shared_cluster& cluster = *p.where;
  inbox_pool& pool = emptied_pool(cluster.label);
  arrivals_.clear();
  std::size_t arriving = 0;
  timed copying(times_);
  const auto come_from_others = [&](const outbox& unpacked) {
    if (unpacked.empty()) return;
    arrivals_.push_back({nullptr, unpacked.bytes().begin(), 0, unpacked.position()});
    arriving += unpacked.position();
  };
  if (cluster.beyond != nullptr) [[unlikely]] {
    cluster.beyond->unpack(p.member, before_, behind_);
    come_from_others(before_);
  }
  cluster.boxes.for_each_full(
      p.member, p.epoch,
      [&](mailbox& from) {
        arrivals_.push_back({&from, from.data(), 0, from.bytes});
        arriving += from.bytes;
        if (from.bytes >= worth_a_stamp) copying.start(activity::communication, cluster.label);
      },
      [&] {
        arrivals_.push_back({nullptr, nullptr, 0, 0});
      });
  come_from_others(behind_);
  collect_leftovers(vps_.plan->left(vps_.worker), p);
  if (inside_.empty() && arriving == 0) return;
  moved_ = true;

  pool.receivers = p.ranks;
  take_own(pool, cluster.label, p.ranks, 0, p.ranks == vps_.ranks, arriving);
  const std::size_t own_bytes = pool.records.size();
  for (arrival& a : arrivals_) {
    if (a.data == nullptr) {
      a.bytes = own_bytes;
      continue;
    }
    a.first = pool.records.size();
    std::memcpy(pool.records.append(a.bytes), a.data, a.bytes);
  }
  // Workers hold ranks in ascending order, so this is the order of the senders' ranks.
  ++stamp_;
  for (const arrival& a : arrivals_) link(pool, cluster.label, a.first, a.bytes);
  for (const arrival& a : arrivals_) {
    if (a.from != nullptr) a.from->taken();
  }
  if (cluster.beyond != nullptr) [[unlikely]] {
    before_.forget();
    behind_.forget();
  }
}

/// Moves the records for the receivers, from byte `from` of inside_ on, into an empty pool that
/// then has room for `more` bytes. If there is no memory for that, all records stay.
void mail::take_own(inbox_pool& pool, unsigned label, rank_range receivers, std::size_t from,
                    bool all_theirs, std::size_t more) {
  if (inside_.empty()) return pool.records.reserve(more);
  if (from == 0 && all_theirs && delivers_all(inside_, label)) {
    inside_.bytes().reserve(more);
    inside_.move_to(pool.records);  // no copy: the stream becomes the inbox
    leftover_ = false;
    return;
  }
  if (vps_.live != vps_.ranks.size()) {  // messages to VPs that have ended would stay for ever
    inside_.filter(
        from, [&](const record& r) { return !vps_.has_ended(r.destination); },
        [](const record& r) { discard_payload(r.kind, r.payload()); });
  }
  pool.records.reserve(inside_.position() - from + more);
  inside_.filter(
      from,
      [&](const record& r) {
        return !receivers.contains(r.destination) || !vps_.delivers(r, label);
      },
      [&](const record& r) { std::memcpy(pool.records.append(r.extent()), &r, r.extent()); });
  leftover_ = inside_.position() > from;
}

/// Links the records in these bytes of the pool into inboxes. Messages to VPs that have ended are
/// dropped; a destination that is not among the pool's receivers is an error.
void mail::link(inbox_pool& pool, unsigned label, std::size_t first, std::size_t bytes) {
  std::byte* at = pool.records.begin() + first;
  std::byte* const last = at + bytes;
  if (!strict_ && !assertions && vps_.live == vps_.ranks.size()) [[likely]]
    return link_records(label, at, last);
  while (at != last) {
    record* const r = as_record(at);
    at += r->extent();
    if (!pool.receivers.contains(r->destination))
      throw std::logic_error("Pleat is broken: a message from VP " + std::to_string(r->source) +
                             " to VP " + std::to_string(r->destination) + " at a sync(" +
                             std::to_string(label) +
                             ") that does not join the two; please report it");
    if (vps_.has_ended(r->destination))
      discard_payload(r->kind, r->payload());
    else
      link_records(label, reinterpret_cast<std::byte*>(r), at);
  }
}

void mail::link_records(unsigned label, std::byte* first, std::byte* last) {
  vp_state* const vps = vps_.first;
  const std::size_t first_rank = vps_.ranks.first;
  const std::uint32_t stamp = stamp_;
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
    vp_state& receiver = vps[r->destination - first_rank];
    r->home = static_cast<std::uint8_t>(label);
    r->stamp = stamp;
    record* const before = receiver.inbox;
    if (before == nullptr) {
      r->next = r;
    } else if (before->stamp == stamp && before->source > r->source) [[unlikely]] {
      insert(*before, *r);
      continue;
    } else {
      r->next = before->next;
      before->next = r;
    }
    receiver.inbox = r;
  }
  unreceived_[label] += records;
  delivered_.messages += messages;
  delivered_.bytes += bytes;
}

/// Empties the pool of `label` and returns it. Messages in it that were not received are copied
/// first; memory that VPs at channels may still read is left to them.
inbox_pool& mail::emptied_pool(unsigned label) {
  inbox_pool& pool = pools_[label];
  if (unreceived_[label] != 0) rescue(pool.receivers, label);
  if (!waits_.empty() && !pool.records.empty()) leave_to_readers(pool);
  pool.clear();
  unreceived_[label] = 0;
  return pool;
}

// Messages that a VP still reads, or has not received, when their inbox pool is to be emptied.

/// Shares the pool's memory with the VPs that wait at channels, which may still read messages in
/// it.
void mail::leave_to_readers(inbox_pool& pool) {
  // If there are fewer receivers than waiting VPs, checks the receivers first.
  if (pool.receivers.size() <= waits_.size()) {
    bool any = false;
    for (std::size_t rank = pool.receivers.first; rank < pool.receivers.last; ++rank)
      any |= vps_.at(rank).waits_at == at_channel && !vps_.has_ended(rank);
    if (!any) return;
  }
  std::shared_ptr<byte_buffer> memory;
  for (channel_wait& wait : waits_) {
    if (!pool.receivers.contains(wait.rank)) continue;
    if (memory == nullptr) memory = std::make_shared<byte_buffer>();
    wait.spent.pools.push_back(memory);
  }
  // Only now, when nothing can throw: until then the pool keeps the messages that may be read.
  if (memory != nullptr) std::swap(*memory, pool.records);
}

void mail::rescue(rank_range receivers, unsigned label) {
  for (std::size_t rank = receivers.first; rank < receivers.last; ++rank) {
    vp_state& x = vps_.at(rank);
    if (x.inbox == nullptr) continue;
    if (x.ended()) {  // the VP takes no more messages
      discard_inbox(x);
      continue;
    }
    record* before = x.inbox;
    do {
      record* r = before->next;
      if (r->home == label) {
        const std::size_t extent = r->extent();
        auto* copy = static_cast<record*>(take_memory(extent, alignof(record)));
        std::memcpy(copy, r, extent);
        copy->home = rescued;
        if (r->next == r) copy->next = copy;  // it was the only record
        before->next = copy;
        if (x.inbox == r) x.inbox = copy;
        r = copy;
      }
      before = r;
    } while (before != x.inbox);
  }
}

void spent_memory::release() noexcept {
  for (void* memory : blocks) give_back_memory(memory);
  blocks.clear();
  pools.clear();
}

}  // namespace pleat::detail
