// SPDX-License-Identifier: Apache-2.0
// The geometry of tiles, by brute force: every point of a piece of space-time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/oblivious/detail/stencil/coordinates.hpp>

namespace stencil_coordinates_test {

using namespace pleat::detail::stencils;

/// f(x, t) for all points of a domain.
template <std::size_t D, class F> void for_each_point(const box<D>& of, const F& f) {
  if (of.empty()) return;
  point<D> x{};
  for (std::size_t i = 0; i < D; ++i) x[i] = of.sides[i].first;
  while (true) {
    f(x);
    std::size_t i = D;
    for (; i > 0; --i) {
      if (++x[i - 1] < of.sides[i - 1].last) break;
      x[i - 1] = of.sides[i - 1].first;
    }
    if (i == 0) return;
  }
}

/// The tile of width w that a point of space-time lies in.
constexpr diamond diamond_of(offset x, offset t, offset w) {
  return {floor_div(t + x, w), floor_div(t - x, w)};
}
template <std::size_t D> constexpr tile<D> tile_of(const point<D>& x, offset t, offset w) {
  tile<D> result;
  for (std::size_t i = 0; i < D; ++i) result.in[i] = diamond_of(x[i], t, w);
  return result;
}

template <std::size_t D> struct flat {  // to be a key of a map
  std::array<offset, 2 * D> values{};
  explicit flat(const tile<D>& of) {
    for (std::size_t i = 0; i < D; ++i) {
      values[2 * i] = of.in[i].u;
      values[2 * i + 1] = of.in[i].z;
    }
  }
  bool operator<(const flat& other) const { return values < other.values; }
  bool operator==(const flat& other) const { return values == other.values; }
};

template <std::size_t D> box<D> cube(offset first, offset last) {
  box<D> result;
  result.sides.fill({first, last});
  return result;
}
template <std::size_t D> box<D> uneven() {
  box<D> result;
  for (std::size_t i = 0; i < D; ++i) result.sides[i] = {-3 + static_cast<offset>(i), 6};
  return result;
}
template <std::size_t D> std::vector<domain<D>> domains() {
  const offset n = D == 3 ? 6 : 12;
  return {{cube<D>(0, n), {1, n + 1}}, {cube<D>(0, n), {0, 2 * n}}, {cube<D>(n, n + 1), {-4, 3}},
          {uneven<D>(), {-5, 4}},      {cube<D>(0, 0), {1, 4}},     {cube<D>(0, 3), {4, 4}}};
}

template <class Dimensions> class tiles : public testing::Test {};
using all_dimensions =
    testing::Types<std::integral_constant<std::size_t, 1>, std::integral_constant<std::size_t, 2>,
                   std::integral_constant<std::size_t, 3>>;
TYPED_TEST_SUITE(tiles, all_dimensions);

TYPED_TEST(tiles, of_a_domain_partition_it_and_come_in_order) {
  constexpr std::size_t D = TypeParam::value;
  for (const domain<D>& all : domains<D>())
    for (offset w = 1; w <= 9; ++w) {
      std::map<flat<D>, std::set<offset>> times_of;
      for (offset t = all.times.first; t < all.times.last; ++t)
        for_each_point(all.points,
                       [&](const point<D>& x) { times_of[flat(tile_of(x, t, w))].insert(t); });
      std::set<flat<D>> seen;
      sums<D> last{};
      bool first = true;
      const auto total = [](const sums<D>& s) {
        offset sum = 0;
        for (const offset one : s) sum += one;
        return sum;
      };
      for_each_phase<D>(sums_in(all, w), [&](const sums<D>& s) {
        EXPECT_TRUE(first || total(last) <= total(s));
        first = false;
        last = s;
        for_each_tile(s, all, w, [&](const tile<D>& one) {
          EXPECT_EQ(sums_of(one), s);
          EXPECT_TRUE(seen.insert(flat(one)).second) << "twice";
          const range when = times(one, w, all);
          EXPECT_FALSE(when.empty());
          std::set<offset> given;
          for (offset t = when.first; t < when.last; ++t) given.insert(t);
          EXPECT_EQ(given, times_of[flat(one)]);
        });
      });
      EXPECT_EQ(seen.size(), times_of.size()) << "w = " << w;
    }
}

TYPED_TEST(tiles, depend_on_tiles_with_lesser_sums_only) {
  constexpr std::size_t D = TypeParam::value;
  for (offset w = 1; w <= (D == 3 ? 4 : 6); ++w)
    for (offset t = 0; t < 4 * w; ++t)
      for_each_point(cube<D>(-w, w), [&](const point<D>& x) {
        const tile<D> here = tile_of(x, t, w);
        for_each_point(cube<D>(-1, 2), [&](const point<D>& delta) {
          point<D> y = x;
          for (std::size_t i = 0; i < D; ++i) y[i] += delta[i];
          const tile<D> there = tile_of(y, t - 1, w);
          for (std::size_t i = 0; i < D; ++i) {
            EXPECT_LE(there.in[i].u, here.in[i].u);
            EXPECT_LE(there.in[i].z, here.in[i].z);
          }
        });
      });
}

TYPED_TEST(tiles, are_refined_into_tiles) {
  constexpr std::size_t D = TypeParam::value;
  for (const offset k : {2, 3, 4})
    for (const offset v : {1, 2, 3}) {  // v = w/k
      const offset w = k * v;
      for (offset t = -w; t <= w; ++t)
        for_each_point(cube<D>(-4, 5), [&](const point<D>& x) {
          const tile<D> whole = tile_of(x, t, w);
          const tile<D> part = tile_of(x, t, v);
          for (std::size_t i = 0; i < D; ++i) {
            EXPECT_EQ(whole_of(part.in[i], k), whole.in[i]);
            const offset s = part.in[i].sum();
            EXPECT_TRUE(sums_of_parts(whole.in[i].sum(), k).contains(s));
            EXPECT_TRUE(parts_with_sum(whole.in[i], k, s).contains(part.in[i].u));
          }
        });
    }
}

TEST(diamonds, have_k_times_k_parts_in_2k_minus_1_stripes) {
  for (const offset k : {1, 2, 3, 4, 8})
    for (offset u = -3; u <= 3; ++u)
      for (offset z = -3; z <= 3; ++z) {
        const diamond whole{u, z};
        const range stripes = sums_of_parts(whole.sum(), k);
        EXPECT_EQ(stripes.size(), 2 * k - 1);
        offset parts = 0;
        for (offset s = stripes.first; s < stripes.last; ++s) {
          const range those = parts_with_sum(whole, k, s);
          EXPECT_FALSE(those.empty());
          for (offset part = those.first; part < those.last; ++part)
            EXPECT_EQ(whole_of({part, s - part}, k), whole);
          parts += those.size();
        }
        EXPECT_EQ(parts, k * k);
      }
}

TEST(octahedra, have_4k_minus_3_stripes_and_tetrahedra_2k_minus_1) {
  for (const offset k : {2, 4, 8}) {
    std::map<offset, offset> octahedron, tetrahedron;  // parts by the total of their sums
    const auto count = [k](const tile<2>& whole, std::map<offset, offset>& parts) {
      const std::array<range, 2> bounds{sums_of_parts(whole.in[0].sum(), k),
                                        sums_of_parts(whole.in[1].sum(), k)};
      for_each_phase<2>(bounds, [&](const sums<2>& s) {
        parts[s[0] + s[1]] += parts_with_sum(whole.in[0], k, s[0]).size() *
                              parts_with_sum(whole.in[1], k, s[1]).size();
      });
    };
    count({{diamond{0, 0}, diamond{1, -1}}}, octahedron);
    count({{diamond{0, 0}, diamond{1, 0}}}, tetrahedron);
    EXPECT_EQ(octahedron.size(), static_cast<std::size_t>(4 * k - 3));
    EXPECT_EQ(tetrahedron.size(), static_cast<std::size_t>(2 * k - 1));
    for (const auto& [total, parts] : octahedron)
      EXPECT_LE(parts, total % 2 == 0 ? k * k : 2 * k * (k - 1)) << "not k² tetrahedra";
    for (const auto& [total, parts] : tetrahedron) EXPECT_LE(parts, k * k);
  }
}

// The phases of a tile are the sums of its parts that have points, whichever dimension is ahead.
TYPED_TEST(tiles, have_phases_for_all_their_parts) {
  constexpr std::size_t D = TypeParam::value;
  constexpr offset k = 4, w = 8;
  for (unsigned ahead = 0; ahead < 1u << D; ++ahead) {
    tile<D> whole;
    std::array<range, D> bounds{};
    for (std::size_t i = 0; i < D; ++i) {
      whole.in[i] = {ahead >> i & 1, 0};
      bounds[i] = sums_of_parts(whole.in[i].sum(), k);
    }
    std::set<sums<D>> expected, given;
    for (offset t = 0; t < 2 * w; ++t)
      for_each_point(cube<D>(-w, w), [&](const point<D>& x) {
        if (flat(tile_of(x, t, w)) == flat(whole)) expected.insert(sums_of(tile_of(x, t, w / k)));
      });
    for_each_phase<D>(bounds, [&](const sums<D>& s) { EXPECT_TRUE(given.insert(s).second); });
    EXPECT_EQ(given, expected) << ahead;
  }
}

// An n × n square needs five diamonds, an n × n × n cube 17 octahedra and tetrahedra, if the first
// full one stands in the middle.
TEST(squares_and_cubes, are_5_and_17_tiles) {
  for (const offset n : {4, 8, 16, 32}) {
    const auto count = [n]<std::size_t D>(std::integral_constant<std::size_t, D>) {
      const domain<D> all{cube<D>(n / 2, n / 2 + n), {0, n}};
      std::size_t tiles_in_it = 0;
      for_each_phase<D>(sums_in(all, n), [&](const sums<D>& s) {
        for_each_tile(s, all, n, [&](const tile<D>&) { ++tiles_in_it; });
      });
      return tiles_in_it;
    };
    EXPECT_EQ(count(std::integral_constant<std::size_t, 1>{}), 5u);
    EXPECT_EQ(count(std::integral_constant<std::size_t, 2>{}), 17u);
  }
}

}  // namespace stencil_coordinates_test
