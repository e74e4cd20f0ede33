// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace pleat::bench {

/// The p-values of several tests, raised so that rejecting those at most α is wrong anywhere with a
/// probability of at most α, however the tests depend on each other. In the order given.
///
/// Cost: O(m log m). Source: S. Holm, A simple sequentially rejective multiple test procedure,
/// Scandinavian Journal of Statistics 6, 1979.
[[nodiscard]] std::vector<double> holm_corrected(std::span<const double> p);

}  // namespace pleat::bench
