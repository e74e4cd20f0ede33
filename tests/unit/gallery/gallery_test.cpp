// SPDX-License-Identifier: Apache-2.0
//
// The programs of the gallery beside serial ones that share no code with them.
#include <array>
#include <complex>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/machine.hpp>

#include "evidence/gallery/k_means_check.hpp"
#include "evidence/gallery/log_check.hpp"
#include "evidence/gallery/paths_check.hpp"
#include "evidence/gallery/poisson_check.hpp"
#include "evidence/gallery/thumbnail_check.hpp"
#include "gallery/all_paths.hpp"
#include "gallery/k_means.hpp"
#include "gallery/log_groups.hpp"
#include "gallery/made_log.hpp"
#include "gallery/poisson.hpp"
#include "gallery/thumbnail.hpp"
#include "strict_machine.hpp"

namespace gallery_test {

using namespace gallery;
using namespace pleat::bench;

TEST(gallery, k_means_moves_centres_as_a_serial_loop_does) {
  auto machine = strict_machine(3);
  constexpr std::size_t k = 7;
  for (const std::size_t side : {1u, 2u, 37u, 150u}) {
    const picture shown = made_picture(side, side + 1, side);
    palette<k> centres = first_centres<k>(shown.pixels);
    std::vector<std::array<float, 3>> expected(k);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t c = 0; c < 3; ++c) expected[i][c] = centres[c][i];
    const auto found = k_means<k>(machine, shown.pixels, centres, 5);
    const auto counts = serial_k_means(shown, 5, expected);
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_EQ(found.count[i], counts[i]);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(centres[c][i], expected[i][c]);
    }
  }
  palette<k> none{};
  EXPECT_EQ(k_means<k>(machine, {}, none, 2).count[0], 0u);
}

TEST(gallery, thumbnails_are_blurred_and_resized_as_defined) {
  auto machine = strict_machine(3);
  for (const std::size_t times : {1u, 2u, 5u})
    for (const auto& [width, height] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {3, 50}, {61, 40}}) {
      const picture large = made_picture(width, height, times);
      EXPECT_TRUE(thumbnail_check(large, times).right(thumbnail(machine, large, times)))
          << width << " x " << height << " by " << times;
    }
}

TEST(gallery, all_paths_are_shortest_and_made_of_streets) {
  auto machine = strict_machine(3);
  for (const std::size_t n : {0u, 1u, 2u, 63u, 65u, 131u, 200u})
    for (const std::size_t streets_of_each : {1u, 5u}) {
      std::mt19937_64 random(n + streets_of_each);
      std::vector<float> streets(n * n, no_path);
      for (std::size_t u = 0; u < n; ++u)
        for (std::size_t i = 0; i < streets_of_each; ++i)
          if (const std::size_t v = random() % n; v != u)
            streets[u * n + v] = 1 + static_cast<float>(random() % 1000) / 7;
      const shortest_paths all = find_paths(machine, streets, n);
      ASSERT_TRUE(lengths_right(streets, n, all.length)) << n;
      for (std::size_t u = 0; u < n; u += 3)
        for (std::size_t v = 0; v < n; ++v)
          ASSERT_TRUE(path_right(streets, n, all.path(u, v), u, v, all.length[u * n + v]));
    }
}

TEST(gallery, potentials_solve_poissons_equation) {
  auto machine = strict_machine(3);
  std::mt19937_64 random(1);
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {2, 3}, {17, 64}, {100, 31}}) {
    std::vector<std::complex<double>> f(rows * columns);
    for (auto& x : f)
      x = {static_cast<double>(random() % 1000) / 999, static_cast<double>(random() % 1000) / 999};
    auto u = f;
    solve_poisson(machine, field(u.data(), rows, columns, columns));
    EXPECT_TRUE(solves_poisson(u, f, rows, columns)) << rows << " x " << columns;
  }
}

TEST(gallery, logs_are_grouped_by_page) {
  auto machine = strict_machine(3);
  for (const std::size_t lines : {0u, 1u, 2u, 1000u, 30'011u}) {
    const std::string log = made_log(lines, lines);
    EXPECT_TRUE(reports_right(facts_of(log), report_pages(machine, log))) << lines;
  }
}

TEST(gallery, logs_may_end_within_a_line_and_have_very_long_ones) {
  auto machine = strict_machine(2);
  std::string log = "t c GET /" + std::string(200'000, 'x') + " 200 1 5\n";
  log += log + "t c GET /y 404 1 7";
  EXPECT_TRUE(reports_right(facts_of(log), report_pages(machine, log)));
  for (const std::string broken : {"\n", "\n\n", "GET /", " ", "a b c", "a b c d e f g"})
    EXPECT_EQ(report_pages(machine, broken).size(), 1u) << broken;
}

}  // namespace gallery_test
