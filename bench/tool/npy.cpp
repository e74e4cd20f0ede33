// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "arrays/copy_numbers.hpp"
#include "measure/child_process.hpp"
#include "output_file.hpp"
#include "words.hpp"

namespace pleat::bench {
namespace {

// The dictionary of an array of numbers takes some hundred bytes; one of records may take more.
constexpr std::size_t longest_header = std::size_t{1} << 20;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // the kernel takes less than 2 GiB
// More than memory can hold: as damaged as too short a file, and said so.
constexpr std::size_t too_many_elements = std::numeric_limits<std::size_t>::max() / 32;

int open_for_reading(const std::filesystem::path& path) {
  return path.string() == standard_stream ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

// A file or a pipe whose header has been read.
class npy_input {
 public:
  npy_input(const std::filesystem::path& path, npy_dimensions wanted)
      : name_(path.string()), descriptor_(open_for_reading(path)) {
    if (descriptor_.get() < 0) fail(errno);
    look_at_size();
    const npy_header header = read_header();
    describe(header, wanted);
  }

  [[nodiscard]] const npy_contents& contents() const { return contents_; }
  // Tells whether it is a pipe: it is unknown how much will come, and it can be read once.
  [[nodiscard]] bool is_pipe() const { return !size_; }

  // Reads the elements, in their order. Requires: as many bytes as they are; called once.
  void read(std::span<std::byte> all) {
    const std::size_t done = read_some(all);
    if (done < all.size()) lacks_data(done);
  }

 private:
  void look_at_size() {
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    // standard input may have been read of
    const auto before = std::max<off_t>(0, ::lseek(descriptor_.get(), 0, SEEK_CUR));
    size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size - before));
  }

  // Fills `bytes` as far as the file goes; returns how far that is.
  std::size_t read_some(std::span<std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto count = ::read(descriptor_.get(), bytes.data() + done,
                                std::min(bytes.size() - done, most_at_once));
      if (count == 0) break;
      if (count < 0 && errno != EINTR) fail(errno);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    return done;
  }

  npy_header read_header() {
    std::array<std::byte, 12> start{};
    auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(start[i]); };
    constexpr std::string_view magic = "\x93NUMPY";
    if (read_some(std::span(start).first(8)) != 8) not_npy();
    for (std::size_t i = 0; i < magic.size(); ++i) {
      if (byte(i) != static_cast<unsigned char>(magic[i])) not_npy();
    }
    const std::size_t major = byte(6);
    if (major < 1 || major > 3 || byte(7) != 0)
      throw error(name_ + " has .npy format " + std::to_string(major) + "." +
                  std::to_string(byte(7)) + "; this program reads 1.0, 2.0 and 3.0: save it with " +
                  "an older NumPy");
    const std::size_t width = major == 1 ? 2 : 4;
    if (read_some(std::span(start).subspan(8, width)) != width)
      truncated("it ends inside its header");
    std::size_t length = 0;
    for (std::size_t i = width; i-- > 0;) length = length << 8U | byte(8 + i);
    if (length > longest_header)
      throw error(name_ + " has a header of " + std::to_string(length) +
                  " bytes; it is damaged: save the array again");
    std::string text(length, '\0');
    if (read_some(std::as_writable_bytes(std::span(text))) != length)
      truncated("it ends inside its header");
    if (size_) *size_ -= std::min(*size_, 8 + width + length);
    try {
      return parse_npy_dictionary(text);
    } catch (const error& damage) {
      throw error(name_ + ": " + damage.what());
    }
  }

  void describe(const npy_header& header, npy_dimensions wanted) {
    contents_ = {
        header.descr, numbers_in(header, name_, wanted), header.shape, 1, header.fortran_order, 0};
    for (const std::size_t size : contents_.shape) {
      if (size != 0 && contents_.elements > too_many_elements / size)
        contents_.elements = too_many_elements;
      else
        contents_.elements *= size;
    }
    const std::size_t present = size_.value_or(std::numeric_limits<std::size_t>::max());
    if (contents_.elements > present / contents_.type.bytes) lacks_data(present);
    if (size_) contents_.bytes_after = present - contents_.data_bytes();
  }

  [[noreturn]] void fail(int number) const {
    throw error("cannot read " + (name_ == standard_stream ? "standard input" : name_) + ": " +
                std::generic_category().message(number) +
                (number == EISDIR ? "; give the name of a .npy file" : ""));
  }
  [[noreturn]] void not_npy() const {
    throw error(name_ + " is not a .npy file; write one with " + numpy_save(name_, "array"));
  }
  [[noreturn]] void truncated(const std::string& what) const {
    throw error(name_ + " is truncated: " + what + "; copy or save it again");
  }
  [[noreturn]] void lacks_data(std::size_t present) const {
    const std::string elements = contents_.elements == too_many_elements
                                     ? size_text(contents_)
                                     : std::to_string(contents_.elements);
    truncated("its header promises " + elements + " elements of " +
              std::to_string(contents_.type.bytes) + " bytes, " + std::to_string(present) +
              " bytes of data are there");
  }

  std::string name_;
  file_descriptor descriptor_;
  std::optional<std::size_t> size_;  // of what is left to read; of pipes unknown
  npy_contents contents_;
};

}  // namespace

npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted, machine* on) {
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
  const auto dimensions = static_cast<int>(array.shape.size());
  const int axis = number_in<int>(text).value_or(dimensions);
  if (axis < -dimensions || axis >= dimensions)
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

std::string size_text(const npy_contents& array) {
  std::string text;
  for (const std::size_t one : array.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(one);
  return text;
}

}  // namespace pleat::bench
