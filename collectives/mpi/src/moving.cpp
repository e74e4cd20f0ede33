// SPDX-License-Identifier: Apache-2.0
// Broadcasts and all-gathers. Whether a call is ours depends on the number of bytes, which all
// ranks know alike; datatypes may differ from rank to rank.
#include <algorithm>
#include <numeric>
#include <vector>

#include "engines.hpp"
#include "operations.hpp"
#include "typed_parts.hpp"

namespace pleat::preloaded {

bool bcast(communicator& on, const side& data, int root) {
  if (data.in_place() || !data.is_valid() || !on.has(root)) return false;
  const std::size_t bytes = data.bytes();
  if (!on.chosen().ours(operation::bcast, bytes)) return false;
  const element_type of(data.type);
  const typed_parts all({{elements(data.buffer, of), static_cast<std::size_t>(data.count)}});
  const auto from = static_cast<std::uint32_t>(root);
  if (on.rank() == from) all.pack(on);
  broadcast(on, operation::bcast, from, all.get().front().data, bytes,
            best_blocks(on.chosen(), operation::bcast, {bytes, bytes}, on.size(), bytes));
  if (on.rank() != from) all.unpack(on);
  return true;
}

namespace {

void all_gather(communicator& on, operation what, const side& mine, const typed_parts& all,
                std::size_t blocks) {
  if (mine.in_place()) {
    all.pack(on.rank(), on);
  } else {
    const element_type of(mine.type);
    elements(mine.buffer, of)
        .pack(static_cast<std::size_t>(mine.count), all.get()[on.rank()].data, on);
  }
  all_broadcast(on, what, all.get(), blocks);
  all.unpack(on);
}

}  // namespace

bool allgather(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::allgather;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return false;
  const std::size_t bytes = each.bytes();
  const std::size_t total = bytes * on.size();
  if (!on.chosen().ours(what, total) || !(mine.in_place() || mine.bytes() == bytes)) return false;
  const element_type of(each.type);
  const std::vector<std::size_t> counts(on.size(), static_cast<std::size_t>(each.count));
  all_gather(on, what, mine, {elements(each.buffer, of), counts, places_behind(counts)},
             best_blocks(on.chosen(), what, {total, bytes}, on.size(), bytes));
  return true;
}

bool allgatherv(communicator& on, const side& mine, void* buffer,
                std::span<const std::size_t> counts, std::span<const std::ptrdiff_t> places,
                MPI_Datatype type) {
  constexpr operation what = operation::allgatherv;
  const std::size_t most = std::ranges::max(counts);
  const side longest{buffer, static_cast<MPI_Count>(most), type};
  if (longest.in_place() || !longest.is_valid() || !mine.is_valid()) return false;
  const element_type of(type);
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0}) * of.size;
  if (!on.chosen().ours(what, total) ||
      !(mine.in_place() || mine.bytes() == counts[on.rank()] * of.size)) {
    return false;
  }
  all_gather(on, what, mine, {elements(buffer, of), counts, places},
             best_blocks(on.chosen(), what, {total, longest.bytes()}, on.size(), longest.bytes()));
  return true;
}

}  // namespace pleat::preloaded
