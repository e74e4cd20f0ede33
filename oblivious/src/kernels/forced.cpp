// SPDX-License-Identifier: Apache-2.0
#include "kernels/forced.hpp"

#include <algorithm>

#include <pleat/channels/error.hpp>

namespace pleat::detail::kernels {
namespace {

/// Tells whether the name stands for this work: its own, or what is before the type.
bool stands_for(std::string_view name, std::string_view work) {
  return work == name || (work.starts_with(name) && work.substr(name.size()).starts_with('-') &&
                          work.find('-', name.size() + 1) == std::string_view::npos);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

void check(const std::string& work, const std::string& kernel, std::span<const names_of_work> all) {
  std::vector<std::string> works;
  std::vector<std::string> kernels;
  for (const names_of_work& names : all) {
    works.push_back(names.work);
    if (!stands_for(work, names.work)) continue;
    for (const std::string& k : names.kernels)
      if (std::ranges::find(kernels, k) == kernels.end()) kernels.push_back(k);
  }
  if (kernels.empty())
    throw usage_error("no choice is called \"" + work + "\": choose " + listed(works));
  if (std::ranges::find(kernels, kernel) == kernels.end())
    throw usage_error("\"" + kernel + "\" cannot do " + work + " here: choose " + listed(kernels));
}

}  // namespace

forced_kernels::forced_kernels(std::string_view text, std::span<const names_of_work> all) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw usage_error("\"" + std::string(item) +
                        "\" forces nothing: write work=kernel, with commas between them");
    pair forced{std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))};
    check(forced.work, forced.kernel, all);
    pairs_.push_back(std::move(forced));
  }
}

std::optional<std::size_t> forced_kernels::kernel_of(const names_of_work& names) const {
  for (auto last = pairs_.rbegin(); last != pairs_.rend(); ++last) {
    if (!stands_for(last->work, names.work)) continue;
    const auto found = std::ranges::find(names.kernels, last->kernel);
    if (found != names.kernels.end())
      return static_cast<std::size_t>(found - names.kernels.begin());
  }
  return std::nullopt;
}

}  // namespace pleat::detail::kernels
