// SPDX-License-Identifier: Apache-2.0
#include "npy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "command_files.hpp"
#include "conversion.hpp"
#include "output_file.hpp"

namespace pleat::bench {
namespace {

// The dictionary of an array of numbers takes some hundred bytes; one of records may take more.
constexpr std::size_t longest_header = std::size_t{1} << 20;

class input_file {
 public:
  explicit input_file(const std::filesystem::path& path)
      : name_(path.string()), descriptor_(open_for_reading(path)) {
    if (descriptor_ < 0) fail(errno);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return;
    if (!S_ISREG(status.st_mode)) return;
    const auto before = ::lseek(descriptor_, 0, SEEK_CUR);  // standard input may have been read of
    size_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size - before));
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // Fills `bytes` as far as the file goes; returns how far that is.
  std::size_t read(std::span<std::byte> bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < bytes.size()) {
      const auto count =
          ::read(descriptor_, bytes.data() + done, std::min(bytes.size() - done, most));
      if (count == 0) break;
      if (count < 0 && errno != EINTR) fail(errno);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    return done;
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  // Unknown for pipes: the largest size there is.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static int open_for_reading(const std::filesystem::path& path) {
    return path.string() == standard_stream ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }

  [[noreturn]] void fail(int number) const {
    throw error("cannot read " + (name_ == standard_stream ? "standard input" : name_) + ": " +
                std::generic_category().message(number) +
                (number == EISDIR ? "; give the name of a .npy file" : ""));
  }

  std::string name_;
  int descriptor_;
  std::size_t size_ = std::numeric_limits<std::size_t>::max();
};

struct preamble {
  npy_header header;
  std::size_t bytes;  // where the data start
};

[[noreturn]] void not_npy(const input_file& file) {
  throw error(file.name() + " is not a .npy file; write one with " +
              numpy_save(file.name(), "array"));
}

[[noreturn]] void truncated(const input_file& file, const std::string& what) {
  throw error(file.name() + " is truncated: " + what + "; copy or save it again");
}

preamble read_preamble(input_file& file) {
  std::array<std::byte, 12> start{};
  auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(start[i]); };
  constexpr std::string_view magic = "\x93NUMPY";
  if (file.read(std::span(start).first(8)) != 8) not_npy(file);
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (byte(i) != static_cast<unsigned char>(magic[i])) not_npy(file);
  }
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    throw error(file.name() + " has .npy format " + std::to_string(major) + "." +
                std::to_string(byte(7)) + "; this program reads 1.0, 2.0 and 3.0: save it with " +
                "an older NumPy");
  }
  const std::size_t width = major == 1 ? 2 : 4;
  if (file.read(std::span(start).subspan(8, width)) != width) {
    truncated(file, "it ends inside its header");
  }
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8U | byte(8 + i);
  if (length > longest_header) {
    throw error(file.name() + " has a header of " + std::to_string(length) +
                " bytes; it is damaged: save the array again");
  }
  std::string text(length, '\0');
  if (file.read(std::as_writable_bytes(std::span(text))) != length) {
    truncated(file, "it ends inside its header");
  }
  try {
    return {parse_npy_dictionary(text), 8 + width + length};
  } catch (const error& damage) {
    throw error(file.name() + ": " + damage.what());
  }
}

}  // namespace

npy_array read_npy(const std::filesystem::path& path, npy_dimensions wanted, machine* on) {
  input_file file(path);
  const auto [header, start] = read_preamble(file);
  npy_array array{header.descr, numbers_in(header, file.name(), wanted), header.shape, 1, 0, {}};
  for (const std::size_t size : array.shape) {
    // More than memory can hold: as damaged as too short a file, and said so below.
    if (size != 0 && array.elements > std::numeric_limits<std::size_t>::max() / 32 / size)
      array.elements = std::numeric_limits<std::size_t>::max() / 32;
    else
      array.elements *= size;
  }

  auto promise = [&](std::size_t present) {
    return "its header promises " + std::to_string(array.elements) + " elements of " +
           std::to_string(array.type.bytes) + " bytes, " + std::to_string(present) +
           " bytes of data are there";
  };
  const std::size_t present = file.size() - std::min(file.size(), start);
  if (array.elements > present / array.type.bytes) truncated(file, promise(present));
  const std::size_t bytes = array.elements * array.type.bytes;
  const bool from_pipe = file.size() == std::numeric_limits<std::size_t>::max();
  if (!from_pipe) array.bytes_after = present - bytes;

  array.memory = from_pipe || on == nullptr ? big_block(bytes) : big_block(bytes, *on);
  const std::size_t done = file.read(array.bytes());
  if (done < bytes) truncated(file, promise(done));
  if (from_pipe && on != nullptr) {
    big_block placed(bytes, *on);
    std::ranges::copy(array.bytes(), placed.bytes().begin());
    array.memory = std::move(placed);
  }
  return array;
}

npy_array make_npy(std::string descr, number_type type, std::vector<std::size_t> shape,
                   machine* on) {
  npy_array array{std::move(descr), type, std::move(shape), 1, 0, {}};
  for (const std::size_t size : array.shape) {
    if (size != 0 && array.elements > std::numeric_limits<std::size_t>::max() / type.bytes / size)
      throw error("a result of shape " + shape_text(array.shape) +
                  " does not fit into memory; take smaller arrays");
    array.elements *= size;
  }
  const std::size_t bytes = array.elements * type.bytes;
  array.memory = on == nullptr ? big_block(bytes) : big_block(bytes, *on);
  return array;
}

void write_npy(output_file& file, const npy_array& array) {
  file.write(npy_preamble(array.descr, array.shape));
  file.write(array.bytes());
}

}  // namespace pleat::bench
