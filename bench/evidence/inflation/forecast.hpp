// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <pleat/runtime/machine_model.hpp>

#include "measure/forecast.hpp"
#include "sweep/case_costs.hpp"

namespace pleat::bench {

/// A machine of 2^levels processors whose clusters, as far as `probed` goes, are the probed ones.
/// Larger clusters of m processors are made of them as a fat tree is: messages and supersteps cost
/// more by the cube root of how many times larger they are.
/// Requires: probed.levels() > 0. Source of the growth: pleat::fat_tree.
[[nodiscard]] machine_model grown(const machine_model& probed, unsigned levels);

inline constexpr std::string_view grown_name = "fat tree of the probed cores";
inline constexpr std::string_view grown_assumption =
    "each core takes its share of the CPU time of ours, as if alone in its share of caches and "
    "memory, and communicates besides, at the probed cost up to the probed clusters, and in those "
    "k times larger at cbrt(k) times that";

/// The run on the 2^levels processors of `machine`: the work is shared evenly, and nothing of its
/// communication happens at the same time as work.
/// `costs`: of the program for so many processors; `work`: seconds of one processor.
[[nodiscard]] forecast forecast_on(const machine_model& machine, const case_costs& costs,
                                   double work);

}  // namespace pleat::bench
