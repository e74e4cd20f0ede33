// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "fft_arguments.hpp"
#include "fft_result.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct fft_run {
  fft_arguments asked;
  program_run run;

  void operator()() const {
    const fft_kind kind = parse_fft_kind(asked.transform);
    const auto from = run.read(0, dimensions_of(kind));
    const npy_contents result = spectrum_of(kind, from, run.input());
    auto to = make_npy(result.descr, result.type, result.shape, &run.on());
    run.carry_out("fft", to, asked.done(from), [&](machine& on) {
      return arrays::transform_numbers(on, kind, from.numbers(), to.numbers());
    });
  }
};

}  // namespace

void add_run_fft(tool_command& command) {
  const auto fft = std::make_shared<fft_run>();
  auto program = command.add_subcommand("fft", fft_arguments::help);
  fft->run.add_input(program, "The array, c8 or c16 (rfft: f4 or f8), of one dimension or two");
  fft->asked.add_to(program, fft_kind_names());
  fft->run.add_to(program, fft_arguments::output_help);
  program.footer(R"(Examples:
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run fft --input spectrum.npy --output signal.npy --transform ifft
  pleat run fft --input sound.npy --output spectrum.npy --transform rfft
  pleat run fft --input image.npy --output waves.npy --transform fft2)");
  program.callback([fft] { (*fft)(); });
}

}  // namespace pleat::bench
