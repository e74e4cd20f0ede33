// SPDX-License-Identifier: Apache-2.0
#include "collective.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace pleat::bench {
namespace {

// Part of an operation's data that is a rank's input or result.
enum class part { of_root, of_others, share, all };

struct known_operation {
  operation what;
  std::string_view name;
  part input, result;
  bool combines = false, takes_counts = false, has_equal_parts = false;
};
constexpr std::array known{
    known_operation{operation::broadcast, "broadcast", part::of_root, part::of_others},
    known_operation{operation::scatter, "scatter", part::of_root, part::share, false, false, true},
    known_operation{operation::gather, "gather", part::share, part::of_root, false, false, true},
    known_operation{operation::all_gather, "all_gather", part::share, part::all, false, false,
                    true},
    known_operation{operation::all_gather_v, "all_gather_v", part::share, part::all, false, true},
    known_operation{operation::all_to_all, "all_to_all", part::all, part::all, false, false, true},
    known_operation{operation::reduce, "reduce", part::all, part::of_root, true},
    known_operation{operation::reduce_scatter, "reduce_scatter", part::all, part::share, true,
                    false, true},
    known_operation{operation::reduce_scatter_v, "reduce_scatter_v", part::all, part::share, true,
                    true},
    known_operation{operation::all_reduce, "all_reduce", part::all, part::all, true},
    known_operation{operation::scan, "scan", part::all, part::all, true},
};
constexpr auto operations = [] {
  std::array<operation, known.size()> all{};
  std::ranges::transform(known, all.begin(), &known_operation::what);
  return all;
}();
static_assert(std::ranges::is_sorted(operations));  // so the row of `what` is known[what]
const known_operation& of(operation what) { return known[static_cast<std::size_t>(what)]; }

constexpr std::array spreads{spread::regular, spread::irregular, spread::degenerate, spread::spike};
constexpr std::array<std::string_view, spreads.size()> spread_names{"regular", "irregular",
                                                                    "degenerate", "spike"};

std::size_t element_bytes(operation what) { return combines(what) ? sizeof(double) : 1; }

// Returns the number of elements of a rank if `total` elements are divided evenly.
std::size_t even_share(std::size_t total, std::size_t ranks, std::size_t rank) {
  return total * (rank + 1) / ranks - total * rank / ranks;
}

}  // namespace

std::span<const operation> all_operations() { return operations; }
std::span<const spread> all_spreads() { return spreads; }
std::string_view name_of(operation what) { return of(what).name; }
std::string_view name_of(spread how) { return spread_names[static_cast<std::size_t>(how)]; }
std::optional<operation> operation_named(std::string_view name) {
  const auto* const found = std::ranges::find(known, name, &known_operation::name);
  return found == known.end() ? std::nullopt : std::optional(found->what);
}
std::optional<spread> spread_named(std::string_view name) {
  const auto* const found = std::ranges::find(spread_names, name);
  if (found == spread_names.end()) return std::nullopt;
  return spreads[static_cast<std::size_t>(found - spread_names.begin())];
}

bool combines(operation what) { return of(what).combines; }
bool takes_counts(operation what) { return of(what).takes_counts; }
bool has_equal_parts(operation what) { return of(what).has_equal_parts; }

std::optional<std::string> fault_of(const collective& one, std::size_t ranks) {
  const std::string name(name_of(one.what));
  const std::size_t unit = element_bytes(one.what) * (of(one.what).has_equal_parts ? ranks : 1);
  if (one.bytes == 0 || one.bytes % unit != 0)
    return name + " on " + std::to_string(ranks) + " ranks needs a positive multiple of " +
           std::to_string(unit) + " bytes, not " + std::to_string(one.bytes);
  constexpr std::size_t most = std::numeric_limits<int>::max();  // MPI counts in int
  if (one.bytes / element_bytes(one.what) > most)
    return name + " takes at most " + std::to_string(most) + " elements";
  if (one.how != spread::regular && !takes_counts(one.what))
    return name + " has equal shares; only all_gather_v and reduce_scatter_v can be " +
           std::string(name_of(one.how));
  return std::nullopt;
}

std::vector<std::size_t> counts_of(const collective& one, std::size_t ranks) {
  const std::size_t total = one.bytes / element_bytes(one.what);
  std::vector<std::size_t> counts(ranks, 0);
  switch (one.how) {
    case spread::regular:
      for (std::size_t r = 0; r < ranks; ++r) counts[r] = even_share(total, ranks, r);
      break;
    case spread::irregular: {
      const std::size_t parts = ranks * (ranks + 1) / 2;
      std::size_t before = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const std::size_t upto = before + ranks - r;
        counts[r] = total * upto / parts - total * before / parts;
        before = upto;
      }
      break;
    }
    case spread::degenerate:
      counts[0] = total;
      break;
    case spread::spike:
      counts[0] = ranks == 1 ? total : total / 2;
      for (std::size_t r = 1; r < ranks; ++r)
        counts[r] = even_share(total - counts[0], ranks - 1, r - 1);
      break;
  }
  return counts;
}

namespace {

// Element i of the input of a rank; neighbouring elements, ranks and seeds differ.
template <class T> T element(std::size_t rank, std::size_t i, std::uint64_t seed) {
  const auto mixed =
      static_cast<std::uint32_t>(i + (i >> 8) * 5 + rank * 61 + (rank >> 8) * 11 + seed * 29);
  return static_cast<T>(static_cast<std::uint8_t>(mixed));
}

template <class T> std::span<const T> as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T, class Expected>
std::optional<std::string> first_difference(const collective_share& mine, std::span<const T> result,
                                            const Expected& expected) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const T right = expected(i);
    if (result[i] == right) continue;
    return "element " + std::to_string(i) + " of " + std::string(name_of(mine.one.what)) +
           "'s result on rank " + std::to_string(mine.rank) + " is " + std::to_string(result[i]) +
           ", not " + std::to_string(right);
  }
  return std::nullopt;
}

std::size_t bytes_of(part which, const collective_share& mine) {
  if (which == part::share)
    return counts_of(mine.one, mine.ranks)[mine.rank] * element_bytes(mine.one.what);
  const bool has_it = which == part::all || (which == part::of_root) == (mine.rank == 0);
  return has_it ? mine.one.bytes : 0;
}

}  // namespace

std::size_t collective_share::input_bytes() const { return bytes_of(of(one.what).input, *this); }
std::size_t collective_share::result_bytes() const { return bytes_of(of(one.what).result, *this); }

void collective_share::fill_input(std::span<std::byte> input, std::uint64_t seed) const {
  auto fill = [&]<class T>(std::span<T> elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element<T>(rank, i, seed);
  };
  if (combines(one.what))
    fill(elements_in<double>(input));
  else
    fill(elements_in<std::uint8_t>(input));
}

void collective_share::spoil(std::span<std::byte> result) const {
  // Sums are never negative. A byte of a right result may be 0xA5, but most bytes are not.
  if (combines(one.what))
    std::ranges::fill(elements_in<double>(result), -1.0);
  else
    std::ranges::fill(result, std::byte{0xA5});
}

std::optional<std::string> collective_share::first_wrong(std::span<const std::byte> result,
                                                         std::uint64_t seed) const {
  const auto counts = counts_of(one, ranks);
  std::vector<std::size_t> begin(ranks, 0);
  std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), std::size_t{0});

  if (combines(one.what)) {
    const bool scattered =
        one.what == operation::reduce_scatter || one.what == operation::reduce_scatter_v;
    const std::size_t first = scattered ? begin[rank] : 0;
    const std::size_t summed = one.what == operation::scan ? rank + 1 : ranks;
    return first_difference(*this, as<double>(result), [&](std::size_t i) {
      double sum = 0;
      for (std::size_t r = 0; r < summed; ++r) sum += element<double>(r, first + i, seed);
      return sum;
    });
  }
  const auto bytes = as<std::uint8_t>(result);
  switch (one.what) {
    case operation::broadcast:
    case operation::scatter: {
      const std::size_t first = one.what == operation::scatter ? begin[rank] : 0;
      return first_difference(
          *this, bytes, [&](std::size_t i) { return element<std::uint8_t>(0, first + i, seed); });
    }
    default: {  // gather, all_gather(_v), all_to_all: a block of every rank
      const std::size_t first = one.what == operation::all_to_all ? begin[rank] : 0;
      std::size_t from = 0;
      return first_difference(*this, bytes, [&](std::size_t i) {
        while (i >= begin[from] + counts[from]) ++from;
        return element<std::uint8_t>(from, first + i - begin[from], seed);
      });
    }
  }
}

}  // namespace pleat::bench
