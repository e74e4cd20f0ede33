// SPDX-License-Identifier: Apache-2.0
//
// Messages between a worker and workers of other processes. Worker 0 sends and receives them; see
// process_exchange.hpp.
#include "processes/crossing.hpp"

#include <cstring>
#include <utility>

#include "processes/wire.hpp"

namespace pleat::detail {

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

void unpack(std::vector<arrived_mail>& from, outbox& to) {
  to.discard();
  for (const arrived_mail& packed : from)
    unpack_records(packed.first, packed.first + packed.bytes, packed.beside, to);
  from.clear();
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
    for (const membership& every : vps.shared().all) {
      if (every.where->beyond == nullptr) continue;
      kept.last_arrivals.push_back({every.where->label,
                                    static_cast<std::uint32_t>(every.where->ranks.first),
                                    every.epoch - (every.end - epochs_of_run)});
    }
    pack_for(to, p.where->label, vps, from[to], packed_loans::copied, kept.mail, [] {});
    if (kept.mail.packed.size() == sizeof(section)) return;
    left_for_others.put(std::move(kept));
  });
  return some;
}

void crossing::unpack_before(std::size_t member, outbox& to) { unpack(in[member].before, to); }
void crossing::unpack_behind(std::size_t member, outbox& to) { unpack(in[member].behind, to); }

}  // namespace pleat::detail
