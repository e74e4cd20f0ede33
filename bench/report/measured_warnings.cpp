// SPDX-License-Identifier: Apache-2.0
#include "measured_warnings.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "measure/machine_watch.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

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
