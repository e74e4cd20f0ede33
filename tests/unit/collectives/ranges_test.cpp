// SPDX-License-Identifier: Apache-2.0
// The operations take whatever holds elements in one piece, and move the elements.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_runs.hpp"

namespace ranges_test {

using namespace collective_runs;
using pleat::task, pleat::vp;

constexpr std::size_t p = 4;  // VPs: a part is one element, all parts are p

/// Calls check(range) with the elements in everything that can hold them. `check` is awaited.
template <std::size_t n, class Check>
task<> in_every_container(const std::array<long, n>& elements, const Check& check) {
  std::array<long, n> array = elements;
  co_await check(array);
  long plain[n];
  std::ranges::copy(elements, plain);
  co_await check(plain);
  std::vector<long> vector(elements.begin(), elements.end());
  co_await check(vector);
  array = elements;
  co_await check(std::span(array));  // of static extent
  std::ranges::copy(elements, vector.begin());
  co_await check(std::span(vector));
  std::ranges::copy(elements, vector.begin());
  const std::span<long> named = vector;
  co_await check(named);
}
template <std::size_t n, class Check>
task<> in_every_constant(const std::array<long, n>& elements, const Check& check) {
  co_await check(elements);
  const std::vector<long> vector(elements.begin(), elements.end());
  co_await check(vector);
  co_await check(std::span(elements));
  co_await check(std::span<const long>(vector));
  co_await in_every_container(elements, check);
}

/// Calls operation(in, out) with every kind of range for each, beside an array for the other; `out`
/// must be `expected` then.
template <std::size_t given, std::size_t wanted, class Operation>
task<> check(vp& me, verdict& found, const char* name, const std::array<long, given>& in,
             const std::array<long, wanted>& expected, const Operation& operation) {
  co_await in_every_constant(in, [&](const auto& from) -> task<> {
    std::array<long, wanted> to{};
    co_await operation(from, to);
    found.expect(to == expected, me, name);
  });
  co_await in_every_container(std::array<long, wanted>{}, [&](auto&& to) -> task<> {
    co_await operation(in, to);
    found.expect(std::ranges::equal(to, expected), me, name);
  });
}

TEST(collective_ranges, are_moved_as_their_elements) {
  for (const unsigned workers : {1u, 2u}) {
    pleat::machine machine({.processors = workers});
    run_on(machine, p, [](vp& me, verdict& found) -> task<> {
      const auto r = static_cast<long>(me.rank());
      const std::array<long, 1> one{10 + r};
      const std::array<long, p> all{10, 11, 12, 13};
      const std::array<std::size_t, p> counts{1, 1, 1, 1};
      co_await in_every_container(
          std::array<long, 3>{100 + r, 200 + r, 300 + r}, [&](auto&& data) -> task<> {
            co_await broadcast(me, data, {.root = 2});
            found.expect(std::ranges::equal(data, std::array{102, 202, 302}), me, "broadcast");
          });
      co_await check(me, found, "all_gather", one, all,
                     [&](auto& in, auto& out) { return all_gather(me, in, out); });
      co_await check(me, found, "all_gather_v", one, all,
                     [&](auto& in, auto& out) { return all_gather_v(me, in, out, counts); });
      co_await check(me, found, "gather", one, r == 0 ? all : std::array<long, p>{},
                     [&](auto& in, auto& out) { return gather(me, in, out); });
      co_await check(me, found, "gather_v", one, r == 0 ? all : std::array<long, p>{},
                     [&](auto& in, auto& out) { return gather_v(me, in, out, counts); });
      co_await check(me, found, "scatter", all, one,
                     [&](auto& in, auto& out) { return scatter(me, in, out); });
      co_await check(me, found, "scatter_v", all, one,
                     [&](auto& in, auto& out) { return scatter_v(me, in, out, counts); });
      const std::array<long, p> to_all{4 * r, 4 * r + 1, 4 * r + 2, 4 * r + 3};
      const std::array<long, p> from_all{r, 4 + r, 8 + r, 12 + r};
      co_await check(me, found, "all_to_all", to_all, from_all,
                     [&](auto& in, auto& out) { return all_to_all(me, in, out); });
      co_await check(me, found, "all_to_all_v", to_all, from_all, [&](auto& in, auto& out) {
        return all_to_all_v(me, in, out, counts, counts);
      });

      const std::plus<> plus;
      const std::array<long, 2> two{r, 1};
      const std::array<long, 2> sum{6, 4}, none{};
      co_await check(me, found, "reduce", two, r == 0 ? sum : none,
                     [&](auto& in, auto& out) { return reduce(me, in, out, plus); });
      co_await check(me, found, "all_reduce", two, sum,
                     [&](auto& in, auto& out) { return all_reduce(me, in, out, plus); });
      co_await check(me, found, "scan", two, std::array<long, 2>{r * (r + 1) / 2, r + 1},
                     [&](auto& in, auto& out) { return scan(me, in, out, plus); });
      co_await check(me, found, "exclusive_scan", two,
                     r == 0 ? none : std::array<long, 2>{r * (r - 1) / 2, r},
                     [&](auto& in, auto& out) { return exclusive_scan(me, in, out, plus); });
      const std::array<long, 1> part{24 + 4 * r};  // 0 + 4 + 8 + 12 and r from each
      co_await check(me, found, "reduce_scatter", to_all, part,
                     [&](auto& in, auto& out) { return reduce_scatter(me, in, out, plus); });
      co_await check(me, found, "reduce_scatter_v", to_all, part, [&](auto& in, auto& out) {
        return reduce_scatter_v(me, in, out, counts, plus);
      });
    });
  }
}

// Ranges that have no elements in one piece, or lose them before the operation is over, do not
// compile.
template <class T>
concept can_be_broadcast = requires(vp& me, T&& data) {
  broadcast(me, static_cast<T&&>(data));
};
template <class In, class Out>
concept can_be_gathered = requires(vp& me, In&& in, Out&& out) {
  all_gather(me, static_cast<In&&>(in), static_cast<Out&&>(out));
};
static_assert(can_be_broadcast<std::vector<int>&> && can_be_broadcast<std::span<int>> &&
              can_be_broadcast<int (&)[3]> && can_be_broadcast<std::string&> &&
              can_be_broadcast<int&> && can_be_broadcast<int>);  // one value, which comes back
static_assert(!can_be_broadcast<int*> && !can_be_broadcast<int*&> &&
              !can_be_broadcast<std::string_view> && !can_be_broadcast<const std::vector<int>&> &&
              !can_be_broadcast<std::vector<int>> && !can_be_broadcast<std::vector<bool>&> &&
              !can_be_broadcast<std::span<const int>> &&
              !can_be_broadcast<pleat::strided_view<int>> &&
              !can_be_broadcast<std::vector<std::string>&>);
static_assert(can_be_gathered<std::string_view, std::string&> &&
              can_be_gathered<const std::array<int, 2>&, int (&)[8]>);
static_assert(!can_be_gathered<int, std::vector<int>&> &&
              !can_be_gathered<const int*, std::vector<int>&> &&
              !can_be_gathered<std::vector<int>&, std::vector<long>&> &&
              !can_be_gathered<std::vector<int>, std::vector<int>&> &&
              !can_be_gathered<std::vector<int>&, std::vector<int>>);

}  // namespace ranges_test
