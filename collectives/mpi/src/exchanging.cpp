// SPDX-License-Identifier: Apache-2.0
// All-to-all exchanges. The sizes of irregular ones are known to the two ranks of a block only, so
// the ranks agree on the most bytes that one of them sends or receives.
#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "engines.hpp"
#include "operations.hpp"
#include "typed_parts.hpp"

namespace pleat::preloaded {

bool alltoall(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::alltoall;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return false;
  const std::size_t bytes = each.bytes();
  if (!on.chosen().ours(what, bytes * on.size()) || !(mine.in_place() || mine.bytes() == bytes)) {
    return false;
  }
  const auto equal_parts = [&](const side& of_each, const element_type& of, bool apart) {
    const std::vector<std::size_t> counts(on.size(), static_cast<std::size_t>(of_each.count));
    return typed_parts(elements(of_each.buffer, of), counts, places_behind(counts), apart);
  };
  const side& given = mine.in_place() ? each : mine;
  const element_type in_type(each.type);
  const element_type out_type(given.type);
  const typed_parts in = equal_parts(each, in_type, false);
  const typed_parts out = equal_parts(given, out_type, mine.in_place());
  out.pack(on);
  exchange(on, what, out.get(), in.get(), std::vector(on.size(), bytes), on.radix(bytes));
  in.unpack(on);
  return true;
}

bool irregular_side::is_valid() const {
  const auto is_valid_part = [&](std::size_t count, MPI_Datatype type) {
    return side{buffer, static_cast<MPI_Count>(count), type}.is_valid();
  };
  if (buffer == MPI_IN_PLACE) return false;
  if (types.size() == 1) return is_valid_part(std::ranges::max(counts), types.front());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] != 0 && !is_valid_part(counts[r], types[r])) return false;
  }
  return true;
}

namespace {

using element_types = std::map<MPI_Datatype, element_type>;

std::vector<typed_part> parts_of(const irregular_side& all, element_types& known) {
  std::vector<typed_part> parts;
  for (std::size_t r = 0; r < all.counts.size(); ++r) {
    const bool own_types = all.types.size() > 1;
    // A type that no element has may be none.
    const MPI_Datatype type = all.counts[r] == 0 ? MPI_BYTE : all.types[own_types ? r : 0];
    const elements first(all.buffer, known.try_emplace(type, type).first->second);
    parts.push_back(
        {own_types ? first.behind(all.places[r]) : first.from(all.places[r]), all.counts[r]});
  }
  return parts;
}

std::size_t bytes_of(const typed_parts& all) {
  return std::transform_reduce(all.get().begin(), all.get().end(), std::size_t{0}, std::plus{},
                               [](const part& one) { return one.bytes; });
}

}  // namespace

bool irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs) {
  const choice& chosen = on.chosen();
  if (chosen.sizes[index(what)] == 0 || !theirs.is_valid() || (mine && !mine->is_valid())) {
    return false;
  }
  element_types types;
  const typed_parts in(parts_of(theirs, types));
  const typed_parts out(parts_of(mine ? *mine : theirs, types), !mine);
  const std::size_t most = on.largest(std::max(bytes_of(out), bytes_of(in)));
  if (!chosen.ours(what, most)) return false;
  out.pack(on);
  const std::size_t each = (most - 1) / on.size() + 1;
  exchange(on, what, out.get(), in.get(), {}, on.radix(each + sizeof(std::size_t)));
  in.unpack(on);
  return true;
}

}  // namespace pleat::preloaded
