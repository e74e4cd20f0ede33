// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "fft_result.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct fft_run {
  std::string transform = "fft";
  program_run run;

  void operator()() const {
    const fft_kind kind = parse_fft_kind(transform);
    const auto from = run.read(0, dimensions_of(kind));
    auto to = spectrum_of(kind, from, run.input(), &run.on());
    run.carry_out("fft", to,
                  transform + " of " + size_text(from) + " numbers ('" + from.descr + "')",
                  [&](machine& on) {
                    return arrays::transform_numbers(on, kind, from.numbers(), to.numbers());
                  });
  }
};

}  // namespace

void add_run_fft(tool_command& command) {
  const auto fft = std::make_shared<fft_run>();
  auto program = command.add_subcommand("fft", "Fourier transforms, as numpy.fft's");
  fft->run.add_input(program, "The array, c8 or c16 (rfft: f4 or f8), of one dimension or two");
  program
      .add_option("--transform", fft->transform,
                  fft_kind_names() + ": of a whole matrix if it ends in 2, else of each row")
      .type_name("T")
      .capture_default_str();
  fft->run.add_to(program, "Where the result goes; may be the input");
  program.footer(R"(Examples:
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run fft --input spectrum.npy --output signal.npy --transform ifft
  pleat run fft --input sound.npy --output spectrum.npy --transform rfft
  pleat run fft --input image.npy --output waves.npy --transform fft2)");
  program.callback([fft] { (*fft)(); });
}

}  // namespace pleat::bench
