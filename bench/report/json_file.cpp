// SPDX-License-Identifier: Apache-2.0
#include "json_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

nlohmann::ordered_json read_json_file(const std::string& name) {
  if (std::filesystem::is_directory(name))
    throw usage_error(name + " is a folder; name the file in it");
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    const int number = errno == 0 ? EIO : errno;
    throw usage_error("cannot read " + name + ": " + std::generic_category().message(number));
  }
  return json_from(text, name);
}

nlohmann::ordered_json json_from(std::string_view text, const std::string& name) {
  if (text.empty()) throw usage_error(name + ": the file is empty; measure again");
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& failure) {
    if (failure.byte > text.size())
      throw usage_error(name + ": the file is cut short after " + std::to_string(text.size()) +
                        " bytes; measure again, or copy it again");
    throw usage_error(name + ": this is no JSON, from byte " + std::to_string(failure.byte) +
                      " on; give files that pleat wrote with --json");
  } catch (const nlohmann::json::out_of_range&) {
    throw usage_error(name + ": a number in it is too large; give files that pleat wrote");
  }
}

}  // namespace pleat::bench
