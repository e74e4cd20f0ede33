// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <pleat/channels/version.hpp>
#include <pleat/runtime/error.hpp>

#include "json_file.hpp"
#include "measure/child_process.hpp"
#include "measure/machine_state.hpp"
#include "report_document.hpp"
#include "sweep_file.hpp"
#include "tool/output_file.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

// Mark in the page that was built where the data goes: page/page.html.
constexpr std::string_view place_of_data = "\"the data of the report\"";

// Beside the folder of this program, bin or libexec/pleat; in a build tree, what the link there
// leads to.
std::filesystem::path place_of_page() {
  const auto folder = this_program().parent_path();
  auto place = (folder / "../share/pleat/report.html").lexically_normal();
  if (const auto other = (folder / "../../share/pleat/report.html").lexically_normal();
      !std::filesystem::exists(place) && std::filesystem::exists(other))
    place = other;
  std::error_code no_link;
  const auto made = std::filesystem::read_symlink(place, no_link);
  return no_link ? place : made;
}

std::string command_that_makes(const std::filesystem::path& page) {
  const auto script = page.parent_path() / "build";
  std::error_code unknown;
  if (std::filesystem::is_regular_file(script, unknown)) return script.string();
  return "bench/report/page/build " + page.string() + " in the source of Pleat";
}

std::string read_page() {
  const auto name = place_of_page();
  std::ifstream file(name, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // Cut short, it has the place of the data still, and no program behind it.
  if (text.find(place_of_data) == std::string::npos || !text.ends_with("</html>\n"))
    throw environment_error("--html needs the page of charts, and " + name.string() +
                            (file.is_open() ? " is damaged" : " is not there") + ": run " +
                            command_that_makes(name));
  return text;
}

// Read once: what becomes of the file during a sweep does not matter.
const std::string& page_without_data() {
  static const std::string text = read_page();
  return text;
}

// JSON that may stand in a script of a page: there is no "</script" in it, nor "<!--".
std::string for_script(const json& data) {
  std::string text;
  for (const char c : json_text(data)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

json ratios_json(const sweep_file& sweep) {
  json ratios = json::array();
  for (const auto& one : rival_ratios(sweep))
    ratios.push_back({{"name", one.rival->name},
                      {"ours_s", one.ours->median_s},
                      {"rival_s", one.rival->median_s},
                      {"ratio", one.ratio},
                      {"low", one.range ? json(one.range->low) : json()},
                      {"high", one.range ? json(one.range->high) : json()}});
  return ratios;
}

}  // namespace

std::string report_page(std::span<const report_document> documents) {
  std::string page = page_without_data();
  json data{{"version", PLEAT_VERSION}, {"documents", json::array()}};
  std::vector<sweep_file> sweeps;
  for (const auto& one : documents) {
    data["documents"].push_back({{"file", one.file},
                                 {"kind", name_of(one.kind)},
                                 {"content", one.content},
                                 {"warnings", measured_warnings(one.content)}});
    if (one.kind != document_kind::sweep) continue;
    sweeps.push_back(sweep_from(one.content, one.file));
    data["documents"].back()["ratios"] = ratios_json(sweeps.back());
  }
  if (sweeps.size() == 2 && share_cases(sweeps.front(), sweeps.back()))
    data["comparison"] = comparison_json(compare_sweeps(sweeps.front(), sweeps.back()));
  return page.replace(page.find(place_of_data), place_of_data.size(), for_script(data));
}

void require_page() { static_cast<void>(page_without_data()); }

std::filesystem::path page_target(const std::string& where) {
  const std::filesystem::path path(where);
  if (where == standard_stream || path.extension() == ".html") return path;
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure)
    throw error("cannot make the folder " + where + ": " + failure.message() +
                "; for a file, write a name that ends in .html");
  return path / "index.html";
}

namespace {

const json* member(const json* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

std::optional<double> number(const json* object, const char* key) {
  const json* const value = member(object, key);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>())
                                                : std::nullopt;
}

}  // namespace

std::vector<std::string> measured_warnings(const json& result) {
  const json* context = member(&result, "context");
  if (const json* const of_sweep = member(context, "pleat"); member(of_sweep, "during") != nullptr)
    context = of_sweep;
  const json* const during = member(context, "during");
  const json* const binding = member(context, "binding");
  const auto seconds = number(during, "seconds");
  if (!seconds || binding == nullptr || !binding->is_array()) return {};
  return spoilers({.seconds = *seconds,
                   .processors = binding->size(),
                   .stolen = number(during, "stolen_s"),
                   .others = number(during, "others_s"),
                   .throttled = number(during, "throttled_s")});
}

}  // namespace pleat::bench
