// SPDX-License-Identifier: Apache-2.0
#include "npy_input.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "command_files.hpp"
#include "conversion.hpp"

namespace pleat::bench {
namespace {

// The dictionary of an array of numbers takes some hundred bytes; one of records may take more.
constexpr std::size_t longest_header = std::size_t{1} << 20;
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // the kernel takes less than 2 GiB

int open_for_reading(const std::filesystem::path& path) {
  return path.string() == standard_stream ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

npy_input::npy_input(const std::filesystem::path& path, npy_dimensions wanted)
    : name_(path.string()), descriptor_(open_for_reading(path)) {
  if (descriptor_ < 0) fail(errno);
  try {
    look_at_size();
    const npy_header header = read_header();
    describe(header, wanted);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}
npy_input::~npy_input() { ::close(descriptor_); }

void npy_input::look_at_size() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  // standard input may have been read of
  const auto before = std::max<off_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
  size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size - before));
}

// Fills `bytes` as far as the file goes; returns how far that is.
std::size_t npy_input::read_some(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto count =
        ::read(descriptor_, bytes.data() + done, std::min(bytes.size() - done, most_at_once));
    if (count == 0) break;
    if (count < 0 && errno != EINTR) fail(errno);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

npy_header npy_input::read_header() {
  std::array<std::byte, 12> start{};
  auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(start[i]); };
  constexpr std::string_view magic = "\x93NUMPY";
  if (read_some(std::span(start).first(8)) != 8) not_npy();
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (byte(i) != static_cast<unsigned char>(magic[i])) not_npy();
  }
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    throw error(name_ + " has .npy format " + std::to_string(major) + "." +
                std::to_string(byte(7)) + "; this program reads 1.0, 2.0 and 3.0: save it with " +
                "an older NumPy");
  }
  const std::size_t width = major == 1 ? 2 : 4;
  if (read_some(std::span(start).subspan(8, width)) != width) {
    truncated("it ends inside its header");
  }
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8U | byte(8 + i);
  if (length > longest_header) {
    throw error(name_ + " has a header of " + std::to_string(length) +
                " bytes; it is damaged: save the array again");
  }
  std::string text(length, '\0');
  if (read_some(std::as_writable_bytes(std::span(text))) != length) {
    truncated("it ends inside its header");
  }
  if (size_) *size_ -= std::min(*size_, 8 + width + length);
  try {
    return parse_npy_dictionary(text);
  } catch (const error& damage) {
    throw error(name_ + ": " + damage.what());
  }
}

namespace {

/// More than memory can hold: as damaged as too short a file, and said so.
constexpr std::size_t too_many_elements = std::numeric_limits<std::size_t>::max() / 32;

}  // namespace

void npy_input::describe(const npy_header& header, npy_dimensions wanted) {
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

void npy_input::read(std::span<std::byte> all) {
  const std::size_t done = read_some(all);
  if (done < all.size()) lacks_data(done);
}

void npy_input::fail(int number) const {
  throw error("cannot read " + (name_ == standard_stream ? "standard input" : name_) + ": " +
              std::generic_category().message(number) +
              (number == EISDIR ? "; give the name of a .npy file" : ""));
}
void npy_input::not_npy() const {
  throw error(name_ + " is not a .npy file; write one with " + numpy_save(name_, "array"));
}
void npy_input::truncated(const std::string& what) const {
  throw error(name_ + " is truncated: " + what + "; copy or save it again");
}
void npy_input::lacks_data(std::size_t present) const {
  const std::string elements = contents_.elements == too_many_elements
                                   ? size_text(contents_)
                                   : std::to_string(contents_.elements);
  truncated("its header promises " + elements + " elements of " +
            std::to_string(contents_.type.bytes) + " bytes, " + std::to_string(present) +
            " bytes of data are there");
}

std::string size_text(const npy_contents& array) {
  std::string text;
  for (const std::size_t one : array.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(one);
  return text;
}

}  // namespace pleat::bench
