// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <omp.h>
#include <span>
#include <sys/mman.h>
#include <type_traits>
#include <vector>

#include "sort_rivals.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pleat::bench {

// Passes of a plain parallel radix sort. `word(record)` is the unsigned integer by which records
// are sorted.
namespace radix {

inline constexpr int leading_bits = 11;                        // of a pass through memory
inline constexpr std::size_t in_cache = std::size_t{1} << 18;  // bytes of a bucket
inline constexpr int local_bits = 10;                          // of a pass in cache
inline constexpr std::size_t line_bytes = 256;                 // gathered before they are written

/// Records of a line: a power of two, and whole lines of the cache.
template <class R> constexpr std::size_t line_records() {
  std::size_t records = 1;
  while (records * sizeof(R) < line_bytes || records * sizeof(R) % 64 != 0) records *= 2;
  return records;
}

/// Memory for records, on large pages, which is kept from one sort to the next.
class kept_room {
 public:
  void* of(std::size_t bytes) {
    if (bytes > bytes_) {
      constexpr std::size_t page = std::size_t{1} << 21;
      bytes_ = (bytes + page - 1) / page * page;
      memory_.reset(std::aligned_alloc(page, bytes_));
      if (memory_ == nullptr) throw std::bad_alloc();
      ::madvise(memory_.get(), bytes_, MADV_HUGEPAGE);
    }
    return memory_.get();
  }

 private:
  struct release {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, release> memory_;
  std::size_t bytes_ = 0;
};

template <class R> void write_past_caches(const R* line, R* to) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < line_records<R>() * sizeof(R) / 16; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i,
                     _mm_load_si128(reinterpret_cast<const __m128i*>(line) + i));
#else
  std::memcpy(to, line, line_records<R>() * sizeof(R));
#endif
}

inline void finish_writes() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Moves records to the places of their digits, gathered in a line for each: write combining.
/// `next` are the places, in `to`, which is aligned to a line.
template <class R, class Digit>
void scatter(const R* from, std::size_t n, const Digit& digit, std::vector<std::size_t> next,
             R* to) {
  constexpr std::size_t many = line_records<R>();
  struct alignas(64) line {
    R records[many];
  };
  std::vector<line> lines(next.size());
  const std::vector<std::size_t> first = next;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = digit(from[i]);
    const std::size_t place = next[d]++;
    lines[d].records[place % many] = from[i];
    if (place % many != many - 1) continue;
    const std::size_t begin = place - (many - 1);
    if (begin >= first[d])
      write_past_caches(lines[d].records, to + begin);
    else
      for (std::size_t at = first[d]; at <= place; ++at) to[at] = lines[d].records[at % many];
  }
  for (std::size_t d = 0; d < next.size(); ++d)
    for (std::size_t at = std::max(first[d], next[d] / many * many); at < next[d]; ++at)
      to[at] = lines[d].records[at % many];
  finish_writes();
}

/// Sorts few records, stably.
template <class R, class Word> void sort_few(R* records, std::size_t n, const Word& word) {
  if (n > 32) {
    std::stable_sort(records, records + n,
                     [&](const R& a, const R& b) { return word(a) < word(b); });
    return;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const R record = records[i];
    std::size_t place = i;
    for (; place > 0 && word(record) < word(records[place - 1]); --place)
      records[place] = records[place - 1];
    records[place] = record;
  }
}

/// Sorts a bucket in cache, whose words agree in all but the lowest `bits` bits, from `from` to
/// `to`, which may be the same: two passes, least digit first, over the highest of these bits; then
/// what they leave in disorder, by comparing.
template <class R, class Word>
void sort_in_cache(R* from, std::size_t n, int bits, const Word& word, R* room, R* to) {
  if (n < 64) {
    if (from != to) std::copy_n(from, n, to);
    return sort_few(to, n, word);
  }
  constexpr std::size_t values = std::size_t{1} << local_bits;
  const int low = std::max(bits - 2 * local_bits, 0);
  std::array<std::array<std::uint32_t, values>, 2> places{};
  for (std::size_t i = 0; i < n; ++i) {
    ++places[0][word(from[i]) >> low & (values - 1)];
    ++places[1][word(from[i]) >> (low + local_bits) & (values - 1)];
  }
  for (auto& p : places) std::exclusive_scan(p.begin(), p.end(), p.begin(), 0U);
  for (std::size_t i = 0; i < n; ++i)
    room[places[0][word(from[i]) >> low & (values - 1)]++] = from[i];
  for (std::size_t i = 0; i < n; ++i)
    to[places[1][word(room[i]) >> (low + local_bits) & (values - 1)]++] = room[i];
  if (low == 0) return;
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i + 1;
    while (end < n && word(to[end]) >> low == word(to[i]) >> low) ++end;
    if (end - i > 1) sort_few(to + i, end - i, word);
    i = end;
  }
}

/// Sorts records whose words agree in all but the lowest `bits` bits, by one thread, from `from`
/// to `to`; both are written.
template <class R, class Word>
void sort_bucket(R* from, std::size_t n, int bits, const Word& word, R* room, R* to) {
  if (n * sizeof(R) <= in_cache) return sort_in_cache(from, n, bits, word, room, to);
  const auto first_word = word(from[0]);
  if (std::all_of(from, from + n, [&](const R& r) { return word(r) == first_word; })) {
    std::copy_n(from, n, to);
    return;
  }
  const int below = std::max(bits - leading_bits, 0);
  const auto digit = [&](const R& r) {
    return static_cast<std::size_t>(word(r) >> below & ((1U << leading_bits) - 1));
  };
  std::vector<std::size_t> places((std::size_t{1} << leading_bits) + 1);
  for (std::size_t i = 0; i < n; ++i) ++places[digit(from[i]) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<std::size_t> next(places.begin(), places.end() - 1);
  for (std::size_t i = 0; i < n; ++i) to[next[digit(from[i])]++] = from[i];
  for (std::size_t d = 0; d + 1 < places.size(); ++d) {
    const std::size_t count = places[d + 1] - places[d];
    if (count == 0 || below == 0) continue;
    R* const part = to + places[d];
    if (count * sizeof(R) <= in_cache) {
      sort_in_cache(part, count, below, word, room, part);
    } else {
      std::copy_n(part, count, from + places[d]);
      sort_bucket(from + places[d], count, below, word, room, part);
    }
  }
}

}  // namespace radix

namespace {

/// Sorts in two passes. All threads count the leading bits of the words and move the records to
/// buckets in other memory; then each thread takes one bucket after the other and sorts it back, in
/// cache.
template <class R, class Word>
void sort_records(std::span<R> records, unsigned threads, const Word& word) {
  constexpr int bits = 8 * sizeof(decltype(word(records[0])));
  constexpr int below = bits - radix::leading_bits;
  constexpr std::size_t values = std::size_t{1} << radix::leading_bits;
  const std::size_t n = records.size();
  const auto digit = [&](const R& r) { return static_cast<std::size_t>(word(r) >> below); };
  static radix::kept_room kept;
  R* const moved = static_cast<R*>(kept.of(n * sizeof(R)));
  std::vector<std::vector<std::size_t>> next(threads, std::vector<std::size_t>(values));
  std::vector<std::size_t> begins(values + 1);
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t first = n * rank / team;
    const std::size_t count = n * (rank + 1) / team - first;
    std::vector<std::size_t> counts(values);
    for (std::size_t i = first; i < first + count; ++i) ++counts[digit(records[i])];
    next[rank] = counts;
#pragma omp barrier
#pragma omp single
    for (std::size_t d = 0, place = 0; d <= values; ++d) {
      begins[d] = place;
      if (d == values) break;
      for (std::size_t r = 0; r < team; ++r) {
        const std::size_t of_rank = next[r][d];
        next[r][d] = place;
        place += of_rank;
      }
    }
    radix::scatter(&records[first], count, digit, next[rank], moved);
#pragma omp barrier
    std::vector<R> room(radix::in_cache / sizeof(R));
#pragma omp for schedule(dynamic, 4)
    for (std::size_t d = 0; d < values; ++d) {
      const std::size_t many = begins[d + 1] - begins[d];
      if (many != 0)
        radix::sort_bucket(moved + begins[d], many, below, word, room.data(), &records[begins[d]]);
    }
  }
}

}  // namespace

template <class T, class Order> void radix_sort(std::span<T> keys, unsigned threads, Order order) {
  if constexpr (std::is_same_v<Order, key_order<T>>) {
    static_cast<void>(order);
    if (keys.empty()) return;
    sort_records(keys, threads, [](const T& key) { return word_of_key(key); });
  } else {  // T is an index type: each index is sorted together with the word of its key
    using word = decltype(word_of_key(order.keys[0]));
    struct record {
      word key;
      key_index index;
    };
    static radix::kept_room kept;
    const std::span<record> records(static_cast<record*>(kept.of(keys.size() * sizeof(record))),
                                    keys.size());
#pragma omp parallel for num_threads(static_cast <int>(threads))
    for (std::size_t i = 0; i < keys.size(); ++i)
      records[i] = {word_of_key(order.keys[keys[i]]), keys[i]};
    if (!records.empty()) sort_records(records, threads, [](const record& r) { return r.key; });
#pragma omp parallel for num_threads(static_cast <int>(threads))
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = records[i].index;
  }
}

PLEAT_FOR_ALL_NUMBER_TYPES(PLEAT_SORT_OF, radix_sort);
PLEAT_FOR_ALL_RECORD_TYPES(PLEAT_SORT_OF, radix_sort);
PLEAT_ARGSORT_OF(radix_sort, std::uint64_t);
PLEAT_ARGSORT_OF(radix_sort, double);
PLEAT_ARGSORT_OF(radix_sort, std::uint32_t);
PLEAT_ARGSORT_OF(radix_sort, std::int32_t);
PLEAT_ARGSORT_OF(radix_sort, float);
PLEAT_ARGSORT_OF(radix_sort, key_value);

}  // namespace pleat::bench
