// SPDX-License-Identifier: Apache-2.0
#include "distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numbers>

#include <pleat/runtime/error.hpp>

#include "sort_keys.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

constexpr std::uint64_t whole = std::numeric_limits<std::uint64_t>::max();

/// Numbers in [0, 1) that follow from a key's place: the k-th of them.
class draws {
 public:
  draws(std::uint64_t seed, std::size_t i) : state_(mixed(seed + i)) {}
  [[nodiscard]] std::uint64_t bits() const { return state_; }
  [[nodiscard]] std::uint64_t next_bits() { return state_ = mixed(state_ + 1); }
  [[nodiscard]] double next() { return static_cast<double>(next_bits() >> 11U) * 0x1p-53; }
  /// Draws from the exponential distribution of mean 1.
  [[nodiscard]] double exponential() { return -std::log1p(-next()); }
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(2 * exponential());
    return radius * std::cos(2 * std::numbers::pi * next());
  }
  /// 1 … most, k as often as k^-s (W. Hörmann, G. Derflinger, Rejection-inversion to generate
  /// variates from monotone discrete distributions, ACM TOMACS 6, 1996).
  [[nodiscard]] double zipf(double s, double most) {
    const auto area = [=](double x) {
      return std::abs(s - 1) < 1e-9 ? std::log(x) : (std::pow(x, 1 - s) - 1) / (1 - s);
    };
    const auto inverse = [=](double y) {
      return std::abs(s - 1) < 1e-9 ? std::exp(y) : std::pow(1 + y * (1 - s), 1 / (1 - s));
    };
    const double low = area(1.5) - 1, high = area(most + 0.5);
    for (;;) {
      const double y = high + next() * (low - high);
      const double x = inverse(y);
      const double k = std::clamp(std::round(x), 1.0, most);
      if (y >= area(k + 0.5) - std::pow(k, -s)) return k;
    }
  }

 private:
  std::uint64_t state_;
};

using key_function = drawn_key (*)(draws, double, std::size_t, std::size_t);

drawn_key at_place(std::uint64_t place) { return {place, true}; }
drawn_key number(double value) {
  return {static_cast<std::uint64_t>(std::min(value, 0x1p63)), false};
}
drawn_key number(std::uint64_t value) { return {value, false}; }

std::uint64_t step_of(std::size_t n) { return whole / n; }

/// Spreads bits to every second bit of the result, from the lowest on.
std::uint64_t spread_bits(std::uint64_t x) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < 16; ++bit) result |= (x >> bit & 1U) << 2 * bit;
  return result;
}

/// A point beside one of 64 centres, in Morton order.
drawn_key morton(draws of, double, std::size_t, std::size_t) {
  const std::uint64_t centre = mixed(of.next_bits() % 64);
  const auto coordinate = [&](std::uint64_t middle) {
    const double at = static_cast<double>(middle % 65536) + 200 * of.normal();
    return spread_bits(static_cast<std::uint64_t>(std::clamp(at, 0.0, 65535.0)));
  };
  const std::uint64_t x = coordinate(centre);
  return number(x | coordinate(centre >> 16U) << 1U);
}

/// An edge of a graph of 2^16 vertices (D. Chakrabarti, Y. Zhan, C. Faloutsos, R-MAT: a recursive
/// model for graph mining, 2004).
drawn_key edge_of_graph(draws of, double, std::size_t, std::size_t) {
  std::uint64_t from = 0, to = 0;
  for (int level = 0; level < 16; ++level) {
    const double u = of.next();
    from = 2 * from + (u >= 0.76 ? 1 : 0);
    to = 2 * to + ((u >= 0.57 && u < 0.76) || u >= 0.95 ? 1 : 0);
  }
  return number(from << 16U | to);
}

/// An address of IPv4: few networks have most of the hosts, and each has few busy hosts.
drawn_key address(draws of, double, std::size_t, std::size_t) {
  const auto network = mixed(static_cast<std::uint64_t>(of.zipf(1, 200))) >> 48U;
  const bool busy = of.next() < 0.5;
  const std::uint64_t host = busy ? mixed(network + of.next_bits() % 256) : of.next_bits();
  return number(network << 16U | (host & 0xffffU));
}

struct known_shape {
  std::string_view name;
  std::string_view parameter;  ///< what it is, in messages
  double usual, least, most;   ///< of the parameter
  key_function key;
};

constexpr double none = 0;

constexpr std::array shapes = std::to_array<known_shape>({
    {"random", "", none, none, none,
     [](draws of, double, std::size_t, std::size_t) { return at_place(of.bits()); }},
    {"sorted", "", none, none, none,
     [](draws, double, std::size_t i, std::size_t n) { return at_place(i * step_of(n)); }},
    {"reversed", "", none, none, none,
     [](draws, double, std::size_t i, std::size_t n) { return at_place((n - 1 - i) * step_of(n)); }},
    {"almost-sorted", "", none, none, none,
     [](draws of, double, std::size_t i, std::size_t n) {
       return at_place(of.bits() % 100 == 0 ? of.next_bits() : i * step_of(n));
     }},
    {"organ-pipe", "", none, none, none,
     [](draws, double, std::size_t i, std::size_t n) {
       return at_place(std::min(i, n - 1 - i) * step_of(n) * 2);
     }},
    {"runs", "RUNS", 64, 1, 0x1p32,
     [](draws, double runs, std::size_t i, std::size_t n) {
       const std::size_t length = std::max<std::size_t>(n / static_cast<std::size_t>(runs), 1);
       return at_place(i % length * step_of(length) + mixed(i / length) % step_of(length));
     }},
    {"equal", "", none, none, none,
     [](draws, double, std::size_t, std::size_t) { return at_place(std::uint64_t{1} << 63U); }},
    {"few-distinct", "VALUES", 16, 1, 0x1p32,
     [](draws of, double values, std::size_t, std::size_t) {
       return at_place(mixed(of.bits() % static_cast<std::uint64_t>(values)));
     }},
    {"narrow", "BITS", 16, 1, 64,
     [](draws of, double bits, std::size_t, std::size_t) {
       return number(of.bits() >> (64 - static_cast<unsigned>(bits)));
     }},
    {"zipf", "S", 1, 0.01, 10,
     [](draws of, double s, std::size_t, std::size_t) {  // of a million values all over the range
       return at_place(mixed(static_cast<std::uint64_t>(of.zipf(s, 1e6))));
     }},
    {"exponential", "MEAN", 1e5, 1, 1e18,
     [](draws of, double mean, std::size_t, std::size_t) {
       return number(mean * of.exponential());
     }},
    {"bit-exponential", "K", 30, 1, 1e6,
     [](draws of, double k, std::size_t, std::size_t) {  // each bit is 1 once in K times
       std::uint64_t bits = 0;
       for (int bit = 0; bit < 64; ++bit) bits = bits << 1U | (of.next() * k < 1 ? 1U : 0U);
       return at_place(bits);
     }},
    {"addresses", "", none, none, none, address},
    {"times", "", none, none, none,
     [](draws of, double, std::size_t i, std::size_t) {  // seconds, each up to ten minutes late
       return number(1'700'000'000 + i / 64 + of.bits() % 600);
     }},
    {"morton", "", none, none, none, morton},
    {"degrees", "", none, none, none,
     [](draws of, double, std::size_t, std::size_t) {  // of a graph whose degrees follow d^-2.1
       return number(of.zipf(2.1, 0x1p31));
     }},
    {"edges", "", none, none, none, edge_of_graph},
    {"words", "FILE", none, none, none, nullptr},
});
constexpr std::size_t words_of_file = shapes.size() - 1;

/// The first eight bytes of each word of a file, so that numbers are in the order of the words.
std::vector<std::uint64_t> words_in(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::uint64_t> words;
  for (std::string word; in >> word;) {
    word.resize(8);
    std::uint64_t bits = 0;
    for (const char c : word) bits = bits << 8U | static_cast<unsigned char>(c);
    words.push_back(bits);
  }
  if (words.empty()) throw error("--distribution: '" + file + "' cannot be read or has no words");
  return words;
}

}  // namespace

std::string distribution::known() {
  std::string names;
  for (const known_shape& shape : shapes) {
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
    if (shape.parameter.empty()) continue;
    const bool needed = shape.key == nullptr;
    names += (needed ? ":" : "[:") + std::string(shape.parameter) + (needed ? "" : "]");
  }
  return names;
}

distribution::distribution(std::string_view text) : parameter_(none) {
  const std::string_view name = text.substr(0, text.find(':'));
  const bool more = name.size() < text.size();
  const std::string_view after = more ? text.substr(name.size() + 1) : std::string_view();
  const auto* const found = std::ranges::find(shapes, name, &known_shape::name);
  const auto refuse = [&](const std::string& why) {
    throw usage_error("--distribution: '" + std::string(text) + "' " + why);
  };
  if (found == shapes.end()) refuse("is unknown; known: " + known());
  shape_ = static_cast<std::size_t>(found - shapes.begin());
  parameter_ = found->usual;
  if (shape_ == words_of_file) {
    if (after.empty()) refuse("needs a file: words:FILE");
    words_ = std::make_shared<const std::vector<std::uint64_t>>(words_in(std::string(after)));
  } else if (more) {
    if (found->parameter.empty()) refuse("takes no number after " + std::string(name));
    parameter_ = number_in<double>(after).value_or(std::nan(""));
    if (!(parameter_ >= found->least && parameter_ <= found->most)) {
      std::array<char, 64> range;
      std::snprintf(range.data(), range.size(), "%g to %g", found->least, found->most);
      refuse("needs a number of " + std::string(range.data()) + " after the colon");
    }
  }
}

drawn_key distribution::key(std::uint64_t seed, std::size_t i, std::size_t n) const {
  draws of(seed, i);
  if (words_) return at_place((*words_)[of.bits() % words_->size()]);
  return shapes[shape_].key(of, parameter_, i, n);
}

std::string string_at(std::uint64_t position, std::size_t index) {
  constexpr std::size_t letters = 14;  // 26^14 > 2^64
  std::string text(letters + mixed(index) % 18, 'a');
  for (std::size_t i = letters; i-- != 0; position /= 26)
    text[i] = static_cast<char>('a' + position % 26);
  std::uint64_t more = mixed(index + 1);
  for (std::size_t i = letters; i < text.size(); ++i, more = mixed(more))
    text[i] = static_cast<char>('a' + more % 26);
  return text;
}

}  // namespace pleat::bench
