// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/shares/vp_parts.hpp>
#include <pleat/oblivious/detail/sort/small_sort.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Greatest number of samples of T that a rank sends for one boundary at a time: few enough to stay
/// in the cache.
template <class T>
inline constexpr std::size_t most_samples = std::clamp<std::size_t>((std::size_t{1} << 14) /
                                                                        sizeof(T),
                                                                    16, 256);

/// Samples at regular places of an interval; all its places, if they are few.
class sample_places {
 public:
  sample_places(const interval<>& of, std::size_t most) noexcept
      : of_(of), count_(std::min(of.size(), most)) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept {
    return of_.first + of_.size() * (2 * i + 1) / (2 * count_);
  }

 private:
  interval<> of_;
  std::size_t count_;
};

/// Searches where to cut several sorted sequences, so that a given number of elements, the least of
/// all, are before the cuts. Equal elements are in the order of the sequences, so there is one
/// answer. Of each sequence it knows the interval that the cut is in, and narrows these by samples.
///
/// Each round leaves at most 5/k of the elements that were possible, if k samples of each sequence
/// are looked at, and none if that were all. This holds whatever the order answers; of an order
/// that contradicts itself the cuts of two searches may not follow one another.
///
/// Source: the selection of sorted runs by samples, as in Varman, Scheufler, Iyer, Ricard, Merging
/// Multiple Lists on Hierarchical-Memory Multiprocessors, 1991.
class cut_search {
 public:
  /// `before` elements of sequences of these lengths.
  cut_search(std::size_t before, std::vector<interval<>> sequences)
      : left_(before), possible_(std::move(sequences)) {
    std::size_t all = 0;
    for (const interval<>& sequence : possible_) all += sequence.size();
    assert(before <= all);
    for (interval<>& sequence : possible_) {
      if (before == 0) sequence.last = sequence.first;
      if (before == all) sequence.first = sequence.last;
    }
  }

  /// The cut of sequence s is at first … last, the same once the search is done.
  [[nodiscard]] const interval<>& of(std::size_t s) const noexcept { return possible_[s]; }
  [[nodiscard]] bool done() const noexcept {
    return std::ranges::all_of(possible_, [](const interval<>& one) { return one.empty(); });
  }

  /// samples[s] are those of sequence s, at sample_places(of(s), most). Cost: O(m log m) for m
  /// samples in all. Throws: what the order throws.
  template <class T, class Order>
  void narrow(const std::vector<std::span<const T>>& samples, std::size_t most, const Order& less) {
    std::vector<sample> sorted;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      assert(samples[s].size() == sample_places(of(s), most).count());
      for (std::size_t i = 0; i < samples[s].size(); ++i) sorted.push_back({s, i});
    }
    const auto first_of = [&](const sample& a, const sample& b) {
      const T& x = samples[a.sequence][a.index];
      const T& y = samples[b.sequence][b.index];
      if (a.sequence == b.sequence) return a.index < b.index;
      return a.sequence < b.sequence ? !less(y, x) : static_cast<bool>(less(x, y));
    };
    sorting::checked_sort(sorted.data(), sorted.data() + sorted.size(), first_of);
    narrow(sorted, most);
  }

 private:
  struct sample {
    std::size_t sequence, index;
  };

  /// Narrows the boundaries by the order of the samples alone. Of a sequence of which `a` samples
  /// come first, the elements up to the last of these come first too, those from the next sample on
  /// do not.
  void narrow(const std::vector<sample>& sorted, std::size_t most) {
    std::vector<sample_places> places;
    std::size_t least = 0;    // at least so many elements come before the next sample, or are it
    std::size_t highest = 0;  // and at most so many
    for (const interval<>& one : possible_) {
      places.emplace_back(one, most);
      highest += places.back().count() == 0 ? 0 : places.back()[0] - one.first;
    }
    const auto behind = [&](std::size_t s, std::size_t i) {  // of sample i, or of all
      return i < places[s].count() ? places[s][i] : possible_[s].last;
    };
    std::vector<std::size_t> seen(possible_.size(), 0);
    std::size_t low = 0;               // the elements up to that many samples come first
    std::size_t low_elements = 0;      // as many
    std::size_t high = sorted.size();  // those from this sample on do not
    for (std::size_t m = 0; m < sorted.size(); ++m) {
      const std::size_t s = sorted[m].sequence;
      const std::size_t a = seen[s]++;
      const std::size_t known = a == 0 ? possible_[s].first : places[s][a - 1] + 1;
      least += places[s][a] + 1 - known;
      if (least > left_) high = std::min(high, m);
      const std::size_t next = behind(s, a + 1);
      highest += next - places[s][a];
      // Of the sample's own sequence exactly those up to it come before the next.
      if (highest - (next - places[s][a] - 1) <= left_) {
        low = m + 1;
        low_elements = least;
      }
    }
    std::ranges::fill(seen, 0);
    std::vector<interval<>> narrowed = possible_;
    for (std::size_t m = 0; m <= high; ++m) {
      for (std::size_t s = 0; m == low && s < seen.size(); ++s)
        if (seen[s] != 0) narrowed[s].first = places[s][seen[s] - 1] + 1;
      if (m < high) ++seen[sorted[m].sequence];
    }
    for (std::size_t s = 0; high < sorted.size() && s < seen.size(); ++s)
      if (seen[s] < places[s].count()) narrowed[s].last = places[s][seen[s]];
    possible_ = std::move(narrowed);
    left_ -= low_elements;
  }

  std::size_t left_;  // of the elements before the cuts, those that are not known yet
  std::vector<interval<>> possible_;
};

/// The blocks of `all` elements, one on each rank, each of them sorted; `here` is this rank's.
template <class T> struct sorted_blocks {
  std::size_t all;
  std::span<const T> here;
};

/// Sorted blocks, one on each rank or several, become the blocks of one sorted whole: every VP
/// makes its part of its rank's block. Equal elements come in the order of the arguments, then of
/// the ranks.
///
///     search     VP q finds out where its part begins in each sorted block (cut_search); of rank s
///                the VP that serves q sends samples, and gets the narrowed intervals
///     exchange   the VP of rank s that serves q lends q what lies between q's cut and the next
///     merge      q merges what it has got
///
/// Cuts by an order that contradicts itself may lie before the one of the VP before. Then all VPs
/// hear it, and get their parts of the blocks as they stand, one behind the other.
///
/// `Merge::order()` tells the order, `Merge::arguments` how many sorted blocks each rank has.
/// merge(pieces, out) writes the merge of pieces[argument], in the order of the ranks, none empty.
template <class T, class Merge> class merge_program {
 public:
  static constexpr std::size_t arguments = Merge::arguments;

  /// Merges into a whole of `room` places, of which its elements take the first; `out` has room for
  /// those of this rank.
  merge_program(const std::array<sorted_blocks<T>, arguments>& from, std::size_t room,
                std::size_t rank, const Merge& merge, T* out)
      : from_(from), room_(room), rank_(rank), merge_(merge), out_(out) {
    for (const sorted_blocks<T>& blocks : from) all_ += blocks.all;
  }
  merge_program(const merge_program&) = delete;
  merge_program& operator=(const merge_program&) = delete;

  task<> operator()(vp& me, const rank_places& places) {
    const vp_parts parts(all_, room_, places);
    server mine(*this, me.rank(), parts);
    cut_search search(parts.part(me.rank()).first, blocks(parts.ranks()));
    bool goes_on = true, told = false;
    while (goes_on) {
      mine.send_samples(me);
      co_await me.sync(0);
      narrow(search, me, parts);
      if (!told) tell(search, me, parts);
      told = search.done();
      co_await me.sync(0);
      goes_on = mine.hear(me);
    }
    mine.lend_pieces(me);
    co_await me.sync(0);
    if (take_pieces(me, parts)) co_return;
    mine.lend_in_turn(me, parts);
    co_await me.sync(0);
    take_pieces(me, parts);
  }

 private:
  struct narrowed {
    std::uint64_t part, argument, first, last;
  };
  static constexpr std::size_t most = most_samples<T>;

  /// All sorted blocks, in the order of equal elements.
  [[nodiscard]] std::vector<interval<>> blocks(std::size_t ranks) const {
    std::vector<interval<>> all;
    for (const sorted_blocks<T>& argument : from_)
      for (std::size_t s = 0; s < ranks; ++s)
        all.push_back({0, interval<>{0, argument.all}.share(s, ranks).size()});
    return all;
  }
  [[nodiscard]] static std::size_t server_of(std::size_t q, const rank_range& rank) noexcept {
    return rank.first + q % rank.size();
  }

  void narrow(cut_search& search, vp& me, const vp_parts& parts) const {
    std::vector<std::span<const T>> samples(arguments * parts.ranks());
    for (auto m = me.receive(); m; m = me.receive()) {
      std::span<const T> theirs = m->template span<T>();
      for (std::size_t s = parts.rank_of(m->source()); s < samples.size(); s += parts.ranks()) {
        const std::size_t count = sample_places(search.of(s), most).count();
        samples[s] = theirs.first(count);
        theirs = theirs.subspan(count);
      }
    }
    if (!search.done()) search.narrow(samples, most, merge_.order());
  }
  /// The servers of q need its cuts, and those of the VP before, whose pieces end there.
  void tell(const cut_search& search, vp& me, const vp_parts& parts) const {
    const std::size_t q = me.rank();
    for (std::size_t s = 0; s < arguments * parts.ranks(); ++s) {
      const rank_range& rank = parts.vps_of(s % parts.ranks());
      const narrowed now{q, s / parts.ranks(), search.of(s).first, search.of(s).last};
      const std::size_t own = server_of(q, rank);
      me.send(own, now);
      if (q == 0) continue;
      const std::size_t before = server_of(q - 1, rank);
      if (before != own) me.send(before, now);
    }
    if (search.done()) return;
    for (std::size_t p = 0; p < me.size(); ++p) me.send(p, std::uint8_t{1});
  }

  /// Service of a VP for those whose number modulo its rank's VPs is its own.
  class server {
   public:
    server(const merge_program& of, std::size_t self, const vp_parts& parts)
        : of_(of),
          stride_(parts.vps_of(of.rank_).size()),
          self_(self - parts.vps_of(of.rank_).first) {
      for (std::size_t a = 0; a < arguments; ++a) {
        possible_[a].assign(parts.vps(), {0, of.from_[a].here.size()});
        ends_[a].assign(parts.vps(), of.from_[a].here.size());
      }
    }

    /// Sends samples of all arguments, one behind the other.
    void send_samples(vp& me) const {
      for (std::size_t q = self_; q < me.size(); q += stride_) {
        std::size_t all = 0;
        for (const auto& possible : possible_) all += sample_places(possible[q], most).count();
        if (all == 0) continue;
        const auto samples = std::make_unique<T[]>(all);
        T* next = samples.get();
        for (std::size_t a = 0; a < arguments; ++a) {
          const sample_places places(possible_[a][q], most);
          for (std::size_t i = 0; i < places.count(); ++i) *next++ = of_.from_[a].here[places[i]];
        }
        me.send(q, std::span<const T>(samples.get(), all));
      }
    }
    /// Takes in what the searches have found; returns whether one of them goes on.
    bool hear(vp& me) {
      bool goes_on = false;
      for (auto m = me.receive(); m; m = me.receive()) {
        if (m->bytes() != sizeof(narrowed)) {
          goes_on = true;
          continue;
        }
        const auto now = m->template get<narrowed>();
        const std::size_t q = now.part;
        if (q % stride_ == self_) possible_[now.argument][q] = {now.first, now.last};
        if (q != 0 && (q - 1) % stride_ == self_) ends_[now.argument][q - 1] = now.first;
      }
      return goes_on;
    }
    /// Pieces of which no VP gets a part of another's. Of an order that contradicts itself there
    /// may be none; then all VPs hear it. Pieces of later arguments are announced.
    void lend_pieces(vp& me) const {
      bool contradicted = false;
      for (std::size_t q = self_; q < me.size(); q += stride_) {
        for (std::size_t a = 0; a < arguments; ++a) {
          const interval<> piece{possible_[a][q].first, ends_[a][q]};
          if (piece.first > piece.last) contradicted = true;
          lend(me, q, a, piece);
        }
      }
      for (std::size_t p = 0; contradicted && p < me.size(); ++p) me.send(p, std::uint8_t{0});
    }
    /// The parts of the blocks one behind the other, those of each argument by rank.
    void lend_in_turn(vp& me, const vp_parts& parts) const {
      std::size_t before = 0;  // elements of earlier arguments
      for (std::size_t a = 0; a < arguments; before += of_.from_[a].all, ++a) {
        const interval<> block = interval<>{0, of_.from_[a].all}.share(of_.rank_, parts.ranks());
        for (std::size_t q = self_; q < me.size(); q += stride_) {
          const interval<> part = parts.part(q);
          const std::size_t first = before + block.first;
          const auto inside = [&](std::size_t place) {
            return std::clamp(place, first, before + block.last) - first;
          };
          lend(me, q, a, {inside(part.first), inside(part.last)});
        }
      }
    }

   private:
    void lend(vp& me, std::size_t q, std::size_t argument, const interval<>& piece) const {
      if (piece.empty()) return;
      if (argument != 0) me.send(q, static_cast<std::uint8_t>(argument));
      me.lend(q, of_.from_[argument].here.subspan(piece.first, piece.size()));
    }

    const merge_program& of_;
    std::size_t stride_;
    std::size_t self_;
    std::array<std::vector<interval<>>, arguments> possible_;  // [VP]: its cut of our block
    std::array<std::vector<std::size_t>, arguments> ends_;     // [VP]: where its piece ends
  };

  /// Returns false, having done nothing, if a VP has found the order to contradict itself.
  bool take_pieces(vp& me, const vp_parts& parts) const {
    std::array<std::vector<std::span<const T>>, arguments> pieces;
    std::size_t argument = 0;
    bool contradicted = false;
    for (auto m = me.receive(); m; m = me.receive()) {
      if (!m->lent()) {
        argument = m->template get<std::uint8_t>();
        if (argument == 0) contradicted = true;
        continue;
      }
      const strided_view<const T> piece = m->template view<const T>();
      pieces[argument].emplace_back(piece.data, piece.size());
      argument = 0;
    }
    if (contradicted) return false;
    merge_(pieces, out_ + (parts.part(me.rank()).first - parts.block(rank_).first));
    return true;
  }

  std::array<sorted_blocks<T>, arguments> from_;
  std::size_t all_ = 0;
  std::size_t room_;
  std::size_t rank_;
  const Merge& merge_;
  T* out_;
};

}  // namespace pleat::detail::distribution
