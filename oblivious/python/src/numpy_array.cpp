// SPDX-License-Identifier: Apache-2.0
#include "numpy_array.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pleat::python {
namespace {

namespace py = pybind11;
using arrays::number_kind, arrays::number_type, arrays::strided_array, arrays::typed_array;
using arrays::typed_matrix;

std::byte* memory_of(const py::array& array) {
  // The package sees to all of this; memory that is not as the kernels take it must not reach them.
  if ((array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) == 0)
    throw py::value_error("pleat: the array is not aligned; copy it");
  return static_cast<std::byte*>(const_cast<void*>(array.data()));
}

void check_writeable(const py::array& array) {
  if (!array.writeable()) throw py::value_error("pleat: the result's array is read-only");
}

// Rows of numbers that lie one behind the other, `step` bytes from row to row.
std::optional<typed_matrix> rows_of(std::byte* data, std::size_t bytes, std::size_t rows,
                                    std::size_t columns, py::ssize_t step, py::ssize_t next) {
  if (rows == 0 || columns == 0) return typed_matrix{data, rows, columns, columns};
  const auto size = static_cast<py::ssize_t>(bytes);
  if (columns > 1 && next != size) return std::nullopt;
  if (rows < 2) return typed_matrix{data, rows, columns, columns};
  if (step < 0 || step % size != 0 || static_cast<std::size_t>(step / size) < columns)
    return std::nullopt;
  return typed_matrix{data, rows, columns, static_cast<std::size_t>(step / size)};
}

std::optional<typed_matrix> matrix_of(const py::array& array, bool transposed) {
  if (array.ndim() != 2) throw py::value_error("pleat: a matrix has two dimensions");
  const int row = transposed ? 1 : 0;
  const int column = 1 - row;
  return rows_of(memory_of(array), static_cast<std::size_t>(array.itemsize()),
                 static_cast<std::size_t>(array.shape(row)),
                 static_cast<std::size_t>(array.shape(column)), array.strides(row),
                 array.strides(column));
}

}  // namespace

number_type number_type_of(const py::dtype& type) {
  constexpr std::string_view letters = "biufc";  // of the kinds, in their order
  static_assert(static_cast<int>(number_kind::complex) == 4);
  const std::size_t kind = letters.find(type.kind());
  if (kind == letters.npos || !type.attr("isnative").cast<bool>())
    throw py::type_error("pleat: no numbers of dtype " + std::string(py::str(py::handle(type))));
  return {static_cast<number_kind>(kind), static_cast<std::size_t>(type.itemsize())};
}

typed_array read_from(const py::array& array) {
  if (array.ndim() == 0) throw py::value_error("pleat: the array has no dimensions");
  if ((array.flags() & py::array::c_style) == 0)
    throw py::value_error("pleat: the array is not in C order; copy it");
  typed_array result{number_type_of(array.dtype()), {}, memory_of(array)};
  for (py::ssize_t i = 0; i < array.ndim(); ++i)
    result.shape.push_back(static_cast<std::size_t>(array.shape(i)));
  return result;
}

typed_array write_to(const py::array& array) {
  check_writeable(array);
  return read_from(array);
}

strided_array strided(const py::array& array) {
  strided_array result{number_type_of(array.dtype()), {}, {}, memory_of(array)};
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    if (array.shape(i) > 1 && array.strides(i) % array.itemsize() != 0)
      throw py::value_error("pleat: the array's elements lie at fractions of their size; copy it");
    result.shape.push_back(static_cast<std::size_t>(array.shape(i)));
    result.strides.push_back(array.strides(i) / array.itemsize());
  }
  return result;
}

strided_array strided_to_write(const py::array& array) {
  check_writeable(array);
  return strided(array);
}

typed_matrix factor(const py::array& array) {
  if (const auto rows = matrix_of(array, false)) return *rows;
  auto columns = matrix_of(array, true);
  if (!columns) throw py::value_error("pleat: neither rows nor columns are contiguous; copy it");
  columns->op = matrix_op::transpose;
  return *columns;
}

typed_matrix product(const py::array& array) {
  check_writeable(array);
  const auto rows = matrix_of(array, false);
  if (!rows) throw py::value_error("pleat: the product's rows are not contiguous");
  return *rows;
}

}  // namespace pleat::python
