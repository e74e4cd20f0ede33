// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace pleat::bench {

/// The file that a name leads to: absolute, every symbolic link followed, also one to a file that
/// is not there yet. A name that cannot be followed (a loop of links, no permission) is returned as
/// far as it goes.
[[nodiscard]] std::filesystem::path file_behind(const std::filesystem::path& name);

}  // namespace pleat::bench
