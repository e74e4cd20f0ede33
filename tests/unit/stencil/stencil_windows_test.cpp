// SPDX-License-Identifier: Apache-2.0
// Rows of planes and boxes, which are computed from vectors that lie beside each other, with every
// instruction set this processor has.
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <pleat/oblivious/stencil.hpp>

#include "unit/stencil/stencil_sweeps.hpp"

namespace stencil_windows_test {

using namespace stencil_tests;
namespace inner = pleat::detail::stencils;

class windows : public stencil_sweeps {
 protected:
  pleat::machine machine_{{.processors = 2U}};
};

TEST_F(windows, of_planes_are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges) {
    for (const std::size_t columns :
         {8, 16, 17, 18, 23, 24, 25, 26, 31, 33, 34, 63, 64, 65, 127, 130, 131, 258, 300}) {
      expect_sweeps_of_all_sets<double, 2>(machine_, {9, columns}, {edge, edge}, 3, 1, heat2);
      expect_sweeps_of_all_sets<float, 2>(machine_, {10, columns}, {edge, edge}, 3, 2, heat2);
      expect_sweeps_of_all_sets<std::uint32_t, 2>(machine_, {7, columns}, {edge, edge}, 3, 1, all2);
      expect_sweeps_of_all_sets<std::int64_t, 2>(machine_, {7, columns}, {edge, edge}, 3, 1,
                                                 weighted);
      expect_sweeps_of_all_sets<std::uint16_t, 2>(machine_, {6, columns}, {edge, edge}, 3, 1,
                                                  weighted);
      expect_sweeps_of_all_sets<std::uint8_t, 2>(machine_, {6, columns}, {edge, edge}, 3, 1,
                                                 weighted);
    }
  }
}

TEST_F(windows, of_boxes_are_the_serial_sweep_for_all_lengths_of_rows) {
  for (const boundary edge : all_edges) {
    for (const std::size_t columns : {17, 18, 26, 33, 34, 65, 130}) {
      expect_sweeps_of_all_sets<double, 3>(machine_, {5, 6, columns}, {edge, edge, edge}, 3, 2,
                                           heat3);
      expect_sweeps_of_all_sets<std::uint32_t, 3>(machine_, {4, 5, columns}, {edge, edge, edge}, 3,
                                                  1, all3);
    }
  }
}

}  // namespace stencil_windows_test
