// SPDX-License-Identifier: Apache-2.0
#include "conversion.hpp"

#include <filesystem>
#include <system_error>

#include "printable.hpp"

namespace pleat::bench {
namespace {

// Name under which the owner of an unnamed input may save it.
std::filesystem::path saved_name(std::string_view name) {
  return name == "-" || name.starts_with("/dev/") ? "input.npy" : std::filesystem::path(name);
}

bool taken(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::symlink_status(file, ignored).type() !=
         std::filesystem::file_type::not_found;
}

}  // namespace

std::string numpy_load(std::string_view name, std::string_view options) {
  return "np.load(" + python_literal(saved_name(name).string()) +
         (options.empty() ? "" : ", " + std::string(options)) + ")";
}

std::string numpy_save(std::string_view name, const std::string& expression) {
  const auto old = saved_name(name);
  const auto stem = old.parent_path() / (old.stem().string() + "_converted");
  constexpr int most = 100;  // then the last one: what was converted so often is not precious
  auto fresh = stem.string() + ".npy";
  for (int number = 2; taken(fresh) && number < most; ++number)
    fresh = stem.string() + std::to_string(number) + ".npy";
  return "np.save(" + python_literal(fresh) + ", " + expression + ")";
}

}  // namespace pleat::bench
