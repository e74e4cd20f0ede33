// SPDX-License-Identifier: Apache-2.0
//
// Calls that cannot work, of functions that say why in a line: the comment above each matches it.
#include <complex>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/for_each.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/nth_element.hpp>
#include <pleat/oblivious/reduce.hpp>
#include <pleat/oblivious/rfft.hpp>
#include <pleat/oblivious/scan.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/sort_by_key.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/oblivious/transform.hpp>

extern pleat::machine on;
extern std::vector<int> numbers;
extern const std::vector<int> constants;
extern std::vector<double> fractions;
extern std::vector<std::size_t> sizes;
extern std::list<int> list;
extern std::vector<std::complex<double>> spectrum;
extern pleat::strided_view<double> doubles;
extern pleat::strided_view<const float> floats;
extern pleat::grid_view<double, 2> plate;

inline constexpr auto of_strings = [](const std::string& s) { return s; };

struct other {
  int member;
};
static_assert(std::is_invocable_v<decltype(pleat::sort), std::vector<int>&>);
static_assert(!std::is_invocable_v<decltype(pleat::sort), std::list<int>&>);

void program() {
  // sorting::refusal::the_machine_comes_first
  pleat::sort(numbers, on);
  // the_elements_are_const_or_made_by_a_view
  pleat::sort(on, constants);
  // the_projection_cannot_be_called_with_an_element
  pleat::sort(on, numbers, {}, &other::member);
  // nth_element: give .* the index of one as a number
  pleat::nth_element(on, numbers, numbers.begin());
  // sort_by_key: give .* copy others into a std::vector
  pleat::sort_by_key(on, list, numbers);
  // inclusive_scan: give .* one of places for the results
  pleat::inclusive_scan(on, numbers);
  // exclusive_scan: give .* an initial value
  pleat::exclusive_scan(on, numbers, 0);
  // for_each: the machine comes first
  pleat::for_each(numbers, on, [](int) {});
  // for_each: f must be callable with an element
  pleat::for_each(on, numbers, of_strings);
  // for_each: give a divisible_range
  pleat::for_each(list, [](int) {});
  // for_each_index: give .* f that is callable with one
  pleat::for_each_index(on, 10, of_strings);
  // transform: f must be callable with an element
  pleat::transform(on, numbers, numbers, of_strings);
  // transform: the results of f must be of a type that can be written
  pleat::transform(on, numbers, numbers, [](int) { return std::string(); });
  // transform: the results of f must be of a type that can be written
  pleat::transform(on, constants, constants, [](int x) { return x; });
  // reduce: op must be callable with two values of the type of the initial
  (void)pleat::reduce(on, numbers, 0, of_strings);
  // reduce: .* cannot hold the elements.* begin with 0.0
  (void)pleat::reduce(on, fractions, 0);
  // reduce: .* can hold the elements, such as 0.0, or a 0 of their type
  (void)pleat::reduce(sizes.begin(), sizes.end(), 0);
  // reduce: the initial value is missing
  (void)pleat::reduce(on, numbers);
  // fft: give .* of std::complex<float> or std::complex<double>
  pleat::fft(on, numbers);
  // rfft: give a contiguous range of float or double
  (void)pleat::rfft(numbers, spectrum);
  // matmul: give .* of one type of elements
  pleat::matmul(on, floats, doubles, doubles);
  // matmul: the machine comes first
  pleat::matmul<pleat::min_plus>(doubles, doubles, on);
  // stencil: give .* the number of steps
  pleat::stencil(on, plate, [](const auto& u) { return u(0, 0); });
  // stencil: the kernel .* give what can be converted to the type of the cells
  pleat::stencil(on, plate, 10, [](const auto&) { return std::string(); });
  // stencil: the kernel must be callable with a cell
  pleat::stencil(plate, 10, [](double x) { return x; });
}
