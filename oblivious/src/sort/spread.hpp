// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/oblivious/detail/sort/choose.hpp>
#include <pleat/oblivious/detail/sort/keys.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>

#include "sort/leading_digit.hpp"

namespace pleat::detail::sorting {

/// Places of all buckets, and shares of the VPs. Buckets follow one another; the heavy ones in the
/// range of a light bucket follow it. Each VP sorts a range of light buckets with about as many
/// words as the others', and puts an equal number of words of heavy buckets to their places.
class bucket_places {
 public:
  /// Numbers of words of each bucket in each VP's block; light buckets come before heavy ones.
  using counts_of_all = std::vector<const std::uint32_t*>;

  /// Places of all buckets, in memory of a VP.
  struct room {
    std::size_t* begins;  ///< of each bucket
    std::size_t* sizes;   ///< of each bucket
    std::size_t* first;   ///< of each bucket: where the words of the VP's block go
  };

  /// Work of a VP.
  struct work {
    interval<> lights;               ///< buckets to sort
    bool balanced;                   ///< has no VP to sort a quarter more words than its share?
    std::size_t light_words;         ///< of all blocks
    std::vector<std::size_t> given;  ///< light words of the block, by the VP that sorts them
    std::vector<std::size_t> heavy_given;  ///< heavy words of the block, by the VP that puts them
  };

  bucket_places(std::size_t n, std::size_t vps) noexcept : n_(n), vps_(vps) {}

  /// Words that VP `rank` counts and spreads.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept {
    return interval<>{0, n_}.share(rank, vps_);
  }

  /// Fills the room of VP `rank`. Heavy bucket h lies in the range of light bucket inside[h];
  /// these ascend. Cost: P·buckets additions.
  [[nodiscard]] work find(std::size_t rank, const counts_of_all& all, std::size_t lights,
                          std::span<const std::uint32_t> inside, const room& in) const;

  /// Calls f(h, part) for each part of a heavy bucket h that VP `rank` puts. `part` counts from the
  /// beginning of the bucket.
  template <class F>
  void each_heavy_part(std::size_t rank, std::span<const std::size_t> sizes, const F& f) const {
    std::size_t all = 0;
    for (const std::size_t size : sizes) all += size;
    const interval<> mine = interval<>{0, all}.share(rank, vps_);
    std::size_t before = 0;
    for (std::size_t h = 0; h < sizes.size(); before += sizes[h++]) {
      const interval<> part = intersect(mine, interval<>{before, before + sizes[h]});
      if (!part.empty()) f(h, interval<>{part.first - before, part.last - before});
    }
  }

 private:
  std::size_t n_;
  std::size_t vps_;
};

/// Positions at which heavy buckets are inserted into the sorted light buckets of a VP.
class heavy_cuts {
 public:
  /// Prepares the cuts of the VP that sorts these light buckets. `inside` is as in
  /// bucket_places::find; `sizes` are those of the heavy buckets; `begins` is room for as many.
  heavy_cuts(const interval<>& lights, std::span<const std::uint32_t> inside,
             const std::size_t* sizes, std::size_t* begins)
      : inside_(inside), sizes_(sizes), begins_(begins) {
    next_ =
        static_cast<std::size_t>(std::ranges::lower_bound(inside, lights.first) - inside.begin());
  }

  /// Calls put(first, last, place) for the pieces of the sorted words of light bucket b, which
  /// begins at `place`; `before(h)` is the number of these words that come before heavy word h.
  template <class Before, class Put>
  void cut(std::size_t b, std::size_t words, std::size_t place, const Before& before,
           const Put& put) {
    std::size_t done = 0;
    for (; any(b); ++next_) {
      const std::size_t end = before(next_);
      if (done < end) put(done, end, place);
      place += end - done;
      begins_[cut_++] = place;
      place += sizes_[next_];
      done = end;
    }
    if (done < words) put(done, words, place);
  }

  /// Tells whether heavy words lie in light bucket b, the next that is cut.
  [[nodiscard]] bool any(std::size_t b) const noexcept {
    return next_ < inside_.size() && inside_[next_] == b;
  }
  /// Beginnings of the heavy buckets that lie in the light buckets cut so far.
  [[nodiscard]] std::span<const std::size_t> begins() const noexcept { return {begins_, cut_}; }

 private:
  std::span<const std::uint32_t> inside_;
  const std::size_t* sizes_;
  std::size_t* begins_;
  std::size_t cut_ = 0;
  std::size_t next_;
};

/// Exchanges the beginnings that the VPs found and returns those of all heavy buckets, in order.
/// Requires: `mine` stays unchanged until the run ends. One superstep with label 0.
task<std::vector<std::size_t>> heavy_begins_of_all(vp& me, std::span<const std::size_t> mine);

/// Distribution sort of many items on few VPs. All VPs spread their blocks over buckets by a
/// leading digit. Then each VP sorts a range of buckets, with as many items as the others' unless
/// the keys crowd. Each item is moved twice between memory and cache, and nothing is merged. Heavy
/// words, which a sample finds, are not sorted.
///
/// Supersteps with label 0. First the VPs lend each other the counts of their buckets. Then each
/// light item goes to the VP that sorts its bucket. If there are heavy words, the VPs tell each
/// other where their buckets begin between the sorted ones. A VP writes the parts of the scratch
/// memory and of the result that its range of buckets takes, and an equal share of the heavy items.
/// Local work: n/P for each of a count, a spread and the sort of the buckets in cache; P·buckets
/// additions.
///
/// `Items`, which derives from it, says what is moved: words (word_spread) or records that have
/// words (record_spread). It has `digit()`, `streams()`, `only_counts_heavy`, places_heavy(), which
/// tells whether heavy words are put without a spread if there are no others, and the steps of a
/// VP: count(rank), which put_back(rank) undoes, spread(rank), sort_share(rank, light buckets) and
/// put_heavy(rank, begins).
template <class Items> class bucket_spread {
 public:
  bucket_spread(std::size_t n, std::size_t vps) noexcept : vps_(vps), places_(n, vps) {}

  /// Keys of VP `rank`.
  [[nodiscard]] interval<> block(std::size_t rank) const noexcept { return places_.block(rank); }

  /// Sorts as the only VP, without a machine. Returns distribution or counting.
  sort_method alone() {
    items().count(0);
    const bucket_places::work mine = find(0, {counts_[0]});
    if (items().places_heavy() && mine.light_words == 0) return finish_counting(0);
    items().spread(0);
    writing_.store(true, std::memory_order_relaxed);
    items().put_heavy(0, items().sort_share(0, mine.lights).begins().data());
    if (items().streams()) finish_streaming();
    return sort_method::distribution;
  }

  /// Program of one of several VPs. Returns the same to all VPs: distribution or counting if the
  /// keys are sorted; columns, with nothing changed, if the keys crowd in so few buckets that some
  /// VP would have much more to do than others. No VP uses the memory any more when it returns
  /// that.
  task<sort_method> together(vp& me) {
    items().count(me.rank());
    const std::span<const std::uint32_t> counted(counts_[me.rank()], items().digit().buckets());
    for (std::size_t q = 0; q < vps_; ++q) me.lend(q, counted);
    co_await me.sync(0);
    bucket_places::counts_of_all all(vps_);
    while (auto m = me.receive()) all[m->source()] = m->template view<const std::uint32_t>().data;
    const bucket_places::work mine = find(me.rank(), all);
    if (items().places_heavy() && mine.light_words == 0) {
      if (!Items::only_counts_heavy)
        for (std::size_t q = 0; q < vps_; ++q) me.count_crossing(q, mine.heavy_given[q]);
      co_await me.sync(0);  // nobody fails any more, so nobody writes what another could not
      co_return finish_counting(me.rank());
    }
    if (!mine.balanced) {
      items().put_back(me.rank());
      co_await me.sync(0);  // columns are other blocks
      co_return sort_method::columns;
    }
    items().spread(me.rank());
    for (std::size_t q = 0; q < vps_; ++q)
      me.count_crossing(q, mine.given[q] + (Items::only_counts_heavy ? 0 : mine.heavy_given[q]));
    co_await me.sync(0);
    writing_.store(true, std::memory_order_relaxed);
    const heavy_cuts cuts = items().sort_share(me.rank(), mine.lights);
    if (items().digit().heavy().size() > 0) {
      const std::vector<std::size_t> begins = co_await heavy_begins_of_all(me, cuts.begins());
      items().put_heavy(me.rank(), begins.data());
    }
    if (items().streams()) finish_streaming();
    co_return sort_method::distribution;
  }

 protected:
  void lay_out_counts(arena& in, std::size_t buckets, std::size_t heavy) {
    counts_ = in.arrays<std::uint32_t>(2 * buckets, vps_);
    filled_ = in.arrays<std::uint32_t>(buckets, vps_);
    begins_ = in.arrays<std::size_t>(buckets, vps_);
    sizes_ = in.arrays<std::size_t>(buckets, vps_);
    first_ = in.arrays<std::size_t>(buckets, vps_);
    cut_ = in.arrays<std::size_t>(heavy, vps_);
  }
  [[nodiscard]] std::span<const std::size_t> heavy_sizes(std::size_t rank) const noexcept {
    return {sizes_[rank] + items().digit().lights(), items().digit().heavy().size()};
  }
  /// Tells whether some VP had begun to write the result. Called after the run, whose end orders
  /// the stores before this load.
  [[nodiscard]] bool has_written() const noexcept {
    return writing_.load(std::memory_order_relaxed);
  }

  std::size_t vps_;
  bucket_places places_;
  vp_arrays<std::uint32_t> counts_, filled_;
  vp_arrays<std::size_t> begins_, sizes_, first_, cut_;
  std::atomic<bool> writing_{false};

 private:
  [[nodiscard]] Items& items() noexcept { return static_cast<Items&>(*this); }
  [[nodiscard]] const Items& items() const noexcept { return static_cast<const Items&>(*this); }
  [[nodiscard]] bucket_places::work find(std::size_t rank,
                                         const bucket_places::counts_of_all& all) const {
    return places_.find(rank, all, items().digit().lights(), items().digit().inside(),
                        {begins_[rank], sizes_[rank], first_[rank]});
  }
  /// All items are heavy: they have been counted, and are written.
  sort_method finish_counting(std::size_t rank) {
    items().put_heavy(rank, begins_[rank] + items().digit().lights());
    if (items().streams()) finish_streaming();
    return Items::only_counts_heavy ? sort_method::counting : sort_method::distribution;
  }
};

// Distribution of words over buckets by their leading digit: they are counted first, then moved.

/// Number of words that are gathered in a buffer before they are moved to their bucket together.
/// It is large enough that the branch which finds a buffer full is seldom mispredicted, and small
/// enough that the buffers of all buckets stay in a second-level cache.
template <class U> inline constexpr std::size_t line_words = 32;

/// Makes the buckets of n keys' words for `vps` VPs. The sample depends on n and the keys alone.
template <sort_word U>
[[nodiscard]] leading_digit<U> leading_digit_of(const void* keys, std::size_t n,
                                                const key_map<U>& map, std::size_t vps,
                                                bool any_heavy = true);

/// Counts how often each heavy word occurs among n keys, and moves all other keys to the front, in
/// their order. Returns the number of these; the keys behind them are unspecified. `counts` need
/// not be cleared. Requires: n < 2^32; there are heavy words.
template <sort_word U>
[[nodiscard]] std::size_t take_heavy(void* keys, std::size_t n, const key_map<U>& map,
                                     const heavy_words<U>& heavy, std::uint32_t* counts);

/// Counts how many of n keys' words each light bucket gets. `counts` need not be cleared; as much
/// memory again behind it is used. Requires: n < 2^32; no word is heavy.
template <sort_word U>
void count_digits(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, std::uint32_t* counts);

/// Places of a block's words in the buckets.
template <class U> struct spread_room {
  std::size_t* first;     ///< of each bucket: where the block's share of it begins in `to`
  std::uint32_t* filled;  ///< of each bucket
  U* lines;               ///< line_words of each bucket; aligned to them
};

/// Moves the words of n keys to their light buckets in `to`; room.first is changed. With `stream`,
/// meant for arrays larger than the caches, lines are gathered in cache and written past it, so
/// that writing a word does not read the bucket's memory. Other VPs may fill the memory before and
/// after a share at the same time.
/// Requires: n < 2^32; `to` aligned to a line.
template <sort_word U>
void spread_words(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, const spread_room<U>& room, U* to, bool stream);

}  // namespace pleat::detail::sorting
