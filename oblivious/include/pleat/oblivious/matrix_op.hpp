// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

namespace pleat {

/// Form in which matmul takes a factor.
enum class matrix_op {
  none,       ///< as it lies in memory
  transpose,  ///< rows and columns exchanged
  adjoint     ///< transposed, and complex numbers conjugated
};

}  // namespace pleat
