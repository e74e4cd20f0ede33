// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "arrays/copy_numbers.hpp"
#include "output_file.hpp"

namespace pleat::bench {

npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted, machine* on) {
  wanted.any_layout = true;
  npy_input file(path, wanted);
  npy_array array{file.contents(), {}};
  const bool foreign = foreign_order(array.descr) && array.type.bytes > 1;
  const bool copied = foreign || array.fortran_order || (file.is_pipe() && on != nullptr);
  const std::size_t bytes = array.data_bytes();
  array.memory = copied || on == nullptr ? big_block(bytes) : big_block(bytes, *on);
  file.read(array.bytes());
  if (!copied) return array;
  if (foreign) array.descr = native_descr(array.type);
  npy_array arranged{array, on == nullptr ? big_block(bytes) : big_block(bytes, *on)};
  arrays::copy_numbers(
      arrays::stored_numbers::packed(array.numbers(), foreign, array.fortran_order),
      arranged.numbers());
  arranged.fortran_order = false;
  return arranged;
}

std::string native_descr(const number_type& type) {
  const auto descr = descr_of(type);
  if (type.kind == number_kind::boolean || type.bytes == 1)
    return "|" + (type.kind == number_kind::boolean ? std::string("b1") : descr);
  return (std::endian::native == std::endian::little ? "<" : ">") + descr;
}

npy_array with_last(const npy_array& array, std::size_t axis, const number_type& type,
                    machine* on) {
  const auto rows =
      arrays::stored_numbers::packed(array.numbers()).moved(axis, array.shape.size() - 1);
  auto arranged =
      make_npy(type == array.type ? array.descr : native_descr(type), type, rows.shape, on);
  arrays::copy_numbers(rows, arranged.numbers());
  return arranged;
}

void put_back(const npy_array& rows, std::size_t axis, const npy_array& to) {
  arrays::copy_numbers(
      arrays::stored_numbers::packed(rows.numbers()).moved(rows.shape.size() - 1, axis),
      to.numbers());
}

std::size_t parse_axis(const std::string& text, const npy_contents& array,
                       const std::string& name) {
  int axis = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, axis);
  const auto dimensions = static_cast<int>(array.shape.size());
  if (failure != std::errc{} || end != last || axis < -dimensions || axis >= dimensions)
    throw usage_error("--axis: '" + text + "' is no axis of " + name + ", whose shape is " +
                      shape_text(array.shape) + "; -1 is the last one");
  return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

npy_array make_npy(std::string descr, number_type type, std::vector<std::size_t> shape,
                   machine* on) {
  npy_array array{{std::move(descr), type, std::move(shape), 1, false, 0}, {}};
  for (const std::size_t size : array.shape) {
    if (size != 0 && array.elements > std::numeric_limits<std::size_t>::max() / type.bytes / size)
      throw error("a result of shape " + shape_text(array.shape) +
                  " does not fit into memory; take smaller arrays");
    array.elements *= size;
  }
  const std::size_t bytes = array.data_bytes();
  array.memory = on == nullptr ? big_block(bytes) : big_block(bytes, *on);
  return array;
}

void write_npy(output_file& file, const npy_array& array) {
  file.write(npy_preamble(array.descr, array.shape));
  file.write(array.bytes());
}

}  // namespace pleat::bench
