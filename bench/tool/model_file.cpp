// SPDX-License-Identifier: Apache-2.0
#include "model_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_levels = 64;
constexpr auto example = R"({"name": "mine", "g": [2, 1], "l": [60, 20]})";

[[noreturn]] void refuse(const std::string& origin, const std::string& what) {
  throw usage_error(origin + ": " + what);
}

// nlohmann's messages hold what it read, line ends included, and have to stay one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

json parsed(std::string_view text, const std::string& origin) {
  try {
    return json::parse(text);
  } catch (const json::exception& failure) {
    refuse(origin, one_line("this is not JSON (" + std::string(failure.what()) +
                            "); a machine model looks like ") +
                       example);
  }
}

const json& member(const json& model, const char* key, const std::string& origin) {
  const auto found = model.find(key);
  if (found == model.end())
    refuse(origin, "the key \"" + std::string(key) + "\" is missing; a machine model looks like " +
                       example);
  return *found;
}

// Range of values: its name in errors, and the test for it.
struct value_range {
  const char* text;
  bool zero_allowed;

  [[nodiscard]] bool holds(double x) const {
    return std::isfinite(x) && (x > 0 || (zero_allowed && x == 0));
  }
};

std::vector<double> vector_of(const json& model, const char* key, value_range range,
                              const std::string& origin) {
  const json& list = member(model, key, origin);
  const std::string name(key);
  if (!list.is_array())
    refuse(origin, "\"" + name + "\" is not a list; write one number per level: [2, 1]");
  if (list.empty())
    refuse(origin, "\"" + name + "\" is empty; write one number per level, outermost first");
  if (list.size() > most_levels)
    refuse(origin, "\"" + name + "\" has " + std::to_string(list.size()) +
                       " levels; the most are " + std::to_string(most_levels));
  std::vector<double> values;
  for (const json& entry : list) {
    const std::string place = "\"" + name + "\"[" + std::to_string(values.size()) + "]";
    if (!entry.is_number()) refuse(origin, one_line(place + " is no number; write " + range.text));
    const double value = entry.get<double>();
    if (!range.holds(value))
      refuse(origin, place + " is " + entry.dump() + "; write " + range.text);
    values.push_back(value);
  }
  return values;
}

}  // namespace

machine_model parse_model(std::string_view text, const std::string& origin) {
  const json model = parsed(text, origin);
  if (!model.is_object())
    refuse(origin, std::string("this is not a JSON object; a machine model looks like ") + example);
  const json& name = member(model, "name", origin);
  if (!name.is_string() || name.get_ref<const std::string&>().empty())
    refuse(origin, "\"name\" is no text, or empty; give the model a name: \"name\": \"mine\"");
  machine_model result{name.get<std::string>(),
                       vector_of(model, "g", {"a time per message above 0", false}, origin),
                       vector_of(model, "l", {"a time per superstep of 0 or more", true}, origin)};
  if (result.g.size() != result.l.size())
    refuse(origin, "\"g\" has " + std::to_string(result.g.size()) + " levels and \"l\" has " +
                       std::to_string(result.l.size()) +
                       "; write one number per level in each of them");
  return result;
}

machine_model read_model(const std::filesystem::path& path) {
  const auto unreadable = [&path](int number) {
    return error("cannot read the machine model " + path.string() + ": " +
                 std::generic_category().message(number == 0 ? EIO : number));
  };
  if (std::filesystem::is_directory(path)) throw unreadable(EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw unreadable(errno);
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    throw unreadable(errno);
  }
  return parse_model(text, path.string());
}

}  // namespace pleat::bench
