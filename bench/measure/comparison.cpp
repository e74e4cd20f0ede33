// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include "evidence/rivals/rivals.hpp"

namespace pleat::bench {

void comparison::add_rival(const benchmark_options& options, std::string_view rival,
                           const std::function<candidate()>& make, bool by_default) {
  if (!options.wants(rival, by_default)) return;
  if (!rival_named(rival).linked) {
    missing.emplace_back(rival);
    return;
  }
  rivals.push_back(make());
  rivals.back().name = rival;
}

}  // namespace pleat::bench
