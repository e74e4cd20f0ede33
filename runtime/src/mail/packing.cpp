// SPDX-License-Identifier: Apache-2.0
//
// Packing of messages to other workers: before a barrier is announced, and as leftovers.
#include <algorithm>
#include <bit>
#include <utility>

#include "mail/mail.hpp"

namespace pleat::detail {

bool mail::delivers_all(const outbox& from, unsigned label) const noexcept {
  return static_cast<unsigned>(std::bit_width(from.reach())) <= vps_.labels - label;
}

void mail::pack(const membership& p) {
  shared_cluster& cluster = *p.where;
  const std::uint64_t epoch = p.epoch + 1;  // of the next arrival
  outbox* const outboxes = outside_.data() + vps_.plan->first_worker;
  timed packing(times_);
  for (std::size_t to = cluster.first_worker; to < cluster.last_worker; ++to) {
    if (to == vps_.worker || outboxes[to].empty()) continue;
    if (outboxes[to].position() >= worth_a_stamp)
      packing.start(activity::communication, cluster.label);
    const std::size_t receiver = to - cluster.first_worker;
    if (pack(outboxes[to], cluster.boxes.of_sender(p.member, receiver, epoch), cluster.label,
             epoch))
      cluster.boxes.announce(p.member, receiver, epoch);
  }
  if (cluster.beyond != nullptr) [[unlikely]]
    moved_ |= cluster.beyond->pack(p, vps_, outside_, times_);
}

bool mail::pack(outbox& from, mailbox& to, unsigned label, std::uint64_t epoch) {
  moved_ = true;
  to.discard();
  if (delivers_all(from, label)) {
    from.move_to(to.buffer);
  } else {
    outbox picked(std::move(to.buffer));
    from.filter(
        0, [&](const record& r) { return !vps_.delivers(r, label); },
        [&](const record& r) { picked.append(r); });
    picked.move_to(to.buffer);
    if (to.buffer.empty()) return false;
  }
  to.fill(epoch);
  return true;
}

void mail::leave_behind(const membership& p) {
  const shared_cluster& cluster = *p.where;
  outbox* const outboxes = outside_.data() + vps_.plan->first_worker;
  if (cluster.beyond != nullptr) moved_ |= cluster.beyond->leave_behind(p, vps_, outside_);
  for (std::size_t to = cluster.first_worker; to < cluster.last_worker; ++to) {
    if (to == vps_.worker || outboxes[to].empty()) continue;
    leftover left;
    outboxes[to].filter(
        0, [&](const record& r) { return !vps_.delivers(r, cluster.label); },
        [&](const record& r) { left.messages.append(r); });
    if (left.messages.empty()) continue;  // all of them wait for a barrier of more VPs
    moved_ = true;
    for (const membership& every : vps_.shared().all)
      left.last_arrivals.push_back({every.where, every.epoch});
    vps_.plan->left(to).put(std::move(left));
  }
}

void mail::collect_left(leftovers<leftover>& from, const membership& p) {
  from.collect([&](leftover& left) {
    const bool due = std::any_of(
        left.last_arrivals.begin(), left.last_arrivals.end(),
        [&](const auto& last) { return last.where == p.where && last.epoch < p.epoch; });
    if (!due) return false;
    left.messages.filter(
        0, [](const record&) { return false; }, [&](const record& r) { inside_.append(r); });
    leftover_ = true;  // they wait for a barrier that joins their VPs
    return true;
  });
}

}  // namespace pleat::detail
