// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <pleat/oblivious/semiring.hpp>
#include <pleat/runtime/error.hpp>

#include "arrays/matmul_numbers.hpp"
#include "arrays/typed_array.hpp"
#include "tool/npy.hpp"
#include "tool/printable.hpp"
#include "tool/program_run.hpp"
#include "tool/terminal.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using arrays::semiring_kind;

/// `plus_times, min_plus, max_plus, max_min, or_and`.
std::string semiring_names() { return names_of(arrays::semiring_names); }

/// Throws: pleat::usage_error naming those there are.
semiring_kind parse_semiring(const std::string& name) {
  return static_cast<semiring_kind>(place_of(name, "--semiring", arrays::semiring_names));
}

/// Throws: pleat::usage_error for an unknown semiring; pleat::error, with the NumPy call that
/// helps, for matrices of different types, types that the semiring has no products of, and sizes
/// that do not fit.
void check_matrices(const std::string& semiring, const npy_contents& a, const std::string& name_a,
                    const npy_contents& b, const std::string& name_b) {
  const semiring_kind kind = parse_semiring(semiring);
  if (a.type != b.type) {
    const std::string type = descr_of(common_type(a.type, b.type));
    const auto call = [&](const npy_contents& array, const std::string& name) {
      return array.type == common_type(a.type, b.type)
                 ? std::string()
                 : numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    const std::string first = call(a, name_a), second = call(b, name_b);
    throw error(name_a + " holds '" + a.descr + "' and " + name_b + " '" + b.descr +
                "'; make them one type with " + first +
                (first.empty() || second.empty() ? "" : "; ") + second);
  }
  if (!arrays::has_products(kind, a.type)) {
    const bool words = kind == semiring_kind::or_and;
    const bool complex = a.type.kind == number_kind::complex && kind == semiring_kind::plus_times;
    const std::string type = words ? "bool" : complex ? "c16" : "f8";
    const auto call = [&](const std::string& name) {
      return numpy_save(name, numpy_load(name) + ".astype('" + type + "')");
    };
    throw error("there are no products of '" + a.descr + "' over " + semiring + "; convert " +
                (name_a == name_b ? "it with " + call(name_a)
                                  : "both with " + call(name_a) + "; " + call(name_b)));
  }
  if (a.shape[1] != b.shape[0])
    throw error(name_a + " has shape " + shape_text(a.shape) + " and " + name_b + " " +
                shape_text(b.shape) + ": the first needs as many columns as the second has rows");
}

template <class T>
concept length_type = std::integral<T> && !std::same_as<T, bool>;

template <class T> T parsed_infinity(const std::string& text) {
  if (text == "max") return std::numeric_limits<T>::max();
  if (text == "min") return std::numeric_limits<T>::min();
  if (const auto value = number_in<T>(text)) return *value;
  throw usage_error("--infinity: '" + text + "' is no number of the matrices' type, " +
                    std::to_string(std::numeric_limits<T>::min()) + " to " +
                    std::to_string(std::numeric_limits<T>::max()) + "; give one, or max or min");
}

/// Integers that say "no path" in a file over min_plus and max_plus.
///
/// The products have no infinite integer: half the greatest number of the type (over max_plus its
/// negative) stands for it, and sums beyond a quarter count as it. So a file holds lengths from
/// minus an eighth to a quarter of the greatest number (max_plus: the reverse) and one number that
/// stands for "no path", which the user may choose. Floating point has infinities of its own.
class path_lengths {
 public:
  /// Chooses the integer for matrices of such numbers. `infinity`: what stands for "no path" in the
  /// inputs and in the result, an integer or `max` or `min`; half the greatest number unless given.
  /// Throws: pleat::usage_error if it is given where there is nothing to choose, or no number of
  /// the type.
  path_lengths(std::string semiring, const npy_contents& matrix,
               std::optional<std::string> infinity)
      : semiring_(std::move(semiring)),
        descr_(matrix.descr),
        type_(matrix.type),
        infinity_(std::move(infinity)) {
    if (!infinity_) return;
    if (!has_no_path())
      throw usage_error("--infinity: " + semiring_ + " has none; leave the option out");
    with_number(type_, [&]<class T>() {
      if constexpr (length_type<T>)
        static_cast<void>(range_of<T>());
      else
        throw usage_error(
            "--infinity: floating-point matrices say np.inf for no path; leave the option out");
    });
  }

  /// Makes a file's numbers those of the product, in place. Returns how long the longest length is,
  /// whatever its sign. Cost: one pass, for integers only.
  /// Throws: pleat::error naming the file, the first number out of range and what to do.
  [[nodiscard]] unsigned long long read(const npy_array& lengths, const std::string& name) const {
    unsigned long long longest = 0;
    with_range([&]<class T>(const range<T>& known) {
      T farthest = 0;
      std::size_t i = 0;
      for (T& x : numbers_of<T>(lengths)) {
        if (x == known.shown) {
          x = known.no_path;
        } else if (known.least <= x && x <= known.greatest) {
          farthest = is_min() ? std::max(farthest, x) : std::min(farthest, x);
        } else {
          const auto number = std::to_string(x);
          throw error(name + " holds " + number + " at " + position(lengths, i) + "; over " +
                      semiring_ + " '" + descr_ + "' holds lengths from " +
                      std::to_string(known.least) + " to " + std::to_string(known.greatest) +
                      ": if it says that there is no path, give --infinity " + number +
                      "; else convert both with " +
                      numpy_save(name, numpy_load(name) + ".astype('" + wider() + "')"));
        }
        ++i;
      }
      longest = static_cast<unsigned long long>(std::cmp_less(farthest, 0) ? -farthest : farthest);
    });
    return longest;
  }

  /// Makes the product's numbers those of a file, in place. Returns how many say "no path".
  /// Throws: pleat::error if a length is the very number that stands for "no path".
  [[nodiscard]] std::size_t write(const npy_array& lengths) const {
    std::size_t without_path = 0;
    with_range([&]<class T>(const range<T>& known) {
      std::size_t i = 0;
      for (T& x : numbers_of<T>(lengths)) {
        if (x == known.no_path) {
          x = known.shown;
          ++without_path;
        } else if (x == known.shown) {
          throw error("a path of length " + std::to_string(x) + " ends at " + position(lengths, i) +
                      ", and --infinity says that the number is no path; choose another number");
        }
        ++i;
      }
    });
    return without_path;
  }

  /// Returns a warning if some of those `without_path` in the result `name` may be lengths that the
  /// type cannot hold; else nothing. `longest`: the sum of the longest of either input.
  [[nodiscard]] std::string doubt(const std::string& name, std::size_t without_path,
                                  unsigned long long longest) const {
    std::string text;
    with_range([&]<class T>(const range<T>& known) {
      if (without_path == 0 || std::cmp_less_equal(longest, detail::matmul::farthest<T>)) return;
      text = "of " + name + " " + readable_count(without_path) + " numbers are " +
             std::to_string(known.shown) + ", no path: that counts all lengths " +
             (is_min() ? "above " : "below ") +
             std::to_string(is_min() ? known.greatest : known.least) +
             "; convert the matrices to '" + wider() + "' to have them apart";
    });
    return text;
  }

 private:
  /// Numbers of one type.
  template <class T> struct range { T least, greatest, no_path, shown; };

  [[nodiscard]] bool is_min() const { return semiring_ == "min_plus"; }
  [[nodiscard]] bool has_no_path() const { return is_min() || semiring_ == "max_plus"; }
  template <class T> [[nodiscard]] range<T> range_of() const {
    constexpr T farthest = detail::matmul::farthest<T>;
    constexpr T unreachable = detail::matmul::unreachable<T>;
    constexpr T eighth = std::numeric_limits<T>::max() / 8;
    const T shorter = std::is_signed_v<T> ? static_cast<T>(-eighth) : T{0};
    auto result = is_min() ? range<T>{shorter, farthest, unreachable, unreachable}
                           : range<T>{static_cast<T>(-farthest), eighth,
                                      static_cast<T>(-unreachable), static_cast<T>(-unreachable)};
    if (infinity_) result.shown = parsed_infinity<T>(*infinity_);
    return result;
  }
  /// Calls f(range) if the numbers are integers among which one says "no path".
  template <class F> void with_range(const F& f) const {
    if (!has_no_path()) return;
    with_number(type_, [&]<class T>() {
      if constexpr (length_type<T>) f(range_of<T>());
    });
  }
  template <class T> static std::span<T> numbers_of(const npy_array& matrix) {
    return {reinterpret_cast<T*>(matrix.bytes().data()), matrix.bytes().size() / sizeof(T)};
  }
  /// Position in the matrix of the number with that index.
  static std::string position(const npy_array& matrix, std::size_t index) {
    const std::size_t columns = matrix.shape[1];
    return "[" + std::to_string(index / columns) + ", " + std::to_string(index % columns) + "]";
  }
  /// Name of a type in which the same numbers have room.
  [[nodiscard]] std::string wider() const {
    if (type_.bytes == 8) return "f8";
    return (type_.kind == number_kind::signed_integer ? "i" : "u") +
           std::to_string(2 * type_.bytes);
  }

  std::string semiring_;
  std::string descr_;
  number_type type_;
  std::optional<std::string> infinity_;
};

// Text about integers that say "no path".
constexpr const char* about_no_path =
    R"(Over min_plus and max_plus integers of M/4 and more, M the greatest number of their type, are
unreachable: matrices may hold lengths from -M/8 to M/4 (max_plus: -M/4 to M/8) and one number
that says "no path", in inputs and in the result. Floating-point matrices say np.inf.
Over max_min every number is a width; the type's least number, or -np.inf, says "no path".)";

struct matmul_run {
  std::string semiring = "plus_times";
  std::optional<std::string> infinity;
  program_run run;

  void operator()() const {
    const auto& inputs = run.inputs;
    if (inputs.size() != 2)
      throw usage_error("run matmul: give --input twice, for the left matrix and the right one");
    const auto a = run.read(0, {2});
    const auto b = run.read(1, {2});
    check_matrices(semiring, a, inputs[0], b, inputs[1]);
    const path_lengths lengths(semiring, a, infinity);
    unsigned long long longest = lengths.read(a, inputs[0]);
    longest += lengths.read(b, inputs[1]);
    const std::string done = "multiplied " + size_text(a) + " by " + size_text(b) + " ('" +
                             a.descr + "') over " + semiring;
    auto c = make_npy(a.descr, a.type, {a.shape[0], b.shape[1]}, &run.on());
    run.carry_out("matmul", c, done, [&](machine& on) {
      using arrays::typed_matrix;
      auto report = arrays::multiply_matrices(
          on, parse_semiring(semiring), a.type, typed_matrix::of(a.numbers()),
          typed_matrix::of(b.numbers()), typed_matrix::of(c.numbers()));
      const std::size_t without_path = lengths.write(c);
      const std::string doubt = lengths.doubt(run.output, without_path, longest);
      if (!doubt.empty()) warn(doubt);
      return report;
    });
  }
};

}  // namespace

void add_run_matmul(tool_command& command) {
  const auto matmul = std::make_shared<matmul_run>();
  auto program = command.add_subcommand("matmul", "Multiply two matrices over a semiring");
  program
      .add_option("--input", matmul->run.inputs,
                  "Twice: the left matrix, then the right one, in C order; - is standard input")
      .required()
      .type_name("F.npy");
  program.add_option("--semiring", matmul->semiring, semiring_names(), "S");
  program.add_option("--infinity", matmul->infinity,
                     "The integer that says \"no path\" over min_plus and max_plus, or max or min "
                     "(default: half the type's greatest number, of max_plus its negative)",
                     "V");
  matmul->run.add_to(program, "Where the product goes; may be an input");
  program.footer(std::string(R"(Examples:
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run matmul --input d.npy --input d.npy --output two_hops.npy --semiring min_plus
  pleat run matmul --input d.npy --input d.npy --output e.npy --semiring min_plus --infinity max
  pleat run matmul --input w.npy --input w.npy --output widest.npy --semiring max_min

)") + about_no_path);
  program.callback([matmul] { (*matmul)(); });
}

}  // namespace pleat::bench
