// SPDX-License-Identifier: Apache-2.0
#include "holm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pleat::bench {

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double least = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto left = static_cast<double>(p.size() - place);
    least = std::max(least, std::min(1.0, left * p[order[place]]));
    corrected[order[place]] = least;
  }
  return corrected;
}

}  // namespace pleat::bench
