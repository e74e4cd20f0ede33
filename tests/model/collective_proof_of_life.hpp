// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/runtime/machine.hpp>

namespace model {

/// Returns what is wrong with a run of operations, after one that failed; empty if nothing is.
inline std::string complaint_about_operations(pleat::machine& machine, std::size_t v) {
  std::atomic<long> wrong{0};
  machine.run(v, [&](pleat::vp& me) -> pleat::task<> {
    std::vector<long> x(100, static_cast<long>(me.rank())), sum(100), all(100 * v);
    const std::span<const long> in(x);
    const std::span<long> out(sum), wide(all);
    const std::plus<> add;
    const pleat::collective_options options{};
    co_await all_reduce(me, in, out, add, options);
    wrong += std::ranges::count(sum, static_cast<long>(v * (v - 1) / 2)) != 100;
    co_await all_gather(me, in, wide, options);
    for (std::size_t r = 0; r < v; ++r) wrong += all[r * 100 + 99] != static_cast<long>(r);
    co_await broadcast(me, out, options);
  });
  return wrong == 0 ? "" : "operations go wrong afterwards";
}

}  // namespace model
