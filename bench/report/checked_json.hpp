// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

/// Value of a JSON file that was not checked, with its place in the file.
///
/// Every access checks what it needs and throws pleat::usage_error otherwise: one line that names
/// the file, the place in it, what is wrong and what to do: `advice`. A value refers to
/// the one it is in, which has to outlive it.
class checked_json {
 public:
  checked_json(const nlohmann::ordered_json& document, const std::string& file, const char* advice)
      : value_(document), file_(file), advice_(advice) {}

  /// The member of an object. `find` returns none where it is absent or null.
  [[nodiscard]] checked_json at(const char* key) const& {
    require_object();
    const auto found = value_.find(key);
    if (found == value_.end()) wrong("has no \"" + std::string(key) + '"');
    return {*this, *found, key, 0};
  }
  [[nodiscard]] std::optional<checked_json> find(const char* key) const& {
    require_object();
    const auto found = value_.find(key);
    if (found == value_.end() || found->is_null()) return {};
    return checked_json(*this, *found, key, 0);
  }
  checked_json at(const char*) const&& = delete;
  std::optional<checked_json> find(const char*) const&& = delete;

  /// Number of elements of a list, and the elements.
  [[nodiscard]] std::size_t size() const {
    if (!value_.is_array()) wrong("is no list");
    return value_.size();
  }
  [[nodiscard]] checked_json at(std::size_t index) const& {
    if (index >= size()) wrong("has too few elements");
    return {*this, value_[index], nullptr, index};
  }
  checked_json at(std::size_t) const&& = delete;

  [[nodiscard]] const std::string& text() const {
    if (!value_.is_string()) wrong("is no text");
    return value_.get_ref<const std::string&>();
  }
  /// An integer from zero to `most`, which fits unsigned unless given.
  [[nodiscard]] std::size_t count(std::size_t most = std::numeric_limits<unsigned>::max()) const {
    if (!value_.is_number_unsigned() || value_.get<std::size_t>() > most)
      wrong("is no count up to " + std::to_string(most));
    return value_.get<std::size_t>();
  }
  /// Reads a number from zero on, at most 1e100: sums and ratios of such numbers are finite.
  [[nodiscard]] double number() const {
    const double number = value_.is_number() ? value_.get<double>() : -1;
    if (!(number >= 0 && number <= 1e100)) wrong("is no number from zero on");
    return number;
  }

  void require_object() const {
    if (!value_.is_object()) wrong("is no object");
  }
  [[nodiscard]] const nlohmann::ordered_json& value() const { return value_; }
  [[noreturn]] void wrong(std::string_view what) const {
    const auto where = place();
    throw usage_error(file_ + ": " + (where.empty() ? "this" : where) + ' ' + std::string(what) +
                      "; " + advice_);
  }

 private:
  checked_json(const checked_json& in, const nlohmann::ordered_json& value, const char* key,
               std::size_t index)
      : value_(value), file_(in.file_), advice_(in.advice_), in_(&in), key_(key), index_(index) {}
  [[nodiscard]] std::string place() const {
    if (in_ == nullptr) return {};
    const auto outer = in_->place();
    if (key_ == nullptr) return outer + '[' + std::to_string(index_) + ']';
    return outer.empty() ? key_ : outer + '.' + key_;
  }

  const nlohmann::ordered_json& value_;
  const std::string& file_;
  const char* advice_;
  const checked_json* in_ = nullptr;
  const char* key_ = nullptr;  // in an object; else index_ in a list
  std::size_t index_ = 0;
};

}  // namespace pleat::bench
