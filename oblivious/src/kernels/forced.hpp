// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::detail::kernels {

/// A piece of work and the kernels that can do it here, by name.
struct names_of_work {
  std::string work;
  std::vector<std::string> kernels;
};

/// Content of PLEAT_KERNELS.
class forced_kernels {
 public:
  forced_kernels() = default;

  /// Throws: usage_error, in one line, if the text is no list of `work=kernel`, or names work or a
  /// kernel that is none of `all`.
  forced_kernels(std::string_view text, std::span<const names_of_work> all);

  /// The place of the kernel that is forced for this work, if one is.
  [[nodiscard]] std::optional<std::size_t> kernel_of(const names_of_work& names) const;

 private:
  struct pair {
    std::string work;
    std::string kernel;
  };
  std::vector<pair> pairs_;
};

}  // namespace pleat::detail::kernels
