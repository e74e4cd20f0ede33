// SPDX-License-Identifier: Apache-2.0
// All-to-all exchanges. The sizes of irregular ones are known to the two ranks of a block only, so
// the ranks agree on the most blocks and bytes that one of them sends or receives.
#include <algorithm>
#include <vector>

#include "engines.hpp"
#include "operations.hpp"
#include "typed_parts.hpp"

namespace pleat::preloaded {

bool alltoall(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::alltoall;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return false;
  const std::size_t bytes = each.bytes();
  if (!on.chosen().ours(what, bytes * on.size()) || !(mine.in_place() || mine.bytes() == bytes))
    return false;
  const typed_parts in(each, on.size());
  const typed_parts out(mine.in_place() ? each : mine, on.size(), mine.in_place());
  out.pack(on);
  exchange(on, what, out.get(), in.get(), std::vector(on.size(), bytes), on.radix(bytes));
  in.unpack(on);
  return true;
}

bool irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs) {
  const choice& chosen = on.chosen();
  if (chosen.sizes[index(what)] == 0 || !theirs.is_valid() || (mine && !mine->is_valid()))
    return false;
  const typed_parts in(theirs);
  const typed_parts out(mine ? *mine : theirs, !mine);
  const auto [partners, bytes] =
      on.largest({std::max(out.filled(), in.filled()), std::max(out.bytes(), in.bytes())});
  if (!chosen.ours(what, bytes)) return false;
  out.pack(on);
  exchange(on, what, out.get(), in.get(), {}, on.radix(partners, bytes));
  in.unpack(on);
  return true;
}

}  // namespace pleat::preloaded
