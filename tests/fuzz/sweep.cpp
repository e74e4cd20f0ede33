// SPDX-License-Identifier: Apache-2.0
//
// What `pleat report` reads, of every command: what is taken can be put into a page, and sweeps can
// be shown and compared.

#include <nlohmann/json.hpp>

#include "input.hpp"
#include "report/json_file.hpp"
#include "report/report_document.hpp"
#include "report/sweep_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pleat::bench;
  using pleat::fuzz::answers, pleat::fuzz::require;
  const auto text = pleat::fuzz::text_of(data, size);
  answers([&] {
    const auto document = document_from(json_from(text, "fuzz.json"), "fuzz.json");
    static_cast<void>(
        document.content.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    if (document.kind != document_kind::sweep) return;
    const auto sweep = sweep_from(document.content, document.file);
    static_cast<void>(scaling_text(sweep));
    const auto comparison = compare_sweeps(sweep, sweep);
    require(!comparison_text(comparison).empty());
    static_cast<void>(comparison_json(comparison).dump());
    for (const auto& one : comparison.cases) {
      require(one.judged.what == verdict::same || one.judged.what == verdict::undecided);
      require(one.judged.p_different >= 0 && one.judged.p_different <= 1);
    }
  });
  return 0;
}
