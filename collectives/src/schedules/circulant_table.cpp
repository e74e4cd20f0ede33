// SPDX-License-Identifier: Apache-2.0
#include <pleat/collectives/circulant_table.hpp>

namespace pleat {

circulant_table::circulant_table(const circulant_graph& graph)
    : graph_(graph), entries_(std::size_t{graph.processors()} * (graph.rounds() + 1)) {
  const unsigned q = graph_.rounds();
  for (std::uint32_t rank = 0; rank < graph_.processors(); ++rank) {
    const circulant_schedule one = graph_.receive_schedule(rank);
    for (unsigned k = 0; k < q; ++k) entries_[k * row() + rank] = one.recv[k];
    entries_[q * row() + rank] = one.baseblock;
  }
}

circulant_schedule circulant_table::schedule(std::uint32_t rank) const noexcept {
  circulant_schedule result;
  result.baseblock = baseblocks()[rank];
  for (unsigned k = 0; k < graph_.rounds(); ++k) {
    result.recv[k] = received(k)[rank];
    result.send[k] = sent(rank, k);
  }
  return result;
}

}  // namespace pleat
