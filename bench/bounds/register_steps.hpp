// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pleat::bench {

/// The bound that arithmetic sets: acc ⊕ a ⊗ b, `steps` times in all, on registers alone, by an
/// OpenMP thread on each processor. Semiring: plus_times, min_plus, max_min. Returns one of the
/// sums, of a = 2, b = 3.
template <class Semiring, class T> T register_steps(double steps, unsigned threads);

}  // namespace pleat::bench
