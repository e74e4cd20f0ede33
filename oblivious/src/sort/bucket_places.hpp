// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

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
    for (; next_ < inside_.size() && inside_[next_] == b; ++next_) {
      const std::size_t end = before(next_);
      if (done < end) put(done, end, place);
      place += end - done;
      begins_[cut_++] = place;
      place += sizes_[next_];
      done = end;
    }
    if (done < words) put(done, words, place);
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

}  // namespace pleat::detail::sorting
