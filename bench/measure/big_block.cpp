// SPDX-License-Identifier: Apache-2.0
#include "big_block.hpp"

#include <new>

#include <pleat/runtime/error.hpp>

#include "memory/pages.hpp"
#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

// what make() returns
template <class Make> auto memory_for(std::size_t bytes, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    throw environment_error("no memory for " + readable_bytes(static_cast<double>(bytes)) +
                            "; use a smaller n or a machine with more memory");
  }
}

}  // namespace

big_block::big_block(std::size_t bytes, memory_policy::pages size) {
  if (bytes == 0) return;
  own_ = {memory_for(bytes, [&] { return detail::map_pages(bytes, size); }), bytes};
}

big_block::big_block(std::size_t bytes, machine& on)
    : placed_(memory_for(bytes, [&] { return placed_memory(on, bytes); })) {}

big_block::~big_block() { detail::unmap_pages(own_.data(), own_.size()); }

}  // namespace pleat::bench
