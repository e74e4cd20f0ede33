// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/json_file.hpp"
#include "sweep_report.hpp"

namespace pleat::bench {

// Source of the format: Extra-P 4, documentation of its file formats, JSON Lines.
std::string sweep_extra_p(std::span<const sweep_result> results) {
  std::string text;
  for (const auto& result : results) {
    const auto& at = result.at;
    for (const auto& one : result.libraries) {
      std::string name = one.library + "->" + at.program + "->" + at.type + " " + at.distribution +
                         "->" + at.place;
      for (const auto& part : {at.memory, at.pages, at.wait}) name += "->" + part;
      if (at.per_processor != 0) name += "->weak";
      if (at.ranks)
        name += "->" + at.mpi.value_or("") + " " + std::to_string(at.processors_of_rank());
      nlohmann::ordered_json line{{"params", {{"p", at.processors}, {"n", at.n}}},
                                  {"callpath", name},
                                  {"metric", "time"},
                                  {"value", nlohmann::ordered_json::array()}};
      for (const auto& taken : one.samples) line["value"].push_back(taken.seconds);
      text += json_text(line) + "\n";
    }
  }
  return text;
}

}  // namespace pleat::bench
