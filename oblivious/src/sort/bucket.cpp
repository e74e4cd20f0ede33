// SPDX-License-Identifier: Apache-2.0
#include "sort/bucket.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <boost/sort/pdqsort/pdqsort.hpp>
#include <hwy/cache_control.h>
#include <hwy/contrib/sort/vqsort.h>

#include <pleat/oblivious/detail/program/past_caches.hpp>
#include <pleat/runtime/view.hpp>

#include "sort/spread.hpp"
#include "vector_targets.hpp"

namespace pleat::detail::sorting {
namespace {

constexpr int most_bits = 11;  // of a digit: its counts stay in the nearest cache
constexpr int usual_bits = 10;
constexpr std::size_t few = 256;  // words for which the counts of a digit do not pay

/// Sorts words that are nearly sorted. If they are not, returns false and leaves a permutation.
template <class U> bool insertion_sort(std::span<U> words) {
  std::size_t moves = 4 * words.size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const U w = words[i];
    if (w >= words[i - 1]) continue;
    std::size_t place = i;
    do {
      words[place] = words[place - 1];
      --place;
    } while (place > 0 && w < words[place - 1]);
    words[place] = w;
    if (i - place > moves) return false;
    moves -= i - place;
  }
  return true;
}

/// Returns the number of lowest bits that hold all differences between the words.
template <class U> int differing_bits(const U* words, std::size_t n) {
  U differing = 0;
  for (std::size_t i = 0; i < n; ++i) differing |= words[i] ^ words[0];
  return static_cast<int>(std::bit_width(differing));
}

/// Sorts words that differ in a few of their lowest bits: counts each value and writes it as often.
template <class U> void sort_by_counting(const U* words, std::size_t n, int width, U* out) {
  const std::size_t values = std::size_t{1} << width;
  const U mask = static_cast<U>(values - 1);
  const U base = static_cast<U>(words[0] & ~mask);
  std::array<std::array<std::uint32_t, std::size_t{1} << most_bits>, 2> counts;
  for (auto& table : counts) std::fill_n(table.begin(), values, 0U);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {  // equal neighbours do not wait
    ++counts[0][words[i] & mask];
    ++counts[1][words[i + 1] & mask];
  }
  if (i < n) ++counts[0][words[i] & mask];
  constexpr std::size_t some = 64 / sizeof(U);  // written without asking how many there are
  std::size_t place = 0;
  for (std::size_t v = 0; v < values; ++v) {
    const U word = static_cast<U>(base | v);
    const std::size_t end = place + counts[0][v] + counts[1][v];
    if (place + some <= n) {
      for (std::size_t j = 0; j < some; ++j) out[place + j] = word;
      place += some;
    }
    for (; place < end; ++place) out[place] = word;
    place = end;
  }
}

/// Sorts by the highest bits in which the words differ, then by comparing if that was not enough.
template <class U>
void sort_by_digits(const U* words, std::size_t n, int width, U* room, U* out,
                    std::span<const U> next) {
  // Takes wider digits than usual where two of them cover all bits that differ.
  const int bits = width > 2 * usual_bits && width <= 2 * most_bits
                       ? most_bits
                       : std::clamp((width + 1) / 2, 1, usual_bits);
  const int low = std::max(width - 2 * bits, 0);
  const int high = low + bits;
  const std::size_t values = std::size_t{1} << bits;
  const U mask = static_cast<U>(values - 1);
  std::array<std::array<std::uint32_t, std::size_t{1} << most_bits>, 2> places;
  for (auto& digit : places) std::fill_n(digit.begin(), values, 0U);
  for (std::size_t i = 0; i < n; ++i) {
    ++places[0][(words[i] >> low) & mask];
    ++places[1][(words[i] >> high) & mask];
  }
  for (auto& digit : places)
    std::exclusive_scan(digit.begin(), digit.begin() + values, digit.begin(), 0U);
  for (std::size_t i = 0; i < n; ++i) {
    const U w = words[i];
    room[places[0][(w >> low) & mask]++] = w;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const U w = room[i];
    out[places[1][(w >> high) & mask]++] = w;
    if (i % 8 == 0 && i < next.size()) hwy::Prefetch(&next[i]);
  }
  if (low > 0 && !insertion_sort(std::span(out, n))) sort_by_comparing(out, n);
}

template <class U, bucket_kernel By> double try_once() {
  constexpr std::size_t n = words_of_bucket / 2;
  std::vector<U> words(n), out(n);
  // Draws other words each time: processors would learn the branches that the same words take.
  static std::atomic<std::uint64_t> drawn{1};
  std::uint64_t random = drawn.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15U;
  for (U& w : words) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    w = static_cast<U>((random ^ random >> 31) >> 11);  // of a leading digit that all agree in
  }
  const auto room = std::make_unique_for_overwrite<U[]>(n);
  std::fill_n(room.get(), n, U{1});
  const auto start = std::chrono::steady_clock::now();
  sort_bucket<U>(By, words.data(), n, room.get(), out.data());
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / n;
}

template <class U>
constexpr std::array<kernels::candidate, 2> candidates{
    {{"vector", try_once<U, bucket_kernel::vector>},
     {"digits", try_once<U, bucket_kernel::digits>}}};

}  // namespace

template <> kernels::choice& bucket_choice<std::uint32_t>() {
  static constinit kernels::choice made("sort-u32", candidates<std::uint32_t>);
  return made;
}
template <> kernels::choice& bucket_choice<std::uint64_t>() {
  static constinit kernels::choice made("sort-u64", candidates<std::uint64_t>);
  return made;
}

bool vectors_sort() {
  ready_kernels();
  // Avoids hwy::SupportedTargets where possible: it executes CPUID each time, which in a virtual
  // machine is an exit to the host.
  hwy::ChosenTarget& chosen = hwy::GetChosenTarget();
  if (!chosen.IsInitialized()) chosen.Update(hwy::SupportedTargets());
  constexpr std::size_t without = HWY_MAX_DYNAMIC_TARGETS + 1;  // the last place of its tables
  return chosen.GetIndex() != without;
}

template <class U> void sort_by_comparing(U* words, std::size_t n) {
  if (vectors_sort())
    hwy::Sorter()(words, n, hwy::SortAscending());
  else
    boost::sort::pdqsort_branchless(words, words + n, std::less<>());
}

template <class U>
void sort_bucket(bucket_kernel by, const U* words, std::size_t n, U* room, U* out,
                 std::span<const U> next) {
  if (n >= few) {
    const int width = differing_bits(words, n);
    if (width <= most_bits && std::size_t{1} << width <= n)
      return sort_by_counting(words, n, width, out);
    if (by == bucket_kernel::digits) return sort_by_digits(words, n, width, room, out, next);
  }
  if (out != words) std::copy_n(words, n, out);
  sort_by_comparing(out, n);
}

#define PLEAT_BUCKET(U)                                                                        \
  template void sort_bucket(bucket_kernel, const U*, std::size_t, U*, U*, std::span<const U>); \
  template void sort_by_comparing(U*, std::size_t);
PLEAT_BUCKET(std::uint32_t)
PLEAT_BUCKET(std::uint64_t)
#undef PLEAT_BUCKET

bucket_places::work bucket_places::find(std::size_t rank, const counts_of_all& all,
                                        std::size_t lights, std::span<const std::uint32_t> inside,
                                        const room& in) const {
  const std::size_t buckets = lights + inside.size();
  std::fill_n(in.sizes, buckets, 0);
  for (std::size_t q = 0; q < vps_; ++q) {
    if (q == rank) std::copy_n(in.sizes, buckets, in.first);  // what ranks before mine have of it
    for (std::size_t b = 0; b < buckets; ++b) in.sizes[b] += all[q][b];
  }
  std::size_t place = 0;
  const auto lay = [&](std::size_t b) {
    in.begins[b] = place;
    in.first[b] += place;
    place += in.sizes[b];
  };
  std::size_t heavy = 0;
  for (std::size_t b = 0; b < lights; ++b) {
    lay(b);
    for (; heavy < inside.size() && inside[heavy] == b; ++heavy) lay(lights + heavy);
  }

  work found{
      {lights, lights}, true, 0, std::vector<std::size_t>(vps_), std::vector<std::size_t>(vps_)};
  for (std::size_t b = 0; b < lights; ++b) found.light_words += in.sizes[b];
  std::vector<std::size_t> load(vps_);
  std::size_t before = 0;  // words of light buckets
  std::size_t owner = 0;
  for (std::size_t b = 0; b < lights; ++b) {
    // Gives the bucket to the VP in whose equal share its middle lies.
    const std::size_t middle = before + in.sizes[b] / 2;
    while (owner + 1 < vps_ && interval<>{0, found.light_words}.share(owner, vps_).last <= middle)
      ++owner;
    if (owner == rank) {
      found.lights.first = std::min(found.lights.first, b);
      found.lights.last = b + 1;
    }
    load[owner] += in.sizes[b];
    found.given[owner] += all[rank][b];
    before += in.sizes[b];
  }
  if (found.lights.first == lights) found.lights.last = lights;
  std::size_t heavy_before = 0;
  owner = 0;
  for (std::size_t b = lights; b < buckets; heavy_before += in.sizes[b++]) {
    const std::size_t first = heavy_before + in.first[b] - in.begins[b];
    for (interval<> mine{first, first + all[rank][b]}; !mine.empty();) {
      const auto share = interval<>{0, n_ - found.light_words}.share(owner, vps_);
      const std::size_t put = intersect(mine, share).size();
      found.heavy_given[owner] += put;
      mine.first += put;
      if (!mine.empty()) ++owner;
    }
  }
  // Share of light words, at least a quarter of all words: where most are heavy, imbalance of the
  // light ones costs little.
  const std::size_t share = std::max(found.light_words / vps_, n_ / vps_ / 4);
  found.balanced = std::ranges::max(load) <= share + share / 4;
  return found;
}

task<std::vector<std::size_t>> heavy_begins_of_all(vp& me, std::span<const std::size_t> mine) {
  for (std::size_t q = 0; q < me.size(); ++q) me.lend(q, mine);
  co_await me.sync(0);
  std::vector<std::span<const std::size_t>> parts(me.size());
  while (auto m = me.receive()) {
    const strided_view<const std::size_t> part = m->view<const std::size_t>();
    parts[m->source()] = {part.data, part.size()};
  }
  std::vector<std::size_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  co_return all;
}

namespace {

/// Calls f with a function that gives the i-th word.
template <sort_word U, class F>
auto with_words(const void* keys, const key_map<U>& map, const F& f) {
  if (map.floating)
    return f([=, map = map](std::size_t i) { return map.to_word(load_bits<U>(keys, i)); });
  return f(
      [=, flip = map.flip](std::size_t i) { return static_cast<U>(load_bits<U>(keys, i) ^ flip); });
}

template <class U, class Load, class Digit>
void count(const Load& load, std::size_t n, const Digit& digit, std::size_t buckets,
           std::uint32_t* counts) {
  std::uint32_t* const others = counts + buckets;  // equal neighbours do not wait
  std::fill_n(counts, 2 * buckets, 0U);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    ++counts[digit(load(i))];
    ++others[digit(load(i + 1))];
  }
  if (i < n) ++counts[digit(load(i))];
  for (std::size_t b = 0; b < buckets; ++b) counts[b] += others[b];
}

template <class U, class Load, class Digit>
void spread_through_caches(const Load& load, std::size_t n, const Digit& digit, std::size_t* first,
                           U* to) {
  for (std::size_t i = 0; i < n; ++i) {
    const U w = load(i);
    to[first[digit(w)]++] = w;
  }
}

template <class U, class Load, class Digit>
void spread_past_caches(const Load& load, std::size_t n, const Digit& digit, std::size_t buckets,
                        const spread_room<U>& room, U* to) {
  constexpr std::uint32_t line = line_words<U>;
  std::uint32_t* const filled = room.filled;
  U* const lines = room.lines;
  // Counts places from the beginning of the cache line in which the share begins.
  for (std::size_t b = 0; b < buckets; ++b)
    filled[b] = static_cast<std::uint32_t>(room.first[b] % line);
  for (std::size_t i = 0; i < n; ++i) {
    const U w = load(i);
    const std::size_t b = digit(w);
    const std::uint32_t place = filled[b]++;
    U* const gathered = lines + b * line;
    gathered[place % line] = w;
    if (place % line != line - 1) [[likely]]
      continue;
    const std::size_t before = room.first[b] % line;
    U* const origin = to + (room.first[b] - before);
    if (place >= line) [[likely]] {
      copy_past_caches(gathered, sizeof(U) * line, origin + (place - (line - 1)));
    } else {  // the first line, shared with the bucket before
      for (std::size_t at = before; at <= place; ++at) origin[at] = gathered[at];
    }
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t before = room.first[b] % line;
    U* const origin = to + (room.first[b] - before);
    const std::size_t end = filled[b];
    for (std::size_t at = std::max(before, end / line * line); at < end; ++at)
      origin[at] = lines[b * line + at % line];
  }
  hwy::FlushStream();
}

}  // namespace

template <sort_word U>
leading_digit<U> leading_digit_of(const void* keys, std::size_t n, const key_map<U>& map,
                                  std::size_t vps, bool any_heavy) {
  return with_words(keys, map, [=](const auto& load) {
    return leading_digit<U>(load, n, vps, {.any_heavy = any_heavy});
  });
}

template <sort_word U>
std::size_t take_heavy(void* keys, std::size_t n, const key_map<U>& map,
                       const heavy_words<U>& heavy, std::uint32_t* counts) {
  constexpr std::size_t most = heavy_words<U>::most;
  std::array<std::array<std::uint32_t, most + 1>, 2> tables{};  // equal neighbours do not wait
  std::size_t kept = 0;
  with_words(keys, map, [&](const auto& load) {
    const heavy_words<U> words = heavy;  // which the keys could be, for all the compiler knows
    for (std::size_t i = 0; i < n; ++i) {
      const U bits = load_bits<U>(keys, i);
      const std::size_t h = words.find(load(i), 0, most);
      ++tables[i % 2][h];
      store_bits(bits, keys, kept);
      kept += h == most ? 1 : 0;
    }
  });
  for (std::size_t h = 0; h < heavy.size(); ++h) counts[h] = tables[0][h] + tables[1][h];
  return kept;
}

template <sort_word U>
void count_digits(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, std::uint32_t* counts) {
  with_words(keys, map, [&](const auto& load) {
    digit.visit([&](const auto& d) { count<U>(load, n, d, digit.lights(), counts); });
  });
}

template <sort_word U>
void spread_words(const void* keys, std::size_t n, const key_map<U>& map,
                  const leading_digit<U>& digit, const spread_room<U>& room, U* to, bool stream) {
  with_words(keys, map, [&](const auto& load) {
    digit.visit([&](const auto& d) {
      if (stream)
        spread_past_caches<U>(load, n, d, digit.lights(), room, to);
      else
        spread_through_caches<U>(load, n, d, room.first, to);
    });
  });
}

#define PLEAT_SPREAD(U)                                       \
  template decltype(leading_digit_of<U>) leading_digit_of<U>; \
  template decltype(take_heavy<U>) take_heavy<U>;             \
  template decltype(count_digits<U>) count_digits<U>;         \
  template decltype(spread_words<U>) spread_words<U>;
PLEAT_SPREAD(std::uint32_t)
PLEAT_SPREAD(std::uint64_t)
#undef PLEAT_SPREAD

}  // namespace pleat::detail::sorting
