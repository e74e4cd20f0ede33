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
  std::string descr;        ///< type, e.g. `<f8`; for records the text of the list in the file
  bool structured = false;  ///< descr is a list of fields
  std::vector<std::string> fields;  ///< names of the fields, if structured
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses a header's dictionary, e.g. `{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }`.
///
/// Throws: pleat::error that says what is wrong with the dictionary.
[[nodiscard]] npy_header parse_npy_dictionary(std::string_view text);

/// Bytes before the data of an array in C order: magic, version 1.0, length and dictionary, padded
/// to a multiple of 64 bytes.
[[nodiscard]] std::string npy_preamble(std::string_view descr,
                                       const std::vector<std::size_t>& shape);

/// Text of a shape as Python writes a tuple: `(3, 4)`.
[[nodiscard]] std::string shape_text(const std::vector<std::size_t>& shape);

using arrays::number_kind, arrays::number_type;

/// Type to which numpy.promote_types promotes the two types.
[[nodiscard]] number_type common_type(const number_type& a, const number_type& b);

/// Name of a type as NumPy writes it: `f8`, `bool`.
[[nodiscard]] std::string descr_of(const number_type& type);

/// Tells whether a descr names the byte order that is not this machine's.
[[nodiscard]] bool foreign_order(std::string_view descr);

/// Range of the numbers of dimensions that a program accepts.
struct npy_dimensions {
  std::size_t least = 1;
  std::size_t most = least;
};

/// Largest number of dimensions of a NumPy array: 64 since NumPy 2, 32 before.
inline constexpr std::size_t any_number = 64;

/// Returns the type of an array's numbers, if programs can work on them: bool, integers of 1 to 8
/// bytes, float16 to long double, complex numbers of float, double or long double.
///
/// `name`: name of the file. The error advises a NumPy call that converts the file.
/// Throws: pleat::error for records, objects, text, dates, unknown types, and arrays
/// whose number of dimensions is not within `wanted`.
[[nodiscard]] number_type numbers_in(const npy_header& header, const std::string& name,
                                     npy_dimensions wanted = {});

/// Text of the NumPy call that loads a file's array: `np.load('keys.npy')`.
[[nodiscard]] std::string numpy_load(std::string_view name, std::string_view options = {});

/// Text of the NumPy call that saves a converted array, `np.save('keys_converted.npy', …)`.
/// The call names a file that does not exist yet, so it overwrites nothing; only if the names up to
/// `keys_converted99.npy` are all taken, it overwrites the last one.
[[nodiscard]] std::string numpy_save(std::string_view name, const std::string& expression);

/// Description of the array of a .npy file, without its elements.
struct npy_contents {
  std::string descr;  ///< type, e.g. `<f8`; read_npy makes its byte order the machine's
  number_type type;
  std::vector<std::size_t> shape;
  std::size_t elements = 0;
  bool fortran_order = false;
  std::size_t bytes_after = 0;  ///< bytes in the file behind the array, not read; 0 for a pipe

  /// Bytes of all elements.
  [[nodiscard]] std::size_t data_bytes() const { return elements * type.bytes; }
};

/// Text of the sizes of an array's dimensions: "2 x 3".
[[nodiscard]] std::string size_text(const npy_contents& array);

/// An array of numbers, in C order, from a .npy file, ready to work on in place.
struct npy_array : npy_contents {
  big_block memory;

  [[nodiscard]] std::span<std::byte> bytes() const { return memory.bytes(); }
  [[nodiscard]] arrays::typed_array numbers() const { return {type, shape, bytes().data()}; }
};

/// Reads a whole array of NumPy's format 1.0, 2.0 or 3.0, from a file or a pipe; `-` is standard
/// input. With a machine, its memory policy places the pages of the array.
///
/// Cost: one bulk read straight into the array's memory. An array in Fortran order or foreign
/// byte order is rearranged in a copy. An array from a pipe is copied too if `on` is given, because
/// its header may promise more data than come. Throws: pleat::error, one line with the file's name
/// and what to do: no such file, not a .npy file, a damaged header, fewer data than the header
/// promises, or what numbers_in refuses.
[[nodiscard]] npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted = {},
                                 machine* on = nullptr);

/// Makes an array of zeros, in memory that is placed as read_npy says. Throws: pleat::error if it
/// does not fit into memory.
[[nodiscard]] npy_array make_npy(std::string descr, number_type type,
                                 std::vector<std::size_t> shape, machine* on = nullptr);

/// Descr of a type in this machine's byte order: `<f8`.
[[nodiscard]] std::string native_descr(const number_type& type);

/// Parses the value of `--axis`, an index that counts from the end if negative, into the index of a
/// dimension of the array. Throws: pleat::usage_error.
[[nodiscard]] std::size_t parse_axis(const std::string& text, const npy_contents& array,
                                     const std::string& name);

/// Copies an array with `axis` moved to the end, and converts it to `type` (see arrays::converts).
[[nodiscard]] npy_array with_last(const npy_array& array, std::size_t axis, const number_type& type,
                                  machine* on);

/// Undoes with_last: copies `rows` with its last dimension as dimension `axis` of `to`.
void put_back(const npy_array& rows, std::size_t axis, const npy_array& to);

class output_file;

/// Writes the array in format 1.0. Throws: as output_file does.
void write_npy(output_file& file, const npy_array& array);

}  // namespace pleat::bench
