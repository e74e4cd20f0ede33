// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

// The set of all skip indices j with skip[j] ≤ distance. As skip[j] = ⌈p / 2^(q − j)⌉, that is
// p ≤ distance · 2^(q − j): the width of the distance tells j but for one.
std::uint32_t skips_within(std::uint32_t distance, std::uint32_t p, unsigned q) noexcept {
  if (distance >= p) return static_cast<std::uint32_t>((std::uint64_t{2} << q) - 1);
  const auto width = static_cast<unsigned>(std::bit_width(distance));
  const bool one_more = std::uint64_t{distance} << (q - width) >= p;
  return static_cast<std::uint32_t>((std::uint64_t{one_more ? 2u : 1u} << width) - 1);
}

// A depth-first walk over sums of descending skips, the largest first. `path` holds the skips
// taken, `distance` is p + rank − their sum. Where the way cannot go on, its last skip is accepted
// for round k, if without it the distance is at least skip[k + 1].
// Writes for rounds 0 … last the index of the skip that is accepted: block number + q, or q for the
// baseblock. Algorithms 4 and 5 of the paper, their recursion as a loop, their list of skips as a
// bit set.
void search(std::span<const std::uint32_t> skip, unsigned q, std::uint32_t rank, unsigned baseblock,
            unsigned last, std::int8_t* blocks) noexcept {
  const std::uint32_t p = skip[q];
  std::uint32_t available =
      static_cast<std::uint32_t>((std::uint64_t{2} << q) - 1) & ~(std::uint32_t{1} << baseblock);
  std::uint32_t candidates = available, path = 0, distance = p + rank;
  std::uint32_t least = skip[0];  // what a distance must keep: skip[k], and more than the last one
  unsigned k = 0;
  for (;;) {
    const std::uint32_t room = distance > least ? distance - least : 0;
    candidates &= skips_within(room, p, q);
    if (candidates != 0) {
      const auto taken = static_cast<unsigned>(std::bit_width(candidates)) - 1;
      distance -= skip[taken];
      path |= std::uint32_t{1} << taken;
      if (distance >= skip[k + 1]) continue;
    }
    do {
      if (path == 0) return;
      const auto dropped = static_cast<unsigned>(std::countr_zero(path));
      const std::uint32_t shorter = distance;
      path &= path - 1;
      distance += skip[dropped];
      if (distance < skip[k + 1]) continue;
      blocks[k] = static_cast<std::int8_t>(dropped);
      if (k == last) return;
      ++k;
      least = std::max(skip[k], shorter + 1);
      available &= ~(std::uint32_t{1} << dropped);
      candidates = available & ((std::uint32_t{1} << dropped) - 1);
    } while (distance < skip[k + 1]);
  }
}

// Number of the block whose skip has that index.
std::int8_t number_of(std::int8_t index, unsigned q, unsigned baseblock) noexcept {
  const int number =
      index == static_cast<int>(q) ? static_cast<int>(baseblock) : index - static_cast<int>(q);
  return static_cast<std::int8_t>(number);
}

}  // namespace

circulant_graph::circulant_graph(std::uint64_t processors) : processors_(0), rounds_(0), skip_{} {
  if (processors == 0 || processors > max_processors)
    throw usage_error("a circulant graph of " + std::to_string(processors) +
                      " processors: choose from 1 to 2^31");
  processors_ = static_cast<std::uint32_t>(processors);
  rounds_ = static_cast<unsigned>(std::bit_width(processors_ - 1));
  skip_[rounds_] = processors_;
  for (unsigned k = rounds_; k-- > 0;) skip_[k] = skip_[k + 1] - skip_[k + 1] / 2;
}

unsigned circulant_graph::baseblock(std::uint32_t rank) const noexcept {
  assert(rank < processors_);
  unsigned last = rounds_;
  for (unsigned k = rounds_; k-- > 0;) {
    const bool fits = rank >= skip_[k];
    last = fits ? k : last;
    rank -= fits ? skip_[k] : 0;
  }
  return last;
}

circulant_schedule circulant_graph::receive_schedule(std::uint32_t rank) const noexcept {
  circulant_schedule result;
  if (rounds_ == 0) return result;
  const unsigned first = baseblock(rank);
  search(skips(), rounds_, rank, first, rounds_ - 1, result.recv.data());
  for (unsigned k = 0; k < rounds_; ++k) result.recv[k] = number_of(result.recv[k], rounds_, first);
  result.baseblock = static_cast<std::int8_t>(first);
  return result;
}

std::int8_t circulant_graph::received(std::uint32_t rank, unsigned round) const noexcept {
  std::array<std::int8_t, 32> blocks{};
  const unsigned first = baseblock(rank);
  search(skips(), rounds_, rank, first, round, blocks.data());
  return number_of(blocks[round], rounds_, first);
}

// Algorithm 6 of the paper: ranks are halved from round to round, and a rank sends what its part
// has entered with, but for at most four rounds in which the receiver's schedule must be asked.
circulant_schedule circulant_graph::schedule(std::uint32_t rank) const noexcept {
  circulant_schedule result = receive_schedule(rank);
  const auto q = static_cast<std::int8_t>(rounds_);
  if (rank == 0) {
    for (std::int8_t k = 0; k < q; ++k) result.send[static_cast<std::size_t>(k)] = k;
    return result;
  }
  std::uint32_t index = rank, size = processors_;  // of the rank in its part, of the part
  std::int8_t entered = result.baseblock;
  for (unsigned k = rounds_ - 1; k > 0; --k) {
    const std::uint32_t skip = skip_[k], half = skip_[k - 1];
    bool known;
    if (index < skip) {
      known = index + skip < size || size < half || (k == 1 && result.baseblock > 0);
      size = std::min(size, skip);
    } else {
      entered = static_cast<std::int8_t>(static_cast<int>(k) - q);
      known = k == 1 || index > skip || size - skip < half || 2 * skip <= size;
      index -= skip;
      size -= skip;
    }
    result.send[k] = known ? entered : received(to(rank, k), k);
  }
  result.send[0] = static_cast<std::int8_t>(result.baseblock - q);
  return result;
}

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

circulant_rounds::circulant_rounds(const circulant_graph& graph, std::size_t blocks) noexcept
    : blocks_(blocks), size_(0), q_(graph.rounds()), virtual_(0) {
  if (blocks == 0 || q_ == 0) return;
  size_ = blocks - 1 + q_;
  virtual_ = static_cast<unsigned>((q_ - (blocks - 1) % q_) % q_);
}

circulant_step circulant_rounds::step(const circulant_graph& graph, const circulant_schedule& own,
                                      std::uint32_t rank, std::uint32_t root,
                                      std::size_t round) const noexcept {
  assert(root < graph.processors());
  const unsigned k = skip_index(round);
  circulant_step step;
  step.to = graph.to(rank, k);
  step.from = graph.from(rank, k);
  if (step.to != root) step.sent = block(own.send[k], round);
  if (rank != root) step.received = block(own.recv[k], round);
  return step;
}

}  // namespace pleat
