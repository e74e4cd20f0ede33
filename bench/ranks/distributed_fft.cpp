// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <pleat/runtime/error.hpp>

#include "distributed_run.hpp"
#include "fft/fft_arguments.hpp"
#include "fft/fft_result.hpp"
#include "tool/names.hpp"

namespace pleat::bench {
namespace {

// Transforms whose result takes the place of its input.
constexpr std::array kinds{fft_kind::fft, fft_kind::ifft, fft_kind::fft2, fft_kind::ifft2};

std::string kind_names() {
  return names_of(
      kinds, [](fft_kind one) { return arrays::fft_kind_names[static_cast<std::size_t>(one)]; });
}

struct distributed_fft {
  fft_arguments asked;
  distributed_arguments files;

  void operator()(const rank_group& all) const {
    const fft_kind kind = parse_fft_kind(asked.transform);
    if (std::ranges::find(kinds, kind) == kinds.end())
      throw usage_error("--transform: there is no '" + asked.transform +
                        "' over ranks; known: " + kind_names());
    distributed_run run(all, files, dimensions_of(kind));
    const npy_contents& from = run.input();
    const npy_contents to = spectrum_of(kind, from, files.input());
    run.begin(to.descr, to.type, to.shape);
    arrays::transform_distributed_numbers(run.on(), kind, from.type, from.shape, run.reader(),
                                          run.writer());
    run.finish(asked.done(from));
  }
};

}  // namespace

void add_distributed_fft(tool_command& command, chosen_run& chosen) {
  const auto fft = std::make_shared<distributed_fft>();
  auto program = command.add_subcommand("fft", fft_arguments::help);
  fft->files.add_input(program, "The array, c8 or c16, of one dimension or two");
  fft->files.add_to(program, fft_arguments::output_help);
  fft->asked.add_to(program, kind_names());
  program.callback([fft, &chosen] { chosen = *fft; });
}

}  // namespace pleat::bench
