// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <exception>

#include <pleat/runtime/detail/caches.hpp>
#include <pleat/runtime/topology.hpp>

#include "machine/environment.hpp"

namespace pleat::detail {
namespace {

// An unreadable value is ignored here: programs are only slower without it. Machines report it.
std::size_t look_up() noexcept {
  constexpr std::size_t usual = std::size_t{1} << 25;
  try {
    if (const auto given = environment::cache()) return *given;
    const std::size_t told = topology::host().cache_bytes();
    return told != 0 ? told : usual;
  } catch (const std::exception&) {
    return usual;
  }
}

}  // namespace

std::size_t cache_bytes() noexcept {
  constexpr std::size_t unknown = ~std::size_t{0};
  static constinit std::atomic<std::size_t> known{unknown};
  std::size_t bytes = known.load(std::memory_order_relaxed);
  if (bytes == unknown) {
    bytes = look_up();
    known.store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

}  // namespace pleat::detail
