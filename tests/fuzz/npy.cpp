// SPDX-License-Identifier: Apache-2.0
//
// .npy files: an array as long as its header says, or an error; what is read is written and read
// again.

#include "tool/npy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "input.hpp"
#include "tool/printable.hpp"

namespace {

using namespace pleat::bench;

class file_in_memory {
 public:
  explicit file_in_memory(std::string_view bytes) : descriptor_(::memfd_create("fuzz", 0)) {
    pleat::fuzz::require(descriptor_ >= 0 && ::write(descriptor_, bytes.data(), bytes.size()) ==
                                                 static_cast<ssize_t>(bytes.size()));
  }
  file_in_memory(const file_in_memory&) = delete;
  file_in_memory& operator=(const file_in_memory&) = delete;
  ~file_in_memory() { ::close(descriptor_); }

  [[nodiscard]] std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pleat::fuzz::answers, pleat::fuzz::require;
  const auto bytes = pleat::fuzz::text_of(data, size);
  const auto shown = printable(bytes);
  require(printable(shown) == shown);
  const file_in_memory file(bytes);
  for (const npy_dimensions wanted : {npy_dimensions{1}, npy_dimensions{2}, npy_dimensions{1, 3}}) {
    answers([&] {
      const auto array = read_npy(file.name(), wanted);
      require(array.bytes().size() == array.elements * array.type.bytes);
      require(array.bytes().size() + array.bytes_after <= size);
      require(array.shape.size() >= wanted.least && array.shape.size() <= wanted.most);
      const auto preamble = npy_preamble(array.descr, array.shape);
      const auto again = parse_npy_dictionary(std::string_view(preamble).substr(10));
      require(again.shape == array.shape && again.descr == array.descr);
    });
  }
  answers([&] { static_cast<void>(numbers_in(parse_npy_dictionary(bytes), "fuzz.npy", {1, 3})); });
  return 0;
}
