// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npy_header.hpp"

namespace pleat::bench {

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

/// A .npy file, of NumPy's format 1.0, 2.0 or 3.0, whose header has been read: a file or a pipe;
/// `-` is standard input.
///
/// Throws: pleat::error, one line with the file's name and what to do: no such file, not a .npy
/// file, a damaged header, fewer data than the header promises, or what numbers_in refuses.
/// Thread safety: as a value.
class npy_input {
 public:
  explicit npy_input(const std::filesystem::path& path, npy_dimensions wanted = {});
  npy_input(const npy_input&) = delete;
  npy_input& operator=(const npy_input&) = delete;
  ~npy_input();

  [[nodiscard]] const npy_contents& contents() const { return contents_; }
  /// Tells whether it is a pipe: it is unknown how much will come, and it can be read once.
  [[nodiscard]] bool is_pipe() const { return !size_; }

  /// Reads the elements, in their order. Requires: as many bytes as they are; called once.
  void read(std::span<std::byte> all);

 private:
  void look_at_size();
  std::size_t read_some(std::span<std::byte> bytes);
  npy_header read_header();
  void describe(const npy_header& header, npy_dimensions wanted);
  [[noreturn]] void fail(int number) const;
  [[noreturn]] void not_npy() const;
  [[noreturn]] void truncated(const std::string& what) const;
  [[noreturn]] void lacks_data(std::size_t present) const;

  std::string name_;
  int descriptor_;
  std::optional<std::size_t> size_;  // of what is left to read; of pipes unknown
  npy_contents contents_;
};

}  // namespace pleat::bench
