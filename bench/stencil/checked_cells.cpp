// SPDX-License-Identifier: Apache-2.0
#include "checked_cells.hpp"

#include <cstddef>

#include <pleat/runtime/error.hpp>

#include "tool/conversion.hpp"
#include "tool/names.hpp"

namespace pleat::bench {

stencil_kernel parse_stencil_kernel(const std::string& name) {
  return static_cast<stencil_kernel>(place_of(name, "--kernel", arrays::stencil_kernel_names));
}
boundary parse_boundary(const std::string& name) {
  return static_cast<boundary>(place_of(name, "--boundary", arrays::boundary_names));
}
npy_dimensions dimensions_of(stencil_kernel kernel) {
  if (kernel == stencil_kernel::life) return {2, 2};
  return {1, 3};
}

void check_cells(stencil_kernel kernel, const npy_contents& grid, const std::string& name) {
  if (arrays::steps_cells(kernel, grid.type)) return;
  const bool life = kernel == stencil_kernel::life;
  throw error(name + " holds '" + grid.descr + "', which " +
              std::string(arrays::stencil_kernel_names[static_cast<std::size_t>(kernel)]) +
              " does not take; convert it with " +
              numpy_save(name, numpy_load(name) +
                                   (grid.type.kind == number_kind::complex ? ".real" : "") +
                                   (life ? " != 0" : ".astype('f8')")));
}

}  // namespace pleat::bench
