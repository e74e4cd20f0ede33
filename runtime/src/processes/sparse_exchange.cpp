// SPDX-License-Identifier: Apache-2.0 Sparse barriers: for clusters in which few processes have
// mail for each other.
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/run_state.hpp"
#include "processes/process_exchange.hpp"

namespace pleat::detail {

/// Number of processes for which there is mail; 0 if there are so few processes that no barrier is
/// sparse.
std::uint64_t process_exchange::width(const crossing& c) {
  if (c.sparse.received.size() + 1 >= c.others.size()) return 0;
  widths_.clear();
  for (const remote_mails& of_member : c.out) {
    for (const remote_mail& mail : of_member.all())
      widths_.push_back(layout_.process_of(mail.worker));
  }
  std::sort(widths_.begin(), widths_.end());
  return static_cast<std::uint64_t>(std::unique(widths_.begin(), widths_.end()) - widths_.begin());
}

/// Chooses the kind of the next barrier. All processes have the same data of the barrier just
/// passed, and make the same choice.
void process_exchange::choose_next(crossing& c) {
  crossing::sparse_barrier& s = c.sparse;
  s.stays |= s.values.leaving != 0;
  for (const crossing::other& process : c.others) s.stays |= process.left_at <= c.entered;
  const std::uint64_t processes = c.others.size();
  s.next = !s.stays && 2 * s.values.widest + s.received.size() < processes - 1;
  s.begun = false;
  s.round = 0;
}

void process_exchange::take_sparse(std::size_t from, const packet_head& front,
                                   link::arrival&& packet) {
  shared_cluster& m = find(front);
  crossing& c = crossing_of(m);
  if (front.kind == packet_kind::taken) {
    --c.sparse.on_their_way;
  } else if (front.kind == packet_kind::mail) {
    if (!c.left) c.others[from - c.first_process].sent.push_back(std::move(packet));
    post(from, head(packet_kind::taken, &m, front.epoch));
  } else {
    byte_reader reader(packet.bytes);
    reader.skip(sizeof front);
    const auto round = reader.take<std::uint64_t>();
    c.sparse.received[static_cast<std::size_t>(round)].push_back(
        reader.take<crossing::round_values>());
  }
}

/// Sends mail to the processes for which there is some. `leaving`: all virtual processors here have
/// ended, and there is no mail.
void process_exchange::enter_sparse(shared_cluster& m, bool leaving) {
  send_leftovers();
  crossing& c = crossing_of(m);
  recycle(c);
  c.sparse.values = {width(c), leaving ? 1u : 0u};
  ++c.entered;
  std::vector<std::vector<remote_mail*>> mail_for(c.others.size());
  for (remote_mails& of_member : c.out) {
    for (remote_mail& mail : of_member.all())
      mail_for[layout_.process_of(mail.worker) - c.first_process].push_back(&mail);
  }
  for (std::size_t i = 0; i < mail_for.size(); ++i) {
    if (mail_for[i].empty()) continue;
    start(head(packet_kind::mail, &m, c.entered));
    for (remote_mail* const mail : mail_for[i]) add(*mail);
    ++c.sparse.on_their_way;
    post(c.first_process + i);
  }
  for (remote_mails& of_member : c.out) of_member.clear();
}

void process_exchange::send_round(shared_cluster& m) {
  crossing& c = crossing_of(m);
  const std::size_t processes = c.others.size();
  const std::size_t to =
      (c.here - c.first_process + (std::size_t{1} << c.sparse.round)) % processes;
  start(head(packet_kind::round, &m, c.entered));
  byte_writer writer(front_);
  writer.put(std::uint64_t{c.sparse.round});
  writer.put(c.sparse.values);
  post(c.first_process + to);
}

bool process_exchange::sparse_passed(shared_cluster& m) {
  crossing::sparse_barrier& s = crossing_of(m).sparse;
  if (!s.begun) {
    if (s.on_their_way != 0 || leftovers_on_their_way_ != 0) return false;
    s.begun = true;
    send_round(m);
  }
  while (!s.received[s.round].empty()) {
    s.values.add(s.received[s.round].front());
    s.received[s.round].pop_front();
    if (++s.round == s.received.size()) return true;
    send_round(m);
  }
  return false;
}

}  // namespace pleat::detail
