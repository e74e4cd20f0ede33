// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/typed_array.hpp"

namespace pleat::bench {

/// Header of a .npy file: the Python dictionary that describes its array.
///
/// Source: NumPy, `numpy.lib.format` (formats 1.0, 2.0 and 3.0).
struct npy_header {
  std::string descr;        ///< `<f8` and the like; for records the list as it stands in the file
  bool structured = false;  ///< descr is a list of fields
  std::vector<std::string> fields;  ///< their names, if structured
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// The dictionary of a header, e.g. `{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }`.
///
/// Throws: pleat::error saying what is wrong with it.
[[nodiscard]] npy_header parse_npy_dictionary(std::string_view text);

/// Magic, version 1.0, length and dictionary: everything before the data of an array in C order, a
/// multiple of 64 bytes.
[[nodiscard]] std::string npy_preamble(std::string_view descr,
                                       const std::vector<std::size_t>& shape);

/// `(3, 4)`, as Python writes it.
[[nodiscard]] std::string shape_text(const std::vector<std::size_t>& shape);

using arrays::number_kind;
using arrays::number_type;

/// The type that has room for the numbers of both, as numpy.promote_types says.
[[nodiscard]] number_type common_type(const number_type& a, const number_type& b);

/// Name of a type as NumPy writes it: `f8`, `bool`.
[[nodiscard]] std::string descr_of(const number_type& type);

/// Tells whether the numbers are in the byte order that is not this machine's.
[[nodiscard]] bool foreign_order(std::string_view descr);

/// Numbers of dimensions that a program takes.
struct npy_dimensions {
  std::size_t least = 1;
  std::size_t most = least;
  bool any_layout = false;  ///< Fortran order and foreign byte order too, which the reader arranges
};

/// NumPy's own limit is 32, or 64 since NumPy 2.
inline constexpr std::size_t any_number = 64;

/// The numbers an array in C order holds, if a program can work on them as they are: bool, integers
/// of 1 to 8 bytes, float16 to long double, complex of any of float, double, long double.
///
/// `name` is the file: the advice in the error is a NumPy call that converts it.
/// Throws: pleat::error for records, objects, text, dates, unknown types, arrays that do not have
/// so many dimensions, and, unless any layout is wanted, foreign byte order and Fortran order.
[[nodiscard]] number_type numbers_in(const npy_header& header, const std::string& name,
                                     npy_dimensions wanted = {});

/// `np.load('keys.npy')`: the array of that file, as advice names it.
[[nodiscard]] std::string numpy_load(std::string_view name, std::string_view options = {});

/// `np.save('keys_converted.npy', EXPRESSION)`: the call that saves what an expression makes of a
/// file's array. Every error that advises a conversion gets it from here: the new file's name is
/// one that no file has yet, so following the advice loses nothing.
[[nodiscard]] std::string numpy_save(std::string_view name, const std::string& expression);

}  // namespace pleat::bench
