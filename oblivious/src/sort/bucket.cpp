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

#include "sort/leading_digit.hpp"
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
  std::vector<U> words(n);
  std::vector<U> out(n);
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

}  // namespace pleat::detail::sorting
