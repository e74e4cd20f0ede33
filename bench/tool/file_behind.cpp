// SPDX-License-Identifier: Apache-2.0
#include "file_behind.hpp"

#include <system_error>

namespace pleat::bench {

std::filesystem::path file_behind(const std::filesystem::path& name) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // as the kernel's own
  std::error_code failure;
  auto file = fs::absolute(name, failure);
  if (failure) return name;
  for (int links = 0; links < most_links; ++links) {
    const auto target = fs::read_symlink(file, failure);
    if (failure) break;
    file = file.parent_path() / target;  // the target itself if that is absolute
  }
  auto folder = fs::weakly_canonical(file.parent_path(), failure);
  return failure ? file : folder / file.filename();
}

}  // namespace pleat::bench
