// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

namespace pleat::bench {

/// Seconds a cache line takes from one processor to another: half of a round trip of one line that
/// two threads, pinned to these PUs, write in turn; the mean of as many round trips as fit into
/// 0.1 ms.
///
/// The line is a random one of 64 pages that the first thread has touched, so that its memory is on
/// the first one's NUMA node, and another slice of the shared cache keeps it in each sample.
/// Requires: two different PUs. Cost: about 0.3 ms; more where others use the processors.
/// Throws: environment_error if the kernel refuses a PU or memory.
/// Plain loads and stores: a compare-and-swap would be measured too.
[[nodiscard]] double line_latency(unsigned first_pu, unsigned second_pu, std::mt19937_64& random);

}  // namespace pleat::bench
