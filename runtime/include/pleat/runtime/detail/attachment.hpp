// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <exception>
#include <memory>
#include <mutex>

namespace pleat::detail {

/// Something a library above keeps with a virtual processor until the run's end, or with a machine.
struct attachment {
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// Returns, at the end of a run that nothing has ended early, what is wrong with how the
  /// attachment was left, or null.
  [[nodiscard]] virtual std::exception_ptr left_over() const { return nullptr; }
};
struct shared_attachment {
  std::mutex mutex;
  std::unique_ptr<attachment> content;
};

}  // namespace pleat::detail
