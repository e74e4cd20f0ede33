// SPDX-License-Identifier: Apache-2.0
#include "processes/process_exchange.hpp"

#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/run_state.hpp"
#include "processes/index_rounds.hpp"

namespace pleat::detail {

// Messages between a worker and workers of other processes. Worker 0 sends and receives them; see
// process_exchange.hpp.

namespace {

template <class Pack>
void for_workers_of_others(const run_plan& plan, const crossing& c, Pack&& pack) {
  const std::size_t first_here = plan.first_worker;
  const std::size_t behind_here = first_here + plan.workers.size();
  for (std::size_t w = c.first_worker; w < c.last_worker; ++w) {
    if (w < first_here || w >= behind_here) pack(w);
  }
}

/// Returns the number of bytes that are copied when the record is packed, or sent beside it.
std::size_t bytes_of(const record& r) {
  if (r.kind == record_kind::block) return load_payload<payload_block>(r.payload()).bytes;
  if (r.kind != record_kind::lent) return r.extent();
  const auto view = load_payload<lent_block>(r.payload());
  return view.count() * view.element_size;
}

/// Moves the messages that a barrier of the label delivers to that worker from the outbox. Calls
/// `stamp` before it packs a long one.
template <class Stamp>
void pack_for(std::size_t worker, unsigned label, const local_vps& vps, outbox& from,
              packed_loans loans, remote_mail& to, const Stamp& stamp) {
  to.worker = worker;
  to.packed.append(sizeof(section));
  from.filter(
      0, [&](const record& r) { return !vps.delivers(r, label); },
      [&](const record& r) {
        if (bytes_of(r) >= worth_a_stamp) stamp();
        pack_record(r, loans, to.packed, to.beside);
      });
  const section head{static_cast<std::uint32_t>(worker),
                     static_cast<std::uint32_t>(to.beside.size()),
                     to.packed.size() - sizeof(section)};
  std::memcpy(to.packed.begin(), &head, sizeof head);
}

}  // namespace

void crossing::begin() {
  for (remote_mails& mail : out) mail.clear();
  for (inbox& mail : in) mail.clear();
  for (other& process : others) process = {};
  values = {};
  rounds = {};
  holders.clear();
  entered = passed = 0;
  left = false;
}

bool crossing::pack(const membership& p, const local_vps& vps, std::vector<outbox>& from,
                    time_account& times) {
  const unsigned label = p.where->label;
  bool some = false;
  timed packing(times);
  for_workers_of_others(*vps.plan, *this, [&](std::size_t to) {
    if (from[to].empty()) return;
    const auto stamp = [&] { packing.start(activity::communication, label); };
    if (from[to].position() >= worth_a_stamp) stamp();
    some = true;
    remote_mails& mails = out[p.member];
    remote_mail& packed = mails.spare();
    pack_for(to, label, vps, from[to], packed_loans::stay, packed, stamp);
    if (packed.packed.size() > sizeof(section)) mails.add();
  });
  return some;
}

bool crossing::leave_behind(const membership& p, const local_vps& vps, std::vector<outbox>& from) {
  bool some = false;
  for_workers_of_others(*vps.plan, *this, [&](std::size_t to) {
    if (from[to].empty()) return;
    some = true;
    remote_leftover kept{};
    pack_for(to, p.where->label, vps, from[to], packed_loans::copied, kept.mail, [] {});
    if (kept.mail.packed.size() == sizeof(section)) return;
    kept.last_arrivals = vps.shared().last_arrivals();
    left_for_others.put(std::move(kept));
  });
  return some;
}

void crossing::unpack(std::size_t member, outbox& before, outbox& behind) {
  for (const auto& [from, to] :
       {std::pair(&in[member].before, &before), std::pair(&in[member].behind, &behind)}) {
    to->discard();
    for (const arrived_mail& packed : *from)
      unpack_records(packed.first, packed.first + packed.bytes, packed.beside, *to);
    from->clear();
  }
}

namespace {

constexpr std::uint64_t never_again = crossing::other::never_again;

template <class Do> void for_other_processes(const crossing& c, Do&& act) {
  for (std::size_t process = c.first_process; process < c.last_process; ++process) {
    if (process != c.here) act(process);
  }
}

}  // namespace

void process_exchange::begin(std::uint64_t number) noexcept {
  number_ = number;
  sent_ = received_ = leftovers_on_their_way_ = 0;
  left_for_others_.clear();
}

packet_head process_exchange::head(packet_kind kind, const shared_cluster* m,
                                   std::uint64_t epoch) const noexcept {
  return {.run = number_,
          .v = static_cast<std::uint32_t>(run_.plan->folding.vps()),
          .kind = kind,
          .label = static_cast<std::uint16_t>(m != nullptr ? m->label : 0),
          .first = m != nullptr ? m->ranks.first : 0,
          .epoch = epoch};
}

shared_cluster& process_exchange::find(const packet_head& head) const {
  for (shared_cluster* const m : run_.plan->crossings) {
    if (m->label == head.label && m->ranks.first == head.first) return *m;
  }
  throw std::logic_error("Pleat is broken: a message for the " + std::to_string(head.label) +
                         "-cluster of VP " + std::to_string(head.first) +
                         ", which has no part here; please report it");
}

void process_exchange::take(std::size_t from, const packet_head& head, link::arrival&& packet) {
  ++received_;
  if (head.kind == packet_kind::leftover) {
    take_leftover(packet);
    packet_head answer = head;
    answer.kind = packet_kind::taken;
    return post(from, answer);
  }
  if (head.kind == packet_kind::taken) {
    --leftovers_on_their_way_;
    return;
  }
  crossing& c = crossing_of(find(head));
  crossing::other& sender = c.others[from - c.first_process];
  if (head.kind == packet_kind::left) {
    sender.arrived = never_again;
    sender.left_at = head.epoch;
    return;
  }
  if (!c.left)
    (head.kind == packet_kind::round ? sender.rounds : sender.sent).push_back(std::move(packet));
  if (head.kind == packet_kind::step) sender.arrived = head.epoch;
}

void process_exchange::start(const packet_head& head) {
  front_.clear();
  byte_writer(front_).put(head);
  parts_.clear();
  parts_.push_back(&front_);
  beside_.clear();
}

void process_exchange::add(remote_mail& mail) {
  parts_.push_back(&mail.packed);
  std::ranges::move(mail.beside, std::back_inserter(beside_));
}

void process_exchange::post(std::size_t to) {
  link_.post(to, parts_, beside_);
  ++sent_;
}

bool process_exchange::advance() {
  bool changed = false;
  for (shared_cluster* const m : run_.plan->crossings) changed |= advance(*m);
  return changed;
}

bool process_exchange::advance(shared_cluster& m) {
  crossing& c = crossing_of(m);
  const std::uint64_t first_epoch = run_.now.first_epoch;
  if (c.entered == c.passed && !c.left) {
    std::uint64_t arrived = forever;
    for (std::size_t member = 0; member < c.out.size(); ++member)
      arrived = std::min(arrived, m.barrier.arrivals(member));
    const bool leaves = arrived >= first_epoch + epochs_of_run;
    if (c.rounds.radix != 0 && (leaves || arrived > first_epoch + c.entered))
      enter_rounds(m, leaves);
    else if (leaves)
      send_leaving(m);
    else if (arrived > first_epoch + c.entered)
      send_step(m);
  }
  std::uint64_t others = never_again;
  for_other_processes(c, [&](std::size_t process) {
    others = std::min(others, c.others[process - c.first_process].arrived);
  });
  const bool passed_on = relay(m);
  if (c.left) return others != never_again || c.passed == never_again ? passed_on : leave(m);
  if (c.entered == c.passed) return passed_on;
  if (c.rounds.radix != 0 ? !rounds_passed(m) : others < c.entered) return passed_on;
  deliver(m);
  if (c.values.leaves != 0 && c.values.stays == 0) return leave(m);
  choose_next(c);
  c.passed = c.entered;
  arrive_for_others(m, first_epoch + c.passed);
  return true;
}

/// Polls for the last member, which stands for other processes: in some barriers every member must
/// forward the arrivals that it receives.
bool process_exchange::relay(shared_cluster& m) noexcept {
  if (!m.barrier.relays() || !m.barrier.poll(crossing_of(m).out.size()).passed_on) return false;
  run_.sleepers.wake(m.first_worker, m.last_worker, 0);
  return true;
}

void process_exchange::arrive_for_others(shared_cluster& m, std::uint64_t epoch) noexcept {
  m.barrier.announce(crossing_of(m).out.size(), epoch);
  run_.sleepers.wake(m.first_worker, m.last_worker, 0);
}

/// Ends the cluster's barriers here, when all processes have left.
bool process_exchange::leave(shared_cluster& m) noexcept {
  crossing& c = crossing_of(m);
  c.left = true;
  c.passed = c.entered = never_again;
  arrive_for_others(m, run_.now.first_epoch + epochs_of_run);
  return true;
}

/// Recycles mail when all workers have arrived, because they have then read the mail of the
/// previous barrier.
void process_exchange::recycle(crossing& c) noexcept {
  for (crossing::inbox& mail : c.in) mail.clear();  // of workers that have left
  for (link::arrival& read : c.holders) link_.recycle(std::move(read));
  c.holders.clear();
}

void process_exchange::send_step(shared_cluster& m) {
  send_leftovers();
  crossing& c = crossing_of(m);
  recycle(c);
  const packet_head front = head(packet_kind::step, &m, c.entered + 1);
  c.values = {};
  if (c.others.size() >= fewest_for_rounds) sort_mail(c);
  for_other_processes(c, [&](std::size_t process) {
    start(front);
    byte_writer(front_).put(c.values);
    const std::size_t first = layout_.first_worker(process);
    const std::size_t last = first + layout_.workers_of(process);
    for (remote_mails& of_member : c.out) {
      for (remote_mail& mail : of_member.all()) {
        if (first <= mail.worker && mail.worker < last) add(mail);
      }
    }
    post(process);
  });
  for (remote_mails& of_member : c.out) of_member.clear();
  ++c.entered;
}

void process_exchange::send_leaving(shared_cluster& m) {
  send_leftovers();
  crossing& c = crossing_of(m);
  recycle(c);
  const packet_head front = head(packet_kind::left, &m, c.entered + 1);
  for_other_processes(c, [&](std::size_t process) { post(process, front); });
  c.left = true;
}

void process_exchange::deliver(shared_cluster& m) {
  crossing& c = crossing_of(m);
  for_other_processes(c, [&](std::size_t process) {
    crossing::other& sender = c.others[process - c.first_process];
    if (c.rounds.radix != 0) {
      const crossing::forwarded& mail = c.rounds.mail[c.distance(process, c.here)];
      if (mail.sections != nullptr)
        return deliver(m, process, {mail.sections, mail.sections + mail.bytes}, nullptr);
    }
    if (sender.sent.empty()) return;  // it has left, or has no mail for this process
    const auto next = load_payload<packet_head>(sender.sent.front().bytes.begin());
    if (next.epoch != c.entered) return;
    c.holders.push_back(std::move(sender.sent.front()));
    sender.sent.erase(sender.sent.begin());
    byte_reader from = content_of(c.holders.back().bytes);
    if (next.kind == packet_kind::step) c.values.add(from.take<crossing::round_values>());
    deliver(m, process, from, c.holders.back().beside.data());
  });
}

void process_exchange::deliver(shared_cluster& m, std::size_t process, byte_reader from,
                               byte_buffer* beside) {
  crossing& c = crossing_of(m);
  while (!from.at_end()) {
    const auto mail = from.take<section>();
    const std::size_t member =
        static_cast<std::size_t>(mail.worker) - run_.plan->first_worker - m.first_worker;
    const auto bytes = static_cast<std::size_t>(mail.bytes);
    const std::byte* const records = from.skip(bytes);
    crossing::inbox& to = c.in[member];
    (process < c.here ? to.before : to.behind).push_back({records, bytes, beside});
    beside += mail.beside;
  }
}

// Exchange of messages to other processes that no barrier has delivered, from virtual processors
// that have ended.

void process_exchange::send_leftovers() {
  if (left_for_others_.empty()) return;
  left_for_others_.collect([&](remote_leftover& left) {
    start(head(packet_kind::leftover, nullptr, 0));
    byte_writer to(front_);
    to.put(std::uint64_t{left.last_arrivals.size()});
    for (const auto& last : left.last_arrivals) to.put(last);
    add(left.mail);
    post(layout_.process_of(left.mail.worker));
    ++leftovers_on_their_way_;
    return true;
  });
}

void process_exchange::take_leftover(link::arrival& packet) {
  byte_reader from = content_of(packet.bytes);
  leftover left;
  for (auto count = from.take<std::uint64_t>(); count > 0; --count)
    left.last_arrivals.push_back(from.take<last_arrival>());
  const auto mail = from.take<section>();
  const std::byte* const records = from.skip(static_cast<std::size_t>(mail.bytes));
  unpack_records(records, records + mail.bytes, packet.beside.data(), left.messages);
  run_.plan->left(static_cast<std::size_t>(mail.worker) - run_.plan->first_worker)
      .put(std::move(left));
}

}  // namespace pleat::detail
