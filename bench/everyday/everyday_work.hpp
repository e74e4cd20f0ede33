// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// The everyday algorithms that are measured.
enum class everyday {
  for_each,
  transform,
  reduce,
  transform_reduce,
  inclusive_scan,
  exclusive_scan,
  find_if,
  equal,
  min_element,
  copy_if,
  partition,
  unique,
  reverse,
  rotate,
  random_shuffle,
  merge,
  histogram,
  group_by,
  nth_element,
  top_k,
};

/// Place of a work's result, beside the number it returns.
enum class leaves {
  nothing,    ///< only the number
  output,     ///< in the output, up to the number
  front,      ///< in place, up to the number
  whole,      ///< in place, all of it
  two_parts,  ///< in place, in any order on each side of the number
  shuffled,   ///< in place, all of it in a random order
};

/// Benchmark of one algorithm.
struct everyday_work {
  everyday what;
  std::string_view name;
  std::string_view measure;
  std::string_view rivals;  ///< that implement it
  leaves result;
  /// Elements that must be read and written, for each element of the input.
  double reads, writes;
  /// Elements are random integers below this. Sums of small ones are exact in every order.
  std::uint64_t below = 1 << 13;
  bool sorted_halves = false;  ///< each half of the input is sorted
  /// States that a call changes the input's values, so that the next call needs a fresh copy.
  bool spoils_input = false;
  /// States that branches may depend on the values: calls on few elements alternate between inputs.
  bool values_decide = spoils_input || sorted_halves;
};

inline constexpr std::string_view everybody = "tbb, std-par, openmp, serial, bandwidth";
inline constexpr std::string_view standard = "std-par, serial, bandwidth";

inline constexpr std::array everyday_works{
    everyday_work{everyday::for_each, "for-each", "5 - x in place", everybody, leaves::whole, 1, 1},
    everyday_work{everyday::transform, "transform", "3x + 1", everybody, leaves::output, 1, 1},
    everyday_work{everyday::reduce, "reduce", "a sum", everybody, leaves::nothing, 1, 0},
    everyday_work{everyday::transform_reduce, "transform-reduce", "an inner product", everybody,
                  leaves::nothing, 2, 0},
    everyday_work{everyday::inclusive_scan, "inclusive-scan", "sums", everybody, leaves::output, 1,
                  1},
    everyday_work{everyday::exclusive_scan, "exclusive-scan", "sums", everybody, leaves::output, 1,
                  1},
    everyday_work{everyday::find_if, "find-if", "no such element", standard, leaves::nothing, 1, 0},
    everyday_work{everyday::equal, "equal", "equal ranges", everybody, leaves::nothing, 2, 0},
    everyday_work{everyday::min_element, "min-element", "the first of the least", everybody,
                  leaves::nothing, 1, 0, std::uint64_t{1} << 32},
    everyday_work{everyday::copy_if, "copy-if", "a random half",
                  "std-par, openmp, serial, bandwidth", leaves::output, 1, 0.5, 1 << 13, false,
                  false, true},
    everyday_work{everyday::partition, "partition", "random halves", standard, leaves::two_parts, 1,
                  1, 1 << 13, false, true},
    everyday_work{everyday::unique, "unique", "3 of 4 are kept", standard, leaves::front, 1, 0.75,
                  4, false, true},
    everyday_work{everyday::reverse, "reverse", "in place", everybody, leaves::whole, 1, 1},
    everyday_work{everyday::rotate, "rotate", "by a third", standard, leaves::whole, 1, 1},
    everyday_work{everyday::random_shuffle, "random-shuffle", "by a seed", "serial, bandwidth",
                  leaves::shuffled, 1, 1},
    everyday_work{everyday::merge, "merge", "two halves", standard, leaves::output, 1, 1,
                  std::uint64_t{1} << 32, true},
    everyday_work{everyday::histogram, "histogram", "1024 bins", "tbb, openmp, serial, bandwidth",
                  leaves::nothing, 1, 0},
    everyday_work{everyday::group_by, "group-by", "2^13 keys", "tbb, std-par, serial, bandwidth",
                  leaves::whole, 1, 1, 1 << 13, false, true},
    everyday_work{everyday::nth_element, "nth-element", "the median", standard, leaves::two_parts,
                  1, 1, std::uint64_t{1} << 32, false, true},
    everyday_work{everyday::top_k, "top-k", "the greatest 100", standard, leaves::nothing, 1, 0,
                  std::uint64_t{1} << 32, false, false, true},
};

/// Arrays of a work; `out` is a copy of the input if the work reads it.
template <class T> struct everyday_arrays { std::span<T> in, out; };

/// Function that runs a work and returns its number: a sum, an index, or a hash of counts.
template <class T> using everyday_call = std::uint64_t (*)(everyday_arrays<T>, unsigned threads);

// Callables that all implementations share.
inline constexpr std::size_t histogram_bins = 1024;
inline constexpr std::size_t greatest = 100;
inline constexpr auto mirror = [](auto& x) { x = 5 - x; };
inline constexpr auto affine = [](auto x) { return 3 * x + 1; };
inline constexpr auto odd = [](auto x) { return (static_cast<std::int64_t>(x) & 1) != 0; };
inline constexpr auto absent = [](auto x) { return x >= 1 << 13; };
inline constexpr auto bin_of = [](auto x) { return static_cast<std::uint32_t>(x) / 8; };

/// Hash of numbers, which depends on their order.
inline constexpr auto hash_of = [](const auto& numbers) {
  std::uint64_t hash = 0;
  for (const auto x : numbers)
    hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
};

/// Returns the function for a work in a table; null if there is none.
template <class T>
[[nodiscard]] everyday_call<T> found_in(
    std::initializer_list<std::pair<everyday, everyday_call<T>>> all, everyday what) {
  const auto* const found =
      std::ranges::find(all, what, &std::pair<everyday, everyday_call<T>>::first);
  return found == all.end() ? nullptr : found->second;
}

template <class T> using our_call = std::uint64_t (*)(machine& on, everyday_arrays<T>);

/// Pleat's algorithm. T is double or std::uint32_t.
template <class T> [[nodiscard]] our_call<T> our_everyday(everyday what);

// Implementations of others; null if there is none. T is double or std::uint32_t.

/// Standard library on one thread: implements every algorithm, and is the oracle.
template <class T> [[nodiscard]] everyday_call<T> serial_everyday(everyday what);
/// oneTBB's parallel_for, parallel_reduce, parallel_scan and parallel_sort.
template <class T> [[nodiscard]] everyday_call<T> tbb_everyday(everyday what);
/// Standard library with std::execution::par.
template <class T> [[nodiscard]] everyday_call<T> std_par_everyday(everyday what);
/// Loops with OpenMP directives.
template <class T> [[nodiscard]] everyday_call<T> openmp_everyday(everyday what);

}  // namespace pleat::bench
