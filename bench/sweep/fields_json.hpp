// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "tool/printable.hpp"

namespace pleat::bench {

// JSON of a struct and back from one list of its fields: its static function each_field(object, f),
// which calls f(name, field) for each of them.

namespace fields {

template <class T> void put_field(nlohmann::ordered_json& into, const char* name, const T& value) {
  into[name] = value;
}
template <class T>
void put_field(nlohmann::ordered_json& into, const char* name, const std::optional<T>& value) {
  if (value) into[name] = *value;
}

template <class T> void get_field(const nlohmann::ordered_json& from, const char* name, T& value) {
  from.at(name).get_to(value);
}
template <class T>
void get_field(const nlohmann::ordered_json& from, const char* name, std::optional<T>& value) {
  if (from.contains(name)) value = from.at(name).get<T>();
}

template <class F> void each_text(nlohmann::ordered_json& value, const F& f) {
  if (value.is_string()) f(value.get_ref<std::string&>());
  if (value.is_structured())
    for (auto& one : value) each_text(one, f);
}

}  // namespace fields

/// An object with the fields as keys; a field without a value is left out. Texts may be any bytes:
/// JSON has them as utf8_of_bytes.
template <class T> [[nodiscard]] nlohmann::ordered_json fields_json(const T& object) {
  auto json = nlohmann::ordered_json::object();
  T::each_field(object,
                [&](const char* name, const auto& field) { fields::put_field(json, name, field); });
  fields::each_text(json, [](std::string& text) { text = utf8_of_bytes(text); });
  return json;
}

/// Throws: nlohmann::json::exception for a key that is missing or of another type.
template <class T> [[nodiscard]] T fields_from(nlohmann::ordered_json json) {
  fields::each_text(json, [](std::string& text) { text = bytes_of_utf8(text); });
  T object;
  T::each_field(object,
                [&](const char* name, auto& field) { fields::get_field(json, name, field); });
  return object;
}

}  // namespace pleat::bench
