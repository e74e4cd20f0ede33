// SPDX-License-Identifier: Apache-2.0
#include "big_block.hpp"

#include <sys/mman.h>

#include <pleat/runtime/error.hpp>

#include "tool/readable.hpp"

namespace pleat::bench {

big_block::big_block(std::size_t bytes) {
  if (bytes == 0) return;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw environment_error("no memory for " + readable_bytes(static_cast<double>(bytes)) +
                            "; use a smaller n or a machine with more memory");
  }
  // Advice only: a kernel without transparent huge pages refuses it, and nothing is lost.
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
  memory_ = {static_cast<std::byte*>(memory), bytes};
}

big_block::~big_block() {
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

}  // namespace pleat::bench
