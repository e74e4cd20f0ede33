// SPDX-License-Identifier: Apache-2.0
// Operations that move data: everything arrives where it should, for any number of VPs and workers,
// sizes, roots, types and options. One run performs many operations without a barrier between them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective_runs.hpp"

namespace moving_test {

using namespace collective_runs;
using pleat::collective_options, pleat::task, pleat::vp;

template <class T>
task<> check_broadcast(vp& me, verdict& found, std::size_t n, collective_options options) {
  block<T> x(n);
  if (me.rank() == options.root) x.fill(me.rank(), n);
  co_await broadcast(me, x.all(), options);
  found.expect(x.holds(0, n, options.root, n), me, "broadcast", n);
}

template <class T>
task<> check_all_gather(vp& me, verdict& found, std::size_t n, collective_options options) {
  const std::size_t p = me.size(), r = me.rank();
  block<T> mine(n), all(n * p);
  mine.fill(r);
  co_await all_gather(me, mine.read(), all.all(), options);
  for (std::size_t q = 0; q < p; ++q) found.expect(all.holds(q * n, n, q, 0), me, "all_gather", n);
  all.clear();
  for (std::size_t i = 0; i < n; ++i) all[r * n + i] = mine[i];
  co_await all_gather(me, all.part(r * n, n), all.all(), options);
  for (std::size_t q = 0; q < p; ++q)
    found.expect(all.holds(q * n, n, q, 0), me, "all_gather in place", n);
}

template <class T>
task<> check_all_to_all(vp& me, verdict& found, std::size_t n, collective_options options) {
  const std::size_t p = me.size(), r = me.rank();
  block<T> in(n * p), out(n * p);
  in.fill(r);
  co_await all_to_all(me, in.read(), out.all(), options);
  found.expect(in.holds(0, n * p, r, 0), me, "all_to_all leaves its input alone", n);
  for (std::size_t q = 0; q < p; ++q)
    found.expect(out.holds(q * n, n, q, r * n), me, "all_to_all", n);
  co_await all_to_all(me, in.all(), in.all(), options);
  for (std::size_t q = 0; q < p; ++q)
    found.expect(in.holds(q * n, n, q, r * n), me, "all_to_all in place", n);
}

template <class T>
task<> check_scatter(vp& me, verdict& found, std::size_t n, collective_options options) {
  const bool root = me.rank() == options.root;
  block<T> all(root ? n * me.size() : 0), mine(n);
  all.fill(options.root);
  co_await scatter(me, all.read(), mine.all(), options);
  found.expect(mine.holds(0, n, options.root, me.rank() * n), me, "scatter", n);
  mine.clear();
  const std::span<T> to = root ? all.part(me.rank() * n, n) : mine.all();
  co_await scatter(me, all.all(), to, options);
  if (root)
    found.expect(all.holds(0, n * me.size(), me.rank(), 0), me, "scatter in place", n);
  else
    found.expect(mine.holds(0, n, options.root, me.rank() * n), me, "scatter in place", n);
}

template <class T>
task<> check_gather(vp& me, verdict& found, std::size_t n, collective_options options) {
  const std::size_t p = me.size(), r = me.rank();
  const bool root = r == options.root;
  block<T> all(root ? n * p : 0), mine(n);
  mine.fill(r);
  co_await gather(me, mine.read(), all.all(), options);
  for (std::size_t q = 0; root && q < p; ++q)
    found.expect(all.holds(q * n, n, q, 0), me, "gather", n);
  all.clear();
  for (std::size_t i = 0; root && i < n; ++i) all[r * n + i] = mine[i];
  const std::span<T> from = root ? all.part(r * n, n) : mine.all();
  co_await gather(me, from, all.all(), options);
  for (std::size_t q = 0; root && q < p; ++q)
    found.expect(all.holds(q * n, n, q, 0), me, "gather in place", n);
}

template <class T>
task<> check_all(vp& me, verdict& found, std::size_t n, collective_options options) {
  // Whatever a rank has left of one operation when it begins the next must not meet that.
  co_await check_broadcast<T>(me, found, n, options);
  co_await check_scatter<T>(me, found, n, options);
  co_await check_all_gather<T>(me, found, n, options);
  co_await check_gather<T>(me, found, n, options);
  co_await check_all_to_all<T>(me, found, n, options);
}

TEST(moving_data, arrives_for_every_root) {
  everywhere([](vp& me, verdict& found) -> task<> {
    for (const std::size_t n : {1u, 6u, 7u, 300u}) {
      for (std::size_t root = 0; root < me.size(); ++root) {
        const collective_options options{.root = root};
        co_await check_broadcast<std::uint64_t>(me, found, n, options);
        co_await check_scatter<std::uint64_t>(me, found, n, options);
        co_await check_gather<std::uint64_t>(me, found, n, options);
      }
    }
  });
}

task<> check_sizes(vp& me, verdict& found) {
  const collective_options options{.root = me.size() - 1};
  for (const std::size_t n : {0u, 1u, 47u, 48u, 49u, 4099u, 40000u}) {
    if (n > 4099 && me.size() > 5) break;
    co_await check_all<unsigned char>(me, found, n, options);
  }
}

TEST(moving_data, arrives_whatever_its_size) {
  everywhere(check_sizes);
  over_ranks(check_sizes, {2, 7});
}

TEST(moving_data, arrives_in_any_number_of_blocks) {
  everywhere([](vp& me, verdict& found) -> task<> {
    for (const std::size_t n : {0u, 1u, 5u, 1001u}) {
      for (const std::size_t blocks : {1u, 2u, 8u, 70u}) {
        const collective_options options{.root = me.size() / 2, .blocks = blocks};
        co_await check_broadcast<std::uint32_t>(me, found, n, options);
        co_await check_all_gather<std::uint32_t>(me, found, n, options);
      }
    }
  });
}

task<> check_ports(vp& me, verdict& found) {
  for (const std::size_t n : {0u, 1u, 3u, 1000u}) {
    for (const unsigned ports : {1u, 2u, 3u, 7u, 16u, 100000u}) {
      const collective_options options{.ports = ports};
      co_await check_all_gather<std::uint16_t>(me, found, n, options);
      co_await check_all_to_all<std::uint16_t>(me, found, n, options);
    }
  }
}

TEST(moving_data, arrives_through_any_number_of_ports) {
  everywhere(check_ports);
  over_ranks(check_ports, {7});
}

task<> check_radices(vp& me, verdict& found) {
  for (const std::size_t n : {0u, 1u, 5u, 60u}) {
    for (unsigned radix = 2; radix <= me.size(); radix += 1 + radix / 4) {
      for (const unsigned ports : {1u, 3u}) {
        const collective_options options{.radix = radix, .ports = ports};
        co_await check_all_to_all<std::uint32_t>(me, found, n, options);
      }
    }
  }
}

TEST(moving_data, arrives_with_any_radix) {
  everywhere(check_radices);
  over_ranks(check_radices, {7, 13});
}

template <class T> void check_type() {
  everywhere(
      [](vp& me, verdict& found) -> task<> {
        for (const std::size_t n : {1u, 3u, 130u}) {
          for (const std::size_t blocks : {0u, 4u}) {
            const collective_options options{.root = me.size() - 1, .blocks = blocks};
            co_await check_all<T>(me, found, n, options);
          }
        }
      },
      {1, 2, 3, 7, 8});
}

TEST(moving_data, is_of_any_type) {
  check_type<bool>();
  check_type<bytes_of<3>>();
  check_type<bytes_of<48, 16>>();
  check_type<bytes_of<64, 64>>();
  check_type<std::array<double, 25>>();
}

TEST(moving_data, is_large) {
  constexpr std::size_t most = std::size_t{1} << (pleat::detail::sanitized ? 19 : 21);
  everywhere(
      [](vp& me, verdict& found) -> task<> {
        using word = std::uint64_t;
        const collective_options options{.root = me.size() - 1};
        for (const std::size_t bytes : {most / 128, most / 8 + 8, most}) {
          const std::size_t n = bytes / sizeof(word), each = n / me.size();
          co_await check_broadcast<word>(me, found, n, options);
          co_await check_all_gather<word>(me, found, each, options);
          co_await check_all_to_all<word>(me, found, each, options);
          co_await check_scatter<word>(me, found, each, options);
          co_await check_gather<word>(me, found, each, options);
        }
      },
      {1, 2, 3});
}

TEST(moving_data, of_which_a_rank_sends_more_than_a_channel_holds) {
  // The root of many small broadcasts runs far ahead of the last of the others.
  everywhere([](vp& me, verdict& found) -> task<> {
    std::vector<std::uint32_t> x(200);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (me.rank() == 0) x[i] = made<std::uint32_t>(0, i);
      const collective_options options{};
      co_await broadcast(me, std::span(x).subspan(i, 1), options);
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      found.expect(x[i] == made<std::uint32_t>(0, i), me, "broadcast", i);
  });
}

}  // namespace moving_test
