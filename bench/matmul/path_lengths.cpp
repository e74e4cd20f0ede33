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

// Position in the whole matrix of the number with that index.
std::string position(const matrix_part& part, std::size_t index) {
  return "[" + std::to_string(part.first_row + index / part.columns) + ", " +
         std::to_string(part.first_column + index % part.columns) + "]";
}

template <class T> std::span<T> numbers_of(const matrix_part& part) {
  return {reinterpret_cast<T*>(part.numbers.data()), part.numbers.size() / sizeof(T)};
}

// Name of a type in which the same numbers have room.
std::string wider(const number_type& type) {
  if (type.bytes == 8) return "f8";
  return (type.kind == number_kind::signed_integer ? "i" : "u") + std::to_string(2 * type.bytes);
}

}  // namespace

path_lengths::path_lengths(std::string semiring, const npy_contents& matrix,
                           std::optional<std::string> infinity)
    : semiring_(std::move(semiring)),
      descr_(matrix.descr),
      type_(matrix.type),
      infinity_(std::move(infinity)) {
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

unsigned long long path_lengths::read(const matrix_part& lengths, const std::string& name) const {
  unsigned long long longest = 0;
  if (!has_no_path(semiring_)) return longest;
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      const auto known = range_of<T>(semiring_, infinity_);
      const auto values = numbers_of<T>(lengths);
      T farthest = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        T& x = values[i];
        if (x == known.shown) {
          x = known.no_path;
        } else if (known.holds(x)) {
          farthest = semiring_ == "min_plus" ? std::max(farthest, x) : std::min(farthest, x);
        } else {
          const auto number = number_text(x);
          throw error(name + " holds " + number + " at " + position(lengths, i) + "; over " +
                      semiring_ + " '" + descr_ + "' holds lengths from " +
                      number_text(known.least) + " to " + number_text(known.greatest) +
                      ": if it says that there is no path, give --infinity " + number +
                      "; else convert both with " +
                      numpy_save(name, numpy_load(name) + ".astype('" + wider(type_) + "')"));
        }
      }
      longest = static_cast<unsigned long long>(std::cmp_less(farthest, 0) ? -farthest : farthest);
    }
  });
  return longest;
}

std::size_t path_lengths::write(const matrix_part& lengths) const {
  std::size_t without_path = 0;
  if (!has_no_path(semiring_)) return without_path;
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      const auto known = range_of<T>(semiring_, infinity_);
      const auto values = numbers_of<T>(lengths);
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
    }
  });
  return without_path;
}

std::string path_lengths::doubt(const std::string& name, std::size_t without_path,
                                unsigned long long longest) const {
  std::string text;
  if (!has_no_path(semiring_) || without_path == 0) return text;
  with_number(type_, [&]<class T>() {
    if constexpr (length_type<T>) {
      const auto known = range_of<T>(semiring_, infinity_);
      const bool min = semiring_ == "min_plus";
      if (std::cmp_less_equal(longest, detail::matmul::farthest<T>)) return;
      text = "of " + name + " " + readable_count(without_path) + " numbers are " +
             number_text(known.shown) + ", no path: that counts all lengths " +
             (min ? "above " : "below ") + number_text(min ? known.greatest : known.least) +
             "; convert the matrices to '" + wider(type_) + "' to have them apart";
    }
  });
  return text;
}

}  // namespace pleat::bench
