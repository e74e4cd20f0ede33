// SPDX-License-Identifier: Apache-2.0
// Who carries out which virtual processors, and whom each barrier joins: plain arithmetic, without
// a machine.
#include <cstdio>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/interval.hpp>

int main() {
  constexpr std::size_t vps = 20, processors = 6, rank = 13;
  const pleat::fold folded(vps, processors);
  std::size_t carried_out = 0;
  for (std::size_t j = 0; j < processors; ++j) {
    const pleat::interval<std::size_t> ranks = folded.ranks(j);
    std::printf("processor %zu: VPs %zu to %zu\n", j, ranks.first, ranks.last - 1);
    carried_out += ranks.last - ranks.first;
  }
  for (unsigned label = 0; label < pleat::label_count(vps); ++label) {
    const pleat::rank_range joined = pleat::cluster_of(vps, rank, label);
    std::printf("sync(%u) joins VP %zu with VPs %zu to %zu\n", label, rank, joined.first,
                joined.last - 1);
  }
  const unsigned finest = pleat::shared_bits(vps, rank, 12);
  std::printf("VP %zu reaches VP 12 in a superstep that ends with sync(%u)\n", rank, finest);
  return carried_out == vps && folded.owner(rank) == 3 && finest == 4 ? 0 : 1;
}
