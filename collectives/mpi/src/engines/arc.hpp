// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/collectives/circulant_rounds.hpp>

#include "communicator/communicator.hpp"
#include "engines/split.hpp"

namespace pleat::preloaded {

/// Calls use(root, block, range) for the blocks that travel to `receiver` in one round of the
/// broadcasts of all ranks at once: at most one for each root but the receiver, in the order of the
/// roots, none of them empty. units(root) is what the root's blocks are ranges of. Cost: O(p).
template <class Units, class Use>
void each_block(communicator& on, const circulant_rounds& rounds, std::size_t round,
                std::uint32_t receiver, const Units& units, const Use& use) {
  const auto entries = on.table().received(rounds.skip_index(round));
  for (std::uint32_t root = 0; root < on.size(); ++root) {
    if (root == receiver) continue;
    const std::uint32_t relative =
        receiver >= root ? receiver - root : receiver + (on.size() - root);
    const std::size_t block = rounds.block(entries[relative], round);
    if (block == circulant_step::none) continue;
    const range part = split(units(root), rounds.blocks(), block);
    if (part.count != 0) use(root, block, part);
  }
}

}  // namespace pleat::preloaded
