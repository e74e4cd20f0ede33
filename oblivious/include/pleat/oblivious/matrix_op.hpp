// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Form in which a factor is taken.
enum class matrix_op {
  none,       ///< as it lies in memory
  transpose,  ///< rows for columns
  adjoint     ///< transposed, and of complex numbers the conjugates
};

}  // namespace pleat
