// SPDX-License-Identifier: Apache-2.0
#include "checked_json.hpp"

#include <limits>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

std::string checked_json::place() const {
  if (in_ == nullptr) return {};
  const auto outer = in_->place();
  if (key_ == nullptr) return outer + '[' + std::to_string(index_) + ']';
  return outer.empty() ? key_ : outer + '.' + key_;
}

void checked_json::wrong(std::string_view what) const {
  const auto where = place();
  throw usage_error(file_ + ": " + (where.empty() ? "this" : where) + ' ' + std::string(what) +
                    "; give a file that pleat " + command_ + " wrote");
}

void checked_json::require_object() const {
  if (!value_.is_object()) wrong("is no object");
}

checked_json checked_json::at(const char* key) const& {
  require_object();
  const auto found = value_.find(key);
  if (found == value_.end()) wrong("has no \"" + std::string(key) + '"');
  return {*this, *found, key, 0};
}

std::optional<checked_json> checked_json::find(const char* key) const& {
  require_object();
  const auto found = value_.find(key);
  if (found == value_.end() || found->is_null()) return {};
  return checked_json(*this, *found, key, 0);
}

std::size_t checked_json::size() const {
  if (!value_.is_array()) wrong("is no list");
  return value_.size();
}

checked_json checked_json::at(std::size_t index) const& {
  if (index >= size()) wrong("has too few elements");
  return {*this, value_[index], nullptr, index};
}

const std::string& checked_json::text() const {
  if (!value_.is_string()) wrong("is no text");
  return value_.get_ref<const std::string&>();
}

std::size_t checked_json::count() const {
  const bool is_count = value_.is_number_unsigned() &&
                        value_.get<std::size_t>() <= std::numeric_limits<unsigned>::max();
  if (!is_count) wrong("is no count below 2^32");
  return value_.get<std::size_t>();
}

double checked_json::number() const {
  const double number = value_.is_number() ? value_.get<double>() : -1;
  if (!(number >= 0 && number <= 1e200)) wrong("is no number from zero on");
  return number;
}

}  // namespace pleat::bench
