// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pleat::bench {

/// Value of a JSON file that was not checked, with its place in the file.
///
/// Every access checks what it needs and throws pleat::usage_error otherwise: one line that names
/// the file, the place in it, what is wrong and which command writes such files. A value refers to
/// the one it is in, which has to outlive it.
class checked_json {
 public:
  using json = nlohmann::ordered_json;

  checked_json(const json& document, const std::string& file, const char* command)
      : value_(document), file_(file), command_(command) {}

  /// The member of an object. `find` returns none where it is absent or null.
  [[nodiscard]] checked_json at(const char* key) const&;
  [[nodiscard]] std::optional<checked_json> find(const char* key) const&;
  checked_json at(const char*) const&& = delete;
  std::optional<checked_json> find(const char*) const&& = delete;

  /// Number of elements of a list, and the elements.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] checked_json at(std::size_t index) const&;
  checked_json at(std::size_t) const&& = delete;

  [[nodiscard]] const std::string& text() const;
  /// An integer that fits unsigned.
  [[nodiscard]] std::size_t count() const;
  /// Reads a number from zero on, at most 1e200: sums and ratios of such numbers are finite.
  [[nodiscard]] double number() const;

  [[nodiscard]] const json& value() const { return value_; }
  [[noreturn]] void wrong(std::string_view what) const;

 private:
  checked_json(const checked_json& in, const json& value, const char* key, std::size_t index)
      : value_(value), file_(in.file_), command_(in.command_), in_(&in), key_(key), index_(index) {}
  [[nodiscard]] std::string place() const;
  void require_object() const;

  const json& value_;
  const std::string& file_;
  const char* command_;
  const checked_json* in_ = nullptr;
  const char* key_ = nullptr;  // in an object; else index_ in a list
  std::size_t index_ = 0;
};

}  // namespace pleat::bench
