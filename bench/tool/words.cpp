// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace pleat::bench {
namespace {

// Letters to insert, remove or replace, or neighbours to exchange, so that one becomes the other.
// Source: Damerau, A technique for computer detection and correction of spelling errors, 1964.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? std::size_t{0} : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

}  // namespace

std::vector<std::string> split(std::string_view list, std::string_view separator) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start <= list.size();) {
    const auto end = std::min(list.find(separator, start), list.size());
    words.emplace_back(list.substr(start, end - start));
    start = end + separator.size();
    if (end == list.size()) break;
  }
  return words;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  std::size_t least = 3;
  const std::string* nearest = nullptr;
  for (const auto& name : names) {
    const std::size_t far = distance(word, name);
    if (far >= least || 2 * far >= word.size()) continue;
    least = far;
    nearest = &name;
  }
  return nearest == nullptr ? "" : " (did you mean '" + *nearest + "'?)";
}

namespace {

constexpr std::size_t most_values = 4096;

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view why) {
  throw usage_error(std::string(option) + ": '" + std::string(text) + "' " + std::string(why));
}

[[noreturn]] void not_a_count(std::string_view option, std::string_view text) {
  const auto dash = text.find('-');
  if (dash != 0 && dash != std::string_view::npos && number_in<std::size_t>(text.substr(0, dash)) &&
      number_in<std::size_t>(text.substr(dash + 1)))
    refuse(option, text,
           "is not a count; where several are taken, a range is " +
               std::string(text.substr(0, dash)) + ".." + std::string(text.substr(dash + 1)) +
               " (doubling) or " + std::string(text.substr(0, dash)) + ".." +
               std::string(text.substr(dash + 1)) + "+1 (every one)");
  refuse(option, text, "is not a count; write it like 1048576, 2^20, 1e6, 64Ki or 1M");
}

std::size_t times(std::size_t a, std::size_t b, std::string_view option, std::string_view text) {
  if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b)
    refuse(option, text, "is too large for this machine");
  return a * b;
}

std::size_t power(std::string_view text, std::size_t caret, std::string_view option) {
  auto base = number_in<std::size_t>(text.substr(0, caret));
  auto exponent = number_in<std::size_t>(text.substr(caret + 1));
  if (!base || !exponent) not_a_count(option, text);
  if (*base < 2) return *exponent == 0 ? 1 : *base;
  std::size_t value = 1;
  for (std::size_t i = 0; i < *exponent; ++i) value = times(value, *base, option, text);
  return value;
}

// The factor a trailing Ki, Mi, Gi, k, M or G stands for, and how many characters it takes.
struct unit {
  std::size_t factor, length;
};

unit unit_of(std::string_view text) {
  const bool binary = text.ends_with('i');
  const std::size_t step = binary ? 1024 : 1000, length = binary ? 2 : 1;
  if (text.size() <= length) return {1, 0};
  const char letter = text[text.size() - length];
  const auto power = letter == 'K' ? 0 : std::string_view("kMG").find(letter);
  if (power == std::string_view::npos) return {1, 0};
  std::size_t factor = step;
  for (std::size_t i = 0; i < power; ++i) factor *= step;
  return {factor, length};
}

// 1e6, 1.5e6 and 2.5M: decimal notation is welcome as long as the count is whole.
std::size_t decimal(std::string_view digits, std::size_t factor, std::string_view option,
                    std::string_view text) {
  const auto number = number_in<double>(digits);
  if (!number || !std::isfinite(*number)) not_a_count(option, text);
  const double value = *number * static_cast<double>(factor);
  if (value < 0 || value != std::floor(value)) not_a_count(option, text);
  if (value > 9007199254740992.0) {  // 2^53: beyond it a double no longer holds every count
    refuse(option, text, "is too large for decimal notation; write it as a power: 2^60");
  }
  return static_cast<std::size_t>(value);
}

std::size_t count_of(std::string_view text, std::string_view option) {
  if (text.empty() || text.front() < '0' || text.front() > '9') not_a_count(option, text);
  if (auto caret = text.find('^'); caret != std::string_view::npos)
    return power(text, caret, option);
  const auto [factor, length] = unit_of(text);
  const auto digits = text.substr(0, text.size() - length);
  if (auto value = number_in<std::size_t>(digits)) return times(*value, factor, option, text);
  if (digits.find_first_not_of("0123456789") == std::string_view::npos)
    refuse(option, text, "is too large for this machine");
  return decimal(digits, factor, option, text);
}

class list_builder {
 public:
  list_builder(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  void add(std::size_t value) {
    if (std::ranges::find(values_, value) != values_.end()) return;
    if (values_.size() == most_values) refuse(option_, text_, "gives more than 4096 values");
    values_.push_back(value);
  }

  std::vector<std::size_t> take() { return std::move(values_); }

 private:
  std::string_view option_, text_;
  std::vector<std::size_t> values_;
};

}  // namespace

std::size_t parse_count(std::string_view text, std::string_view option, std::size_t least) {
  const std::size_t value = count_of(text, option);
  if (value < least) refuse(option, text, "is too small; the least is " + std::to_string(least));
  return value;
}

std::pair<std::size_t, std::size_t> parse_place(const std::string& text, std::string_view option) {
  const std::size_t plus = text.find('+');
  const std::size_t size = parse_count(text.substr(0, plus), option, 1);
  if (plus == std::string::npos) return {size, 0};
  const std::size_t place = parse_count(text.substr(plus + 1), option);
  if (place >= size) refuse(option, text, "has its place behind the last");
  return {size, place};
}

std::vector<std::size_t> parse_counts(std::string_view text, std::string_view option,
                                      std::optional<std::size_t> max) {
  auto count = [&](std::string_view word) {
    return max && word == "max" ? *max : parse_count(word, option, 1);
  };
  list_builder list(option, text);
  bool up_to_max = false;
  auto add_range = [&](std::string_view range, std::size_t dots) {
    const std::size_t first = count(range.substr(0, dots));
    auto rest = range.substr(dots + 2);
    char operation = '*';
    std::size_t step = 2;
    if (auto mark = rest.find_first_of("*+"); mark != std::string_view::npos) {
      operation = rest[mark];
      step = parse_count(rest.substr(mark + 1), option, 1);
      rest = rest.substr(0, mark);
    }
    const std::size_t last = count(rest);
    const bool adds = operation == '+';
    if (!adds && step < 2) refuse(option, range, "never ends; multiply by 2 or more");
    up_to_max = up_to_max || (max && rest == "max");
    if (last < first && rest != "max") refuse(option, range, "descends; write the smaller first");
    if (last < first) return list.add(last);
    for (std::size_t value = first; value < last;) {
      list.add(value);
      if (adds ? last - value < step : value > last / step) break;
      value = adds ? value + step : value * step;
    }
    list.add(last);
  };

  for (const auto& item : split(text)) {
    if (const auto dots = item.find(".."); dots != std::string::npos)
      add_range(item, dots);
    else
      list.add(count(item));
  }
  auto values = list.take();
  // `1,2,4..max` means 1,2 on a machine of two processors and 1 on a machine of one.
  if (up_to_max) std::erase_if(values, [&](std::size_t value) { return value > *max; });
  return values;
}

double parse_share(std::string_view text, std::string_view option, least_share least) {
  const bool percent = text.ends_with('%');
  const auto digits = text.substr(0, text.size() - (percent ? 1 : 0));
  const double share = number_in<double>(digits).value_or(-1) / (percent ? 100 : 1);
  const bool large_enough = least == least_share::zero ? share >= 0 : share > 0;
  if (!large_enough || !(share < 1))
    throw usage_error(std::string(option) + ": '" + std::string(text) + "' is no share " +
                      (least == least_share::zero ? "of 0% or more" : "above 0%") +
                      " and below 100%; write 2% or 0.02");
  return share;
}

}  // namespace pleat::bench
