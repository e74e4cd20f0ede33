// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <exception>
#include <memory>
#include <mutex>

namespace pleat::detail {

/// Object that a higher layer, such as collectives, attaches to a virtual processor until the end
/// of the run, or to a machine.
struct attachment {
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;
  /// Returns the error to report if the VPs left the attachment unfinished, or null. Called at the
  /// end of a run that did not fail.
  [[nodiscard]] virtual std::exception_ptr left_over() const { return nullptr; }
};
struct shared_attachment {
  std::mutex mutex;
  std::unique_ptr<attachment> content;
};

}  // namespace pleat::detail
