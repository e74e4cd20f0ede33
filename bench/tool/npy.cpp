// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "output_file.hpp"

namespace pleat::bench {

npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted, machine* on) {
  npy_input file(path, wanted);
  npy_array array{file.contents(), {}};
  const std::size_t bytes = array.data_bytes();
  array.memory = file.is_pipe() || on == nullptr ? big_block(bytes) : big_block(bytes, *on);
  file.read(array.bytes());
  if (file.is_pipe() && on != nullptr) {
    big_block placed(bytes, *on);
    std::ranges::copy(array.bytes(), placed.bytes().begin());
    array.memory = std::move(placed);
  }
  return array;
}

npy_array make_npy(std::string descr, number_type type, std::vector<std::size_t> shape,
                   machine* on) {
  npy_array array{{std::move(descr), type, std::move(shape), 1, 0}, {}};
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
