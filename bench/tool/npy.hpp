// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/typed_array.hpp"
#include "measure/big_block.hpp"

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

using arrays::number_kind, arrays::number_type;

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
};

/// NumPy's own limit is 32, or 64 since NumPy 2.
inline constexpr std::size_t any_number = 64;

/// The numbers an array holds, if a program can work on them as they are: bool, integers
/// of 1 to 8 bytes, float16 to long double, complex of any of float, double, long double.
///
/// `name` is the file: the advice in the error is a NumPy call that converts it.
/// Throws: pleat::error for records, objects, text, dates, unknown types, and arrays that
/// do not have so many dimensions.
[[nodiscard]] number_type numbers_in(const npy_header& header, const std::string& name,
                                     npy_dimensions wanted = {});

/// `np.load('keys.npy')`: the array of that file, as advice names it.
[[nodiscard]] std::string numpy_load(std::string_view name, std::string_view options = {});

/// `np.save('keys_converted.npy', EXPRESSION)`: the call that saves what an expression makes of a
/// file's array. Every error that advises a conversion gets it from here: the new file's name is
/// one that no file has yet, so following the advice loses nothing.
[[nodiscard]] std::string numpy_save(std::string_view name, const std::string& expression);

/// Description of the array of a .npy file, without its elements.
struct npy_contents {
  std::string descr;  ///< as the file wrote it, `<f8`: results have it too, but for the byte order
  number_type type;
  std::vector<std::size_t> shape;
  std::size_t elements = 0;
  bool fortran_order = false;
  std::size_t bytes_after = 0;  ///< what follows the array in the file; not read

  /// Bytes of all elements.
  [[nodiscard]] std::size_t data_bytes() const { return elements * type.bytes; }
};

/// Text of its sizes: "2 x 3".
[[nodiscard]] std::string size_text(const npy_contents& array);

/// An array of numbers, in C order, from a .npy file, ready to work on in place.
struct npy_array : npy_contents {
  big_block memory;

  [[nodiscard]] std::span<std::byte> bytes() const { return memory.bytes(); }
  [[nodiscard]] arrays::typed_array numbers() const { return {type, shape, bytes().data()}; }
};

/// Reads a whole array of NumPy's format 1.0, 2.0 or 3.0, from a file or a pipe; `-` is standard
/// input. With a machine, its memory policy says where the pages of the array are.
///
/// Cost: one bulk read straight into the array's memory. What is in Fortran order or in foreign
/// byte order is arranged in a copy; what comes from a pipe and is for a machine is copied too, for
/// a header alone does not say how much will come. Throws: pleat::error, one line with the file's
/// name and what to do: no such file, not a .npy file, a damaged header, fewer data than the header
/// promises, or what numbers_in refuses.
[[nodiscard]] npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted = {},
                                 machine* on = nullptr);

/// An array of zeros of that type and shape; where, as read_npy says. Throws: pleat::error if no
/// memory can hold it.
[[nodiscard]] npy_array make_npy(std::string descr, number_type type,
                                 std::vector<std::size_t> shape, machine* on = nullptr);

/// `<f8`, in this machine's byte order.
[[nodiscard]] std::string native_descr(const number_type& type);

/// Reads which dimension `--axis` means, from the end if it is negative. Throws:
/// pleat::usage_error.
[[nodiscard]] std::size_t parse_axis(const std::string& text, const npy_contents& array,
                                     const std::string& name);

/// A copy with that axis as the last one, its numbers converted to `type` (arrays::converts).
[[nodiscard]] npy_array with_last(const npy_array& array, std::size_t axis, const number_type& type,
                                  machine* on);

/// Undoes with_last: copies rows to where the axis is in `to`, of the same type.
void put_back(const npy_array& rows, std::size_t axis, const npy_array& to);

class output_file;

/// Writes the array, format 1.0. Throws: as output_file does.
void write_npy(output_file& file, const npy_array& array);

}  // namespace pleat::bench
