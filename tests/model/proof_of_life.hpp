// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include <pleat/runtime/machine.hpp>

namespace model {

inline constexpr pleat::wait_policy all_policies[] = {
    pleat::wait_policy::automatic, pleat::wait_policy::spin, pleat::wait_policy::yield,
    pleat::wait_policy::park};

inline const char* name_of(pleat::wait_policy policy) {
  constexpr const char* names[] = {"auto", "spin", "yield", "park"};
  return names[static_cast<int>(policy)];
}

/// Something with a destructor: counts how many of its kind are alive.
class local {
 public:
  explicit local(std::atomic<long>& alive) : alive_(&alive) { ++alive; }
  ~local() { --*alive_; }
  local(const local&) = delete;
  local& operator=(const local&) = delete;

 private:
  std::atomic<long>* alive_;
};

inline pleat::task<> good_program(pleat::vp& me, std::vector<long>& x) {
  const std::size_t v = me.size();
  me.send((me.rank() + 1) % v, x[me.rank()]);
  co_await me.sync(0);
  auto m = me.receive();
  x[me.rank()] = m ? m->get<long>() : -1;
  if (me.receive()) x[me.rank()] = -2;  // left over from a run that failed
  if (v == 1) co_return;
  // A ring of channels, the opposite way round.
  co_await me.push((me.rank() + v - 1) % v, x[me.rank()]);
  const long back = co_await me.pop<long>((me.rank() + 1) % v);
  x[me.rank()] = back;
  co_await me.sync(me.labels() - 1);
}

/// Checks that the machine still does what it should; returns an empty text if so.
inline std::string complaint_about(pleat::machine& machine, std::size_t v) {
  std::vector<long> x(v);
  for (std::size_t rank = 0; rank < v; ++rank) x[rank] = static_cast<long>(rank);
  machine.run(v, [&](pleat::vp& me) { return good_program(me, x); });
  const pleat::rank_range here = machine.vps_here(v);
  for (std::size_t rank = here.first; rank < here.last; ++rank) {
    if (x[rank] != static_cast<long>(rank))
      return "VP " + std::to_string(rank) + " got " + std::to_string(x[rank]);
  }
  return "";
}

}  // namespace model
