// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>

#include <pleat/collectives/circulant.hpp>
#include <pleat/runtime/error.hpp>

#include "circulant_search.hpp"

namespace pleat {
namespace {

// The ranks 0 … p − 1 are one part of level q; a part of level k + 1 is cut into a lower part of
// skip[k] ranks and an upper part of the rest, at most as many, both of level k. If both are always
// equal, as for p = 2^q, schedules are regular: from the view of an index v in its part, in round k
//
// - an upper rank receives from the lower one beside it what that part has had since the last level
//   at which it was an upper part, or the rank's own baseblock;
// - a lower rank receives block k from an upper rank, which has had it, in the part before (in the
//   order of ranks, cyclically).
//
// Where a part is short, the rank skip[k] before a lower one may lie further left: the rank is
// *displaced* in that round. Then two or more rounds of its schedule change places, as worked out
// in `rearrange`. What a level is to a rank, a bit of each set:
struct levels {
  std::uint32_t upper = 0;      // the rank is in the upper part
  std::uint32_t displaced = 0;  // lower; the sender not in the upper half of the part before
  std::uint32_t whole = 0;      // and that part has one half only at this level
  std::uint32_t beyond = 0;     // lower; the sender left of the part before
  std::uint32_t edge = 0;       // lower; the sender is the first of the upper half, of a short part
};

unsigned highest(std::uint32_t set) noexcept {
  return static_cast<unsigned>(std::bit_width(set)) - 1;
}
// Number of bits from `top` downwards that are set without a gap.
unsigned run_down(std::uint32_t set, unsigned top) noexcept {
  return static_cast<unsigned>(std::countl_one(set << (31 - top)));
}
constexpr std::uint32_t bit(unsigned k) noexcept { return std::uint32_t{1} << k; }

// Exchanges the blocks of displaced rounds. Each run of them, from its highest round down to the
// lowest, passes on the block of the round before, and the highest takes that of the lowest: where
// the part before has halves, a sender among its lower half has what entered one level above, and
// at the level where it is whole for the last time the run ends. `set(k, block)` is called for the
// rounds that change. False, and the schedule is to be searched for, in the rare other shapes.
template <class Set> bool rearrange(const levels& at, const Set& set) noexcept {
  std::uint32_t rest = at.displaced;
  const std::uint32_t halved = at.displaced & ~at.whole;
  while (rest != 0) {
    const unsigned top = highest(rest);
    unsigned above;  // the round above those whose part before is whole
    if ((halved & bit(top)) != 0) {
      above = top - run_down(halved, top) + 1;
      if (above == 0 || (at.whole & bit(above - 1)) == 0) return false;
    } else {
      above = top + 1;
      if ((at.edge & bit(above)) == 0) return false;
    }
    const unsigned first = std::max(top, above);
    const unsigned length = run_down(at.whole, above - 1);
    const unsigned last = above - length;
    const std::uint32_t beyond = at.beyond >> last & 3u;
    if (length > 2 || beyond != (length == 2 ? 2u : beyond & 2u)) return false;
    for (unsigned k = above; k < first; ++k) set(k, k + 1);
    set(first, last);
    set(last, above);
    rest &= bit(last) - 1;
  }
  return true;
}

void append(std::uint32_t& set, bool member) noexcept { set = 2 * set + (member ? 1 : 0); }

// The way down to one rank, level by level.
struct descent {
  std::uint32_t index;   // of the rank in its part
  std::uint32_t size;    // of its part
  std::uint32_t before;  // size of the part before
  levels at;

  descent(std::uint32_t rank, std::uint32_t p) noexcept : index(rank), size(p), before(p) {}

  // Goes down the level of `skip`. Returns: whether the rank is in the upper part.
  bool step(std::uint32_t skip) noexcept {
    const bool upper = index >= skip;
    const bool whole = before <= skip;
    const std::uint32_t reach = index + before;
    const bool displaced = !upper && reach < 2 * skip;
    append(at.upper, upper);
    append(at.displaced, displaced);
    append(at.whole, displaced && whole);
    append(at.beyond, reach < skip);
    append(at.edge, !upper && reach == 2 * skip);
    before = upper ? skip : before - (whole ? 0 : skip);
    size = upper ? size - skip : std::min(size, skip);
    index -= upper ? skip : 0;
    return upper;
  }

  // After the last level. Returns: the baseblock.
  unsigned finish(unsigned q) noexcept {
    const unsigned baseblock =
        at.upper == 0 ? q : static_cast<unsigned>(std::countr_zero(at.upper));
    at.edge &= ~((std::uint32_t{1} << baseblock) - 1);  // at index 0 no part was short
    return baseblock;
  }
};

// Converts skip indices, q for the baseblock, to block numbers; entries beyond the q-th become 0.
void number_blocks(std::array<std::int8_t, 32>& blocks, unsigned q, unsigned baseblock) noexcept {
  const auto rounds = static_cast<std::int8_t>(q);
  const auto own = static_cast<std::int8_t>(baseblock);
  for (std::int8_t k = 0; k < 32; ++k) {
    const std::int8_t index = blocks[static_cast<std::size_t>(k)];
    const auto block = index == rounds ? own : static_cast<std::int8_t>(index - rounds);
    blocks[static_cast<std::size_t>(k)] = k < rounds ? block : std::int8_t{0};
  }
}

}  // namespace

circulant_graph::circulant_graph(std::uint64_t processors) : processors_(0), rounds_(0), skip_{} {
  if (processors == 0 || processors > max_processors) {
    throw usage_error("a circulant graph of " + std::to_string(processors) +
                      " processors: choose from 1 to 2^31");
  }
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
  assert(rank < processors_);
  const unsigned q = rounds_;
  circulant_schedule result;
  descent way(rank, processors_);
  unsigned entered = q;
  for (unsigned k = q; k-- > 0;) {
    const bool upper = way.step(skip_[k]);
    result.recv[k] = static_cast<std::int8_t>(upper ? entered : k);
    entered = upper ? k : entered;
  }
  const unsigned baseblock = way.finish(q);
  const auto set = [&](unsigned k, unsigned block) {
    result.recv[k] = static_cast<std::int8_t>(block);
  };
  if (way.at.displaced != 0 && !rearrange(way.at, set)) {
    detail::search_receive_schedule(skips(), q, rank, baseblock, q - 1, result.recv.data());
  }
  number_blocks(result.recv, q, baseblock);
  result.baseblock = static_cast<std::int8_t>(baseblock);
  return result;
}

std::int8_t circulant_graph::received(std::uint32_t rank, unsigned round) const noexcept {
  const unsigned q = rounds_;
  descent way(rank, processors_);
  for (unsigned k = q; k-- > 0;) way.step(skip_[k]);
  const unsigned baseblock = way.finish(q);
  unsigned block = round;
  if ((way.at.upper & bit(round)) != 0) {
    const std::uint32_t above = way.at.upper >> round >> 1;
    block = above == 0 ? q : round + 1 + static_cast<unsigned>(std::countr_zero(above));
  }
  const auto set = [&](unsigned k, unsigned changed) { block = k == round ? changed : block; };
  if (way.at.displaced != 0 && !rearrange(way.at, set)) {
    std::array<std::int8_t, 32> blocks;
    detail::search_receive_schedule(skips(), q, rank, baseblock, round, blocks.data());
    block = static_cast<unsigned>(blocks[round]);
  }
  return static_cast<std::int8_t>(block == q ? static_cast<int>(baseblock)
                                             : static_cast<int>(block) - static_cast<int>(q));
}

circulant_schedule circulant_graph::schedule(std::uint32_t rank) const noexcept {
  assert(rank < processors_);
  const unsigned q = rounds_;
  circulant_schedule result;
  if (q == 0) return result;
  descent way(rank, processors_);
  std::uint32_t ask = 0;  // rounds in which only the receiver's schedule tells what is sent
  unsigned entered = q;
  for (unsigned k = q - 1; k > 0; --k) {
    const std::uint32_t index = way.index;
    const std::uint32_t size = way.size;
    const std::uint32_t skip = skip_[k];
    const std::uint32_t half = skip_[k - 1];
    const bool upper = way.step(skip);
    const bool lower_asks = index + skip >= size && size >= half;
    const bool upper_asks = index == skip && size - skip >= half && 2 * skip > size;
    ask |= (upper ? upper_asks : lower_asks) ? bit(k) : 0;
    result.recv[k] = static_cast<std::int8_t>(upper ? entered : k);
    entered = upper ? k : entered;
    result.send[k] = static_cast<std::int8_t>(entered);
  }
  result.recv[0] = static_cast<std::int8_t>(way.step(1) ? entered : 0);
  const unsigned baseblock = way.finish(q);
  const auto set = [&](unsigned k, unsigned block) {
    result.recv[k] = static_cast<std::int8_t>(block);
  };
  if (way.at.displaced != 0 && !rearrange(way.at, set)) {
    detail::search_receive_schedule(skips(), q, rank, baseblock, q - 1, result.recv.data());
  }
  number_blocks(result.recv, q, baseblock);
  result.baseblock = static_cast<std::int8_t>(baseblock);
  if (rank == 0) {
    for (unsigned k = 0; k < q; ++k) result.send[k] = static_cast<std::int8_t>(k);
    return result;
  }
  number_blocks(result.send, q, baseblock);
  result.send[0] = static_cast<std::int8_t>(static_cast<int>(baseblock) - static_cast<int>(q));
  if ((way.at.upper & 2) != 0 || baseblock > 0) ask &= ~std::uint32_t{2};
  for (; ask != 0; ask &= ask - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(ask));
    result.send[k] = received(to(rank, k), k);
  }
  return result;
}

}  // namespace pleat
