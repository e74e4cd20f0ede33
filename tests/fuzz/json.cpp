// SPDX-License-Identifier: Apache-2.0
//
// Machine models and kept probes: what is taken can be reported.

#include <cmath>

#include "input.hpp"
#include "probe/probe_report.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat::bench;
  using pleat::fuzz::answers, pleat::fuzz::require;
  const auto text = pleat::fuzz::text_of(data, size);
  answers([&] {
    const auto model = parse_model(text, "fuzz.json");
    require(!model.g.empty() && model.g.size() == model.l.size() && !model.name.empty());
    for (std::size_t i = 0; i < model.g.size(); ++i)
      require(std::isfinite(model.g[i]) && model.g[i] > 0 && std::isfinite(model.l[i]) &&
              model.l[i] >= 0);
  });
  answers([&] {
    if (const auto document = parse_probe(text, "fuzz.json")) {
      const auto levels = probe_from(document->at("levels"));
      require(!levels.empty() && !probe_text(levels).empty());
      static_cast<void>(document->dump());
    }
  });
  return 0;
}
