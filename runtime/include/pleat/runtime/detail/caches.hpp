// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Bytes of caches that this process may count on: what PLEAT_CACHE says, else those of the host
/// (topology::cache_bytes), else 32 MiB. Looked up at the first call; later ones return the same.
/// Thread-safe.
[[nodiscard]] PLEAT_API std::size_t cache_bytes() noexcept;

}  // namespace pleat::detail
