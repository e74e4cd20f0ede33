// SPDX-License-Identifier: Apache-2.0
#include "path_lengths.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/error.hpp>

#include "arrays/with_number.hpp"
#include "tool/conversion.hpp"
#include "tool/readable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

template <class T>
concept length_type = std::integral<T> && !std::same_as<T, bool>;

bool has_no_path(const std::string& semiring) {
  return semiring == "min_plus" || semiring == "max_plus";
}

// The numbers of one type over one semiring.
template <class T> struct range {
  T least, greatest, no_path, shown;

  [[nodiscard]] bool holds(T x) const { return least <= x && x <= greatest; }
};

template <class T> std::string number_text(T x) { return std::to_string(x); }

template <class T> T parsed_infinity(const std::string& text) {
  if (text == "max") return std::numeric_limits<T>::max();
  if (text == "min") return std::numeric_limits<T>::min();
  T value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, value);
  if (failure == std::errc{} && end == last) return value;
  throw usage_error("--infinity: '" + text + "' is no number of the matrices' type, " +
                    number_text(std::numeric_limits<T>::min()) + " to " +
                    number_text(std::numeric_limits<T>::max()) + "; give one, or max or min");
}

template <length_type T>
range<T> range_of(const std::string& semiring, const std::optional<std::string>& infinity) {
  constexpr T farthest = detail::matmul::farthest<T>;
  constexpr T unreachable = detail::matmul::unreachable<T>;
  constexpr T eighth = std::numeric_limits<T>::max() / 8;
  range<T> result{};
  if (semiring == "min_plus") {
    result = {std::is_signed_v<T> ? static_cast<T>(-eighth) : T{0}, farthest, unreachable, 0};
  } else {
    result = {static_cast<T>(-farthest), eighth, static_cast<T>(-unreachable), 0};
  }
  result.shown = infinity ? parsed_infinity<T>(*infinity) : result.no_path;
  return result;
}

std::string position(const npy_array& array, std::size_t index) {
  const std::size_t columns = array.shape[1];
  return "[" + std::to_string(index / columns) + ", " + std::to_string(index % columns) + "]";
}

// Where the same numbers have room.
std::string wider(const number_type& type) {
  if (type.bytes == 8) return "f8";
  return (type.kind == number_kind::signed_integer ? "i" : "u") + std::to_string(2 * type.bytes);
}

}  // namespace

path_lengths::path_lengths(std::string semiring, const number_type& type,
                           std::optional<std::string> infinity)
    : semiring_(std::move(semiring)), type_(type), infinity_(std::move(infinity)) {
  if (!infinity_) return;
  if (!has_no_path(semiring_))
    throw usage_error("--infinity: " + semiring_ + " has none; leave the option out");
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      static_cast<void>(range_of<T>(semiring_, infinity_));
    } else {
      throw usage_error(
          "--infinity: floating-point matrices say np.inf for no path; leave the option out");
    }
  });
}

void path_lengths::read(const npy_array& lengths, const std::string& name) {
  if (!has_no_path(semiring_)) return;
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      const auto known = range_of<T>(semiring_, infinity_);
      const auto values = lengths.memory.as<T>(lengths.elements);
      T longest = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        T& x = values[i];
        if (x == known.shown) {
          x = known.no_path;
        } else if (known.holds(x)) {
          longest = semiring_ == "min_plus" ? std::max(longest, x) : std::min(longest, x);
        } else {
          const auto number = number_text(x);
          throw error(name + " holds " + number + " at " + position(lengths, i) + "; over " +
                      semiring_ + " '" + lengths.descr + "' holds lengths from " +
                      number_text(known.least) + " to " + number_text(known.greatest) +
                      ": if it says that there is no path, give --infinity " + number +
                      "; else convert both with " +
                      numpy_save(name, numpy_load(name) + ".astype('" + wider(type_) + "')"));
        }
      }
      longest_sum_ += static_cast<double>(longest);
    }
  });
}

void path_lengths::write(const npy_array& lengths, const std::string& name) const {
  if (!has_no_path(semiring_)) return;
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      const auto known = range_of<T>(semiring_, infinity_);
      std::size_t without_path = 0;
      const auto values = lengths.memory.as<T>(lengths.elements);
      for (std::size_t i = 0; i < values.size(); ++i) {
        T& x = values[i];
        if (x == known.no_path) {
          x = known.shown;
          ++without_path;
        } else if (x == known.shown) {
          throw error("a path of length " + number_text(x) + " ends at " + position(lengths, i) +
                      ", and --infinity says that the number is no path; choose another number");
        }
      }
      const bool min = semiring_ == "min_plus";
      const auto limit = static_cast<double>(min ? known.greatest : known.least);
      if (without_path > 0 && (min ? longest_sum_ > limit : longest_sum_ < limit))
        warn("of " + name + " " + readable_count(without_path) + " numbers are " +
             number_text(known.shown) + ", no path: that counts all lengths " +
             (min ? "above " : "below ") + number_text(min ? known.greatest : known.least) +
             "; convert the matrices to '" + wider(type_) + "' to have them apart");
    }
  });
}

}  // namespace pleat::bench
