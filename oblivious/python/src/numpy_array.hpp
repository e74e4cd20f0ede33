// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include "arrays/matmul_numbers.hpp"
#include "arrays/typed_array.hpp"

namespace pleat::python {

/// Type of the array's numbers. Throws: TypeError if they are none, or of foreign byte order.
[[nodiscard]] arrays::number_type number_type_of(const pybind11::dtype& type);

/// The array's own memory. Throws: TypeError, as number_type_of; ValueError if it has no
/// dimensions, is not in C order, or not aligned. Requires: the array outlives the result.
[[nodiscard]] arrays::typed_array read_from(const pybind11::array& array);
/// … which may be written. Throws: ValueError besides if it may not.
[[nodiscard]] arrays::typed_array write_to(const pybind11::array& array);

/// The array's own memory, whatever its strides. Throws: TypeError, as number_type_of; ValueError
/// if it is not aligned, or has elements at fractions of an element's size.
[[nodiscard]] arrays::strided_array strided(const pybind11::array& array);
/// … which may be written. Throws: ValueError besides if it may not.
[[nodiscard]] arrays::strided_array strided_to_write(const pybind11::array& array);

/// The array's own memory as a matrix: its numbers lie one behind the other along rows, or, of a
/// factor, along columns. Throws: as read_from, but for the order; ValueError for other strides.
[[nodiscard]] arrays::typed_matrix factor(const pybind11::array& array);
[[nodiscard]] arrays::typed_matrix product(const pybind11::array& array);

}  // namespace pleat::python
