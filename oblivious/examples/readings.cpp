// SPDX-License-Identifier: Apache-2.0
//
// A year of hourly readings of a gauge: the first that is missing, those that are there, the
// greatest of them, and the last first.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

#include <pleat/oblivious/copy_if.hpp>
#include <pleat/oblivious/rearrange.hpp>
#include <pleat/oblivious/search.hpp>

int main() {
  std::vector<double> readings(8760);
  for (std::size_t i = 0; i < readings.size(); ++i)
    readings[i] = i % 1000 == 700 ? std::nan("") : std::sin(static_cast<double>(i));
  const auto missing = [](double x) { return std::isnan(x); };

  const auto first = pleat::find_if(readings, missing) - readings.begin();
  std::cout << "no reading in hour " << first << '\n';

  std::vector<double> valid(readings.size());
  valid.erase(pleat::copy_if(readings, valid, [&](double x) { return !missing(x); }), valid.end());
  const auto greatest = pleat::max_element(valid);
  std::cout << valid.size() << " readings, up to " << *greatest << '\n';

  pleat::rotate(readings, 24);  // begins a day later
  pleat::reverse(valid);
  return first == 700 && valid.size() == 8751 && *greatest <= 1 && valid.back() == 0 &&
                 !pleat::equal(valid, readings)
             ? 0
             : 1;
}
