// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <pleat/oblivious/exact_sum.hpp>

namespace pleat {

namespace detail::exact {

namespace {

__extension__ using two_words = unsigned __int128;
constexpr std::int64_t below_word = 0xffffffff;
constexpr std::uint64_t most_added = std::uint64_t{1} << 30;
constexpr int least_exponent = -1074;

// Many numbers at once. If |x| ≤ 2^e, then (x + s) − s with s = 1.5·2^(e + 8) is x rounded to a
// multiple of 2^(e − 44). 512 such parts add up without rounding, and what is left of each x is at
// most 2^(e − 45). Three times that leaves nothing of a number unless it has bits below 2^(e −
// 134).

using vector [[gnu::vector_size(16)]] = double;
using bits [[gnu::vector_size(16)]] = std::uint64_t;
constexpr std::size_t lanes = sizeof(vector) / sizeof(double);
constexpr std::size_t at_once = 512;
constexpr int kept_bits = 44, folds = 3;
constexpr int least_of_folds = -889, greatest_of_folds = 1000;  // all that is computed is normal

vector load(const double* x) {
  vector loaded;
  std::memcpy(&loaded, x, sizeof loaded);
  return loaded;
}

bool any(const bits& some) {
  std::uint64_t all = 0;
  for (std::size_t l = 0; l < lanes; ++l) all |= some[l];
  return all != 0;
}

/// The greatest magnitude of some numbers; an infinity if one of them is not finite.
double greatest_of(const double* x, std::size_t n) {
  constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1;
  vector greatest{};
  bits odd{};  // where x − x is no +0
  for (std::size_t i = 0; i < n; i += lanes) {
    const vector one = load(x + i);
    const auto size = std::bit_cast<vector>(std::bit_cast<bits>(one) & magnitude);
    const auto larger = std::bit_cast<bits>(size > greatest);
    greatest = std::bit_cast<vector>((larger & std::bit_cast<bits>(size)) |
                                     (~larger & std::bit_cast<bits>(greatest)));
    odd |= std::bit_cast<bits>(one - one);
  }
  if (any(odd)) return INFINITY;
  double all = 0;
  for (std::size_t l = 0; l < lanes; ++l) all = std::max(all, greatest[l]);
  return all;
}

/// Takes `folds` parts off each number; adds those up. Returns false if something is left of one.
bool take_off(const double* x, std::size_t n, int exponent, double (&sums)[folds]) {
  vector shift[folds], sum[folds] = {};
  for (int k = 0; k < folds; ++k)
    shift[k] = vector{} + std::ldexp(1.5, exponent + 8 - k * (kept_bits + 1));
  bits left{};
  for (std::size_t i = 0; i < n; i += lanes) {
    vector rest = load(x + i);
    for (int k = 0; k < folds; ++k) {
      const vector part = (rest + shift[k]) - shift[k];
      sum[k] += part;
      rest -= part;
    }
    left |= std::bit_cast<bits>(rest);
  }
  for (int k = 0; k < folds; ++k) {
    sums[k] = 0;
    for (std::size_t l = 0; l < lanes; ++l) sums[k] += sum[k][l];
  }
  return !any(left & (~std::uint64_t{0} >> 1));
}

}  // namespace

}  // namespace detail::exact

namespace exact = detail::exact;

void exact_sum::carry() {
  std::int64_t over = 0;
  for (std::size_t i = 0; i + 1 < words; ++i) {
    const std::int64_t all = words_[i] + over;
    words_[i] = all & exact::below_word;
    over = all >> 32;
  }
  words_[words - 1] += over;  // which alone has the sign
  added_ = 1;
}

void exact_sum::add(double x) {
  if (!std::isfinite(x)) {
    not_finite_ += x;
    return;
  }
  const auto image = std::bit_cast<std::uint64_t>(x);
  const unsigned exponent = image >> 52 & 0x7ff;
  std::uint64_t digits = image & (~std::uint64_t{0} >> 12);
  if (exponent != 0) digits |= std::uint64_t{1} << 52;
  const unsigned place = exponent == 0 ? 0 : exponent - 1;  // of the lowest digit, above 2^−1074
  const exact::two_words placed = exact::two_words{digits} << place % 32;
  std::int64_t* const to = words_ + place / 32;
  const std::int64_t sign = image >> 63 != 0 ? -1 : 1;
  to[0] += sign * static_cast<std::int64_t>(placed & exact::below_word);
  to[1] += sign * static_cast<std::int64_t>(placed >> 32 & exact::below_word);
  to[2] += sign * static_cast<std::int64_t>(placed >> 64);
  if (++added_ == exact::most_added) carry();
}

void exact_sum::add_all_of(const double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) add(x[i]);
}

void exact_sum::add(const double* x, std::size_t n) {
  constexpr std::size_t few = 16;
  for (; n > few; x += std::min(n, exact::at_once), n -= std::min(n, exact::at_once)) {
    const std::size_t some = std::min(n, exact::at_once), whole = some - some % exact::lanes;
    add_all_of(x + whole, some - whole);
    const double greatest = exact::greatest_of(x, whole);
    int exponent = 0;
    std::frexp(greatest, &exponent);
    double sums[exact::folds] = {};
    const bool folded =
        greatest == 0 || (exponent > exact::least_of_folds && exponent < exact::greatest_of_folds &&
                          std::isfinite(greatest) && exact::take_off(x, whole, exponent, sums));
    folded ? add_all_of(sums, exact::folds) : add_all_of(x, whole);
  }
  add_all_of(x, n);
}

exact_sum& exact_sum::operator+=(const exact_sum& other) {
  if (added_ + other.added_ >= exact::most_added) {
    carry();
    if (other.added_ >= exact::most_added - 1) {
      exact_sum carried = other;
      carried.carry();
      return *this += carried;
    }
  }
  for (std::size_t i = 0; i < words; ++i) words_[i] += other.words_[i];
  added_ += other.added_;
  not_finite_ += other.not_finite_;
  return *this;
}

double exact_sum::rounded(int digits, int lowest) const {
  if (not_finite_ != 0) return not_finite_;  // also a NaN
  exact_sum sum = *this;
  sum.carry();
  const bool negative = sum.words_[words - 1] < 0;
  if (negative) {
    for (std::int64_t& word : sum.words_) word = -word;
    sum.carry();
  }
  const auto bit = [&sum](int place) -> std::uint64_t {
    return place < 0 ? 0 : sum.words_[place / 32] >> place % 32 & 1;
  };
  int top = 32 * static_cast<int>(words) - 1;
  while (top >= 0 && bit(top) == 0) --top;
  if (top < 0) return 0;
  const int last = std::max(top - digits + 1,
                            lowest - exact::least_exponent);  // place of the last digit
  std::uint64_t kept = 0;
  for (int place = top; place >= last; --place) kept = kept << 1 | bit(place);
  bool more = false;  // below the bit that decides
  for (int place = 0; place < last - 1 && !more; ++place) more = bit(place) != 0;
  if (bit(last - 1) != 0 && (more || (kept & 1) != 0)) ++kept;
  const double size = std::ldexp(static_cast<double>(kept), last + exact::least_exponent);
  return negative ? -size : size;
}

}  // namespace pleat
