// SPDX-License-Identifier: Apache-2.0
#include "json_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t deepest = 100;

[[noreturn]] void too_large(const std::string& name) {
  throw usage_error(name +
                    " has more than 1 GiB, and no result of pleat's has; give a file that pleat "
                    "wrote");
}

// Devices may never end: only files and what others write into a pipe are read.
void require_readable(const std::string& name) {
  std::error_code failure;
  const auto status = std::filesystem::status(name, failure);
  if (failure) throw usage_error("cannot read " + name + ": " + failure.message());
  if (std::filesystem::is_directory(status))
    throw usage_error(name + " is a folder; name the file in it");
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status))
    throw usage_error(name + " is neither a file nor a pipe; give a file that pleat wrote");
  if (std::filesystem::is_regular_file(status) &&
      std::filesystem::file_size(name, failure) > most_bytes && !failure)
    too_large(name);
}

std::string text_of(const std::string& name) {
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  std::string text;
  std::vector<char> part(std::size_t{1} << 16);
  while (file.read(part.data(), std::ssize(part)) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes) too_large(name);
  }
  if (!file.is_open() || file.bad()) {
    const int number = errno == 0 ? EIO : errno;
    throw usage_error("cannot read " + name + ": " + std::generic_category().message(number));
  }
  return text;
}

// Brackets that are open at once, outside texts. What goes through a document calls itself for
// each.
std::size_t depth_of(std::string_view text) {
  std::size_t open = 0, most = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '[' || c == '{'))
      most = std::max(most, ++open);
    else if (!in_text && (c == ']' || c == '}') && open > 0)
      --open;
  }
  return most;
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json read_json_file(const std::string& name) {
  require_readable(name);
  return json_from(text_of(name), name);
}

nlohmann::ordered_json json_from(std::string_view text, const std::string& name) {
  if (text.empty()) throw usage_error(name + ": the file is empty; measure again");
  if (depth_of(text) > deepest)
    throw usage_error(name +
                      ": lists and objects are nested more than 100 deep; give files that "
                      "pleat wrote with --json");
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& failure) {
    if (failure.byte > text.size())
      throw usage_error(name + ": the file is cut short after " + std::to_string(text.size()) +
                        " bytes; measure again, or copy it again");
    throw usage_error(name + ": this is no JSON, from byte " + std::to_string(failure.byte) +
                      " on; write or copy it again");
  } catch (const nlohmann::json::out_of_range&) {
    throw usage_error(name + ": a number in it is too large; write it again");
  }
}

}  // namespace pleat::bench
