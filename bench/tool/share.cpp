// SPDX-License-Identifier: Apache-2.0
#include "share.hpp"

#include <charconv>
#include <string>
#include <system_error>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {

double parse_share(std::string_view text, std::string_view option, least_share least) {
  const bool percent = text.ends_with('%');
  const auto digits = text.substr(0, text.size() - (percent ? 1 : 0));
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, failure] = std::from_chars(digits.data(), last, value);
  const double share = value / (percent ? 100 : 1);
  const bool large_enough = least == least_share::zero ? share >= 0 : share > 0;
  if (failure != std::errc{} || end != last || !large_enough || !(share < 1))
    throw usage_error(std::string(option) + ": '" + std::string(text) + "' is no share " +
                      (least == least_share::zero ? "of 0% or more" : "above 0%") +
                      " and below 100%; write 2% or 0.02");
  return share;
}

}  // namespace pleat::bench
