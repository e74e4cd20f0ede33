// SPDX-License-Identifier: Apache-2.0
// Broadcasts and all-gathers. Whether a call is ours depends on the number of bytes, which all
// ranks know alike; datatypes may differ from rank to rank.
#include <algorithm>
#include <memory>
#include <vector>

#include "elements.hpp"
#include "engines.hpp"
#include "interposed.hpp"
#include "operations.hpp"

namespace pleat::preloaded {

bool bcast(communicator& on, void* buffer, MPI_Count count, MPI_Datatype type, int root) {
  if (root < 0 || static_cast<std::uint32_t>(root) >= on.size()) return false;
  const std::size_t bytes = bytes_of(count, type);
  if (!on.chosen().ours(operation::bcast, bytes)) return false;
  const element_type of(type);
  const elements data(buffer, of);
  const auto from = static_cast<std::uint32_t>(root);
  const auto number = static_cast<std::size_t>(count);
  const std::size_t blocks =
      best_blocks(on.chosen(), operation::bcast, {bytes, bytes}, on.size(), bytes);
  if (of.dense) {
    broadcast(on, operation::bcast, from, data.bytes(), bytes, blocks);
    return true;
  }
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (on.rank() == from) data.pack(number, packed.get(), on);
  broadcast(on, operation::bcast, from, packed.get(), bytes, blocks);
  if (on.rank() != from) data.unpack(number, packed.get(), on);
  return true;
}

namespace {

/// Contributions of all ranks to an all-gather: their type on this rank, their numbers and places.
/// The total number of bytes is the same on all ranks.
class gathered {
 public:
  gathered(elements to, std::span<const std::size_t> counts, std::span<const std::ptrdiff_t> places)
      : to_(to), counts_(counts), places_(places), parts_(counts.size()) {}

  // Lays out the parts as bytes: in the program's memory if they are dense, else packed in ours.
  void lay_out() {
    const element_type& of = to_.of();
    std::size_t total = 0;
    for (const std::size_t count : counts_) total += count * of.size;
    if (!of.dense) packed_ = std::make_unique_for_overwrite<std::byte[]>(total);
    std::size_t before = 0;
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      parts_[r].bytes = counts_[r] * of.size;
      parts_[r].data = of.dense ? part_of(r).bytes() : packed_.get() + before;
      before += parts_[r].bytes;
    }
  }

  [[nodiscard]] std::span<const part> parts() const noexcept { return parts_; }

  /// Sets this rank's own part, of another type perhaps, or null if it is in its place.
  void put(std::uint32_t rank, const elements* mine, std::size_t count, const communicator& on) {
    if (mine != nullptr) {
      mine->pack(count, parts_[rank].data, on);
    } else {
      part_of(rank).pack(counts_[rank], parts_[rank].data, on);
    }
  }

  void take(const communicator& on) {
    if (to_.of().dense) return;
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      part_of(r).unpack(counts_[r], parts_[r].data, on);
    }
  }

 private:
  [[nodiscard]] elements part_of(std::size_t r) const noexcept { return to_.from(places_[r]); }

  elements to_;
  std::span<const std::size_t> counts_;
  std::span<const std::ptrdiff_t> places_;
  std::vector<part> parts_;
  std::unique_ptr<std::byte[]> packed_;
};

void all_gather(communicator& on, operation what, const contribution& mine, gathered&& all,
                std::size_t blocks) {
  all.lay_out();
  if (mine.in_place()) {
    all.put(on.rank(), nullptr, 0, on);
  } else {
    const element_type of(mine.type);
    const elements own(mine.buffer, of);
    all.put(on.rank(), &own, static_cast<std::size_t>(mine.count), on);
  }
  all_broadcast(on, what, all.parts(), blocks);
  all.take(on);
}

}  // namespace

bool allgather(communicator& on, const contribution& mine, void* buffer, MPI_Count count,
               MPI_Datatype type) {
  constexpr operation what = operation::allgather;
  const std::size_t each = bytes_of(count, type);
  const std::size_t total = each * on.size();
  if (!on.chosen().ours(what, total) || !mine.has(each)) return false;
  const std::vector<std::size_t> counts(on.size(), static_cast<std::size_t>(count));
  std::vector<std::ptrdiff_t> places(on.size());
  for (std::size_t r = 0; r < places.size(); ++r) {
    places[r] = static_cast<std::ptrdiff_t>(r) * count;
  }
  const element_type of(type);
  all_gather(on, what, mine, {elements(buffer, of), counts, places},
             best_blocks(on.chosen(), what, {total, each}, on.size(), each));
  return true;
}

bool allgatherv(communicator& on, const contribution& mine, void* buffer,
                std::span<const std::size_t> counts, std::span<const std::ptrdiff_t> places,
                MPI_Datatype type) {
  constexpr operation what = operation::allgatherv;
  const std::size_t size = bytes_of(1, type);
  std::size_t total = 0;
  for (const std::size_t count : counts) total += count * size;
  const std::size_t longest = std::ranges::max(counts) * size;
  if (!on.chosen().ours(what, total) || !mine.has(counts[on.rank()] * size)) return false;
  const element_type of(type);
  all_gather(on, what, mine, {elements(buffer, of), counts, places},
             best_blocks(on.chosen(), what, {total, longest}, on.size(), longest));
  return true;
}

}  // namespace pleat::preloaded
