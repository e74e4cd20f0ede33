// SPDX-License-Identifier: Apache-2.0
// Messages between a worker and those of other ranks. Worker 0 carries them; see rank_exchange.hpp.
#include <mutex>
#include <utility>

#include "engine/relay_state.hpp"
#include "mail/mail.hpp"
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

/// Of what a packet carries, if that is lent: its memory is here, and its receiver is not. Else it
/// was copied where it left its rank, or comes back to it.
bool lent_across(const record& r, rank_range here) {
  const auto resting = load_payload<packet>(r.payload());
  return here.contains(resting.source) && !here.contains(resting.destination);
}

}  // namespace

/// What the cluster's barrier delivers to that worker leaves the outbox.
void mail::pack_for_others(const shared_cluster& m, std::size_t worker, packed_loans loans,
                           far_mail& to) {
  to.worker = worker;
  to.packed.append(sizeof(section));
  others_[worker].filter(
      0, [&](const record& r) { return !delivers(r, m.label); },
      [&](const record& r) {
        if (r.kind == record_kind::packet) [[unlikely]]
          return pack_packet(r, lent_across(r, vps_.plan->ranks_here()), to.packed, to.beside);
        pack_record(r, loans, to.packed, to.beside);
      });
  const section head{worker, to.packed.size() - sizeof(section), to.beside.size()};
  std::memcpy(to.packed.begin(), &head, sizeof head);
}

void mail::pack_for_others(const membership& p) {
  const shared_cluster& m = *p.where;
  timed packing(times_);
  for_workers_of_others(*vps_.plan, *m.beyond, [&](std::size_t to) {
    if (others_[to].empty()) return;
    packing.start(activity::communication, m.label);
    moved_ = true;
    far_mails& out = m.beyond->out[p.member];
    far_mail& packed = out.spare();
    pack_for_others(m, to, packed_loans::stay, packed);
    if (packed.packed.size() > sizeof(section)) out.add();
  });
}

void mail::leave_behind_for_others(const membership& p) {
  const shared_cluster& m = *p.where;
  for_workers_of_others(*vps_.plan, *m.beyond, [&](std::size_t to) {
    if (others_[to].empty()) return;
    moved_ = true;
    far_leftover left{};
    for (const membership& every : vps_.shared().all) {
      if (every.where->beyond == nullptr) continue;
      left.last_arrivals.push_back({every.where->label,
                                    static_cast<std::uint32_t>(every.where->ranks.first),
                                    every.epoch - (every.end - epochs_of_run)});
    }
    pack_for_others(m, to, packed_loans::copied, left.mail);
    if (left.mail.packed.size() == sizeof(section)) return;
    vps_.plan->left_for_others.put(std::move(left));
  });
}

void mail::unpack(std::vector<near_mail>& from, outbox& to) {
  to.discard();
  for (const near_mail& packed : from)
    unpack_records(packed.first, packed.first + packed.bytes, packed.beside, to);
  from.clear();
}

}  // namespace pleat::detail
