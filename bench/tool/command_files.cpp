// SPDX-License-Identifier: Apache-2.0
#include "command_files.hpp"

#include <filesystem>
#include <system_error>

#include <pleat/runtime/error.hpp>

#include "file_behind.hpp"

namespace pleat::bench {
namespace {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a == standard_stream || b == standard_stream) return false;
  std::error_code failure;
  if (fs::equivalent(a, b, failure) && !failure) return true;
  return file_behind(a) == file_behind(b);
}

// Reason why two uses of one file conflict; nothing if they go together.
std::string_view conflict(const command_file& a, const command_file& b) {
  const bool stream = a.name == standard_stream;
  if (a.use == file_use::read && b.use == file_use::read)
    return stream ? "both are standard input, which can be read once; save one to a file" : "";
  if (a.use == file_use::read || b.use == file_use::read) {
    const auto written = a.use == file_use::read ? b.use : a.use;
    if (stream || written == file_use::result) return "";  // standard input is not output
    return "the input would be lost; give another file";
  }
  return "one would overwrite the other; give two files";
}

}  // namespace

void check_files(std::span<const command_file> files) {
  for (const auto& file : files) {
    if (file.name.empty())
      throw usage_error(
          std::string(file.option) + ": the name is empty; give a file's name, or - " +
          (file.use == file_use::read ? "for standard input" : "for standard output"));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto why = conflict(files[j], files[i]);
      if (why.empty() || !same_file(files[j].name, files[i].name)) continue;
      throw usage_error(std::string(files[j].option) + " and " + std::string(files[i].option) +
                        " are the same file, " + files[i].name + ": " + std::string(why));
    }
  }
}

}  // namespace pleat::bench
