// SPDX-License-Identifier: Apache-2.0
//
// Calls that cannot work: -D CASE=… chooses one.
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
#if CASE == 1
  pleat::sort(numbers, on);
#elif CASE == 2
  pleat::sort(on, constants);
#elif CASE == 3
  pleat::for_each(numbers, on, [](int) {});
#elif CASE == 4
  pleat::for_each(on, numbers, of_strings);
#elif CASE == 5
  pleat::for_each(list, [](int) {});
#elif CASE == 6
  pleat::for_each_index(on, 10, of_strings);
#elif CASE == 7
  pleat::transform(on, numbers, numbers, of_strings);
#elif CASE == 8
  pleat::transform(on, numbers, numbers, [](int) { return std::string(); });
#elif CASE == 9
  pleat::transform(on, constants, constants, [](int x) { return x; });
#elif CASE == 10
  const int sum = pleat::reduce(on, numbers, 0, of_strings);
#elif CASE == 11
  const int sum = pleat::reduce(on, fractions, 0);
#elif CASE == 12
  const auto sum = pleat::reduce(sizes.begin(), sizes.end(), 0);
#elif CASE == 25
  pleat::stencil(on, plate, [](const auto& u) { return u(0, 0); });
#elif CASE == 19
  const int sum = pleat::reduce(on, numbers);
#elif CASE == 20
  pleat::sort(on, numbers, {}, &other::member);
#elif CASE == 21
  pleat::nth_element(on, numbers, numbers.begin());
#elif CASE == 22
  pleat::sort_by_key(on, list, numbers);
#elif CASE == 23
  pleat::inclusive_scan(on, numbers);
#elif CASE == 24
  pleat::exclusive_scan(on, numbers, 0);
#elif CASE == 13
  pleat::fft(on, numbers);
#elif CASE == 14
  const pleat::run_report report = pleat::rfft(numbers, spectrum);
#elif CASE == 15
  pleat::matmul(on, floats, doubles, doubles);
#elif CASE == 16
  pleat::matmul<pleat::min_plus>(doubles, doubles, on);
#elif CASE == 17
  pleat::stencil(on, plate, 10, [](const auto&) { return std::string(); });
#elif CASE == 18
  pleat::stencil(plate, 10, [](double x) { return x; });
#endif
}
