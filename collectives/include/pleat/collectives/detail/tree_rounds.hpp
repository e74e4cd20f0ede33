// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <optional>

#include <pleat/collectives/collective_options.hpp>

namespace pleat::detail {

/// Schedule of an operation between processes: the circulant graph's, or trees, which send a part
/// in one block.
struct schedule_form {
  collective_schedule along = collective_schedule::circulant;
  process_groups groups = {};

  [[nodiscard]] bool has_trees() const noexcept {
    return along == collective_schedule::binomial || along == collective_schedule::negabinary;
  }
  /// Number to be chosen alike, of a number of blocks.
  [[nodiscard]] std::size_t digest(std::size_t blocks) const noexcept {
    const std::size_t grouped = (std::size_t{groups.size} << 32) + groups.place;
    return blocks + (4 * grouped + static_cast<std::size_t>(along)) * 0x9e3779b97f4a7c15;
  }
};

/// Groups of consecutive ranks: the first `pairs` of two, then others of `size`; the last may be
/// shorter, and so may the first, in which rank 0 has that place. No pairs unless the size is 1.
struct rank_groups {
  std::uint32_t ranks, pairs;
  std::uint64_t size, place;

  [[nodiscard]] std::uint32_t of(std::uint32_t rank) const noexcept {
    return rank < 2 * pairs ? rank / 2 : static_cast<std::uint32_t>((rank + place - pairs) / size);
  }
  [[nodiscard]] std::uint32_t first(std::uint32_t group) const noexcept {
    return group < pairs
               ? 2 * group
               : static_cast<std::uint32_t>(std::max(group * size + pairs, place) - place);
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return of(ranks - 1) + 1; }
  [[nodiscard]] std::uint32_t members(std::uint32_t group) const noexcept {
    return (group + 1 < count() ? first(group + 1) : ranks) - first(group);
  }
};

/// Rounds of a broadcast down a binomial tree, or of broadcasts from all ranks at once down one
/// each. In reverse order, with arcs reversed, they reduce.
///
/// Peer in round i: each of 2^q ranks has one, with k = q − 1 − i: the far ones come first.
///
///     binomial     rank ^ 2^k
///     negabinary   rank + d(k) if it is even, rank − d(k) if it is odd, modulo 2^q;
///                  d(k) = (1 − (−2)^(k + 1))/3 = 1, −1, 3, −5, 11, …
///
/// What comes from a root takes hops of falling k, each in its round. In base −2 d(k) is k + 1
/// ones, and the signs of the hops alternate, so their sum is a number whose digits change behind
/// the digits k: x ^ x >> 1 are the hops to the rank at distance x, and each rank is reached once.
///
/// Other numbers of ranks are groups, with a leader each: trees inside the groups collect what all
/// broadcast, trees among the leaders send it to all groups, and trees inside the groups hand it
/// out. The groups are those of the form, or the 2^⌊log2 p⌋ of the first ranks in pairs and the
/// others alone. The leader is the root in its group, elsewhere and if all broadcast the first
/// rank. So p ranks take ⌈log2 p⌉ rounds; if all broadcast one more, unless p is a power of two.
///
/// Cost: every function O(log p); arrival O(1) for p = 2^q without groups. Thread safety: const
/// functions of a value. Source: De Sensi and others, Bine Trees: Enhancing Collective Operations
/// by Optimizing Communication Locality, 2025, doi:10.1145/3712285.3759835 (distances); ours: the
/// rest.
class tree_rounds {
 public:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  /// Without a root all ranks broadcast. Requires: form.has_trees(); root < ranks; a place less
  /// than the size of groups, if there are some.
  tree_rounds(schedule_form form, std::uint32_t ranks, std::optional<std::uint32_t> root) noexcept
      : negabinary_(form.along == collective_schedule::negabinary),
        whole_{ranks, form.groups, root},
        stages_(stages_of(whole_)) {}

  [[nodiscard]] unsigned size() const noexcept { return stages_.rounds; }
  /// Returns the rank to and from which a rank may send in a round, or nobody.
  [[nodiscard]] std::uint32_t peer(unsigned round, std::uint32_t rank) const noexcept {
    return peer(whole_, stages_, round, rank);
  }
  /// Returns the round in which the part of a root reaches a rank. Requires: rank ≠ root.
  [[nodiscard]] unsigned arrival(std::uint32_t root, std::uint32_t rank) const noexcept {
    return arrival(whole_, stages_, root, rank);
  }

 private:
  using number = std::uint32_t;

  /// Broadcast among so many ranks, in groups that are wanted, from a root or from all.
  struct part {
    number size;
    process_groups wanted;
    std::optional<number> root;

    [[nodiscard]] bool is_grouped() const noexcept {
      return wanted.size > 1 && size > wanted.size - wanted.place;
    }
    [[nodiscard]] bool is_flat() const noexcept {
      return std::has_single_bit(size) && !is_grouped();
    }
    [[nodiscard]] unsigned bits() const noexcept { return std::bit_width(size) - 1; }
    [[nodiscard]] rank_groups groups() const noexcept {
      if (is_grouped()) return {size, 0, wanted.size, wanted.place};
      return {size, size - std::bit_floor(size), 1, 0};
    }
    [[nodiscard]] number leader(const rank_groups& in, number of) const noexcept {
      return root && in.of(*root) == of ? *root : in.first(of);
    }
    [[nodiscard]] part leaders(const rank_groups& in) const noexcept {
      return {in.count(), {}, root ? std::optional(in.of(*root)) : std::nullopt};
    }
    /// Broadcast inside a group from its leader.
    [[nodiscard]] part inside(const rank_groups& in, number of) const noexcept {
      return {in.members(of), {}, leader(in, of) - in.first(of)};
    }
    /// Broadcast inside a group from all, before anything leaves it; nothing if there is a root.
    [[nodiscard]] part collected(const rank_groups& in, number of) const noexcept {
      return {root ? number{1} : in.members(of), {}, {}};
    }
  };

  /// Groups of a part, and the rounds until they have collected, the leaders have sent, and all is
  /// handed out. Without groups only the last.
  struct stages {
    rank_groups in = {};
    unsigned collected = 0, sent = 0, rounds = 0;
  };

  [[nodiscard]] static stages stages_of(const part& of) noexcept {
    if (of.is_flat()) return {{}, 0, 0, of.bits()};
    stages at{of.groups()};
    // Groups between the second and the last are alike; a shorter one may be slower.
    const number last = at.in.count() - 1;
    for (const number group : {number{0}, std::min(number{1}, last), last}) {
      at.collected = std::max(at.collected, stages_of(of.collected(at.in, group)).rounds);
      at.rounds = std::max(at.rounds, stages_of(of.inside(at.in, group)).rounds);
    }
    at.sent = at.collected + stages_of(of.leaders(at.in)).rounds;
    at.rounds += at.sent;
    return at;
  }

  [[nodiscard]] number peer(const part& of, const stages& at, unsigned round,
                            number rank) const noexcept {
    if (round >= at.rounds) return nobody;
    if (of.is_flat()) {
      const unsigned k = of.bits() - 1 - round;
      if (!negabinary_) return rank ^ number { 1 } << k;
      const number ones = (number{2} << k) - 1, odd = ones & 0xaaaaaaaa;
      const number distance = ones - 2 * odd;  // the value of k + 1 ones in base −2
      return (rank % 2 == 0 ? rank + distance : rank - distance) % of.size;
    }
    const auto among = [&](const part& some, unsigned since, number place) {
      return peer(some, stages_of(some), round - since, place);
    };
    const number group = at.in.of(rank), first = at.in.first(group);
    if (round < at.collected || round >= at.sent) {
      const bool collects = round < at.collected;
      const number found = collects ? among(of.collected(at.in, group), 0, rank - first)
                                    : among(of.inside(at.in, group), at.sent, rank - first);
      return found == nobody ? nobody : first + found;
    }
    if (rank != of.leader(at.in, group)) return nobody;
    const number found = among(of.leaders(at.in), at.collected, group);
    return found == nobody ? nobody : of.leader(at.in, found);
  }

  [[nodiscard]] unsigned arrival(const part& of, const stages& at, number root,
                                 number rank) const noexcept {
    assert(rank != root);
    if (of.is_flat()) {
      number hops = rank ^ root;
      if (negabinary_) {
        const number mask = of.size - 1, odd = 0xaaaaaaaa;
        const number distance = (root % 2 == 0 ? rank - root : root - rank) & mask;
        const number digits = ((distance + odd) ^ odd) & mask;
        hops = digits ^ digits >> 1;
      }
      return of.bits() - 1 - static_cast<unsigned>(std::countr_zero(hops));
    }
    const auto among = [&](const part& some, number from, number to) {
      return arrival(some, stages_of(some), from, to);
    };
    const number group = at.in.of(rank), first = at.in.first(group);
    const number leader = of.leader(at.in, group), of_root = at.in.of(root);
    if (!of.root && of_root == group)
      return among(of.collected(at.in, group), root - first, rank - first);
    if (rank == leader) return at.collected + among(of.leaders(at.in), of_root, group);
    return at.sent + among(of.inside(at.in, group), leader - first, rank - first);
  }

  bool negabinary_;
  part whole_;
  stages stages_;
};

}  // namespace pleat::detail
