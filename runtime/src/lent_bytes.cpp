// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <pleat/runtime/detail/lent_bytes.hpp>

namespace pleat::detail {

void lent_bytes::copy(std::size_t bytes, std::byte* to) noexcept {
  left_ -= bytes;
  while (bytes != 0) {
    const std::size_t some = std::min(bytes, row_bytes_ - at_);
    std::memcpy(to, row_ + at_, some);
    to += some;
    bytes -= some;
    at_ += some;
    if (at_ == row_bytes_ && (bytes != 0 || left_ != 0)) {
      row_ += step_;
      at_ = 0;
    }
  }
}

}  // namespace pleat::detail
