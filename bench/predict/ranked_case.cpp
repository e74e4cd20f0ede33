// SPDX-License-Identifier: Apache-2.0
#include "ranked_case.hpp"

#include "stencil/heat_data.hpp"

namespace pleat::bench {

ranked_work work_of(const sweep_case& at) {
  const auto bits = static_cast<std::size_t>(std::stoul(at.type.substr(1)));  // f64, u8
  ranked_work work{at.program, at.n, bits / 8, 1, 0};
  if (at.program == "fft") {
    work.element_bytes *= 2;
    work.lines = at.batch;
  }
  if (at.program == "stencil1") work.steps = heat_data<double, 1>::steps();
  if (at.program == "stencil2") work.steps = heat_data<double, 2>::steps();
  if (at.program == "stencil3") work.steps = heat_data<double, 3>::steps();
  return work;
}

}  // namespace pleat::bench
