// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <pleat/runtime/error.hpp>

#include "fft_arguments.hpp"
#include "fft_result.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct fft_run {
  fft_arguments asked;
  std::string axis = "-1";
  program_run run;

  // Numbers that are not the transform's, as real ones, are converted; so is another axis moved.
  void operator()() const {
    const fft_kind kind = parse_fft_kind(asked.transform);
    const bool matrix = dimensions_of(kind).least == 2;
    auto from = run.read(0, {dimensions_of(kind).least, any_number});
    const std::size_t last = from.shape.size() - 1;
    const std::size_t along = parse_axis(axis, from, run.input());
    if (matrix && along != last)
      throw usage_error("--axis: " + asked.transform + " transforms the last two; leave it out");
    const std::string done = asked.done(from);
    const auto type = arrays::transformed_type(kind, from.type);
    if (type && (*type != from.type || along != last))
      from = with_last(from, along, *type, &run.on());
    const npy_contents spectrum = spectrum_of(kind, from, run.input());
    auto rows = make_npy(spectrum.descr, spectrum.type, spectrum.shape, &run.on());
    auto shape = spectrum.shape;
    std::rotate(shape.begin() + static_cast<std::ptrdiff_t>(along), shape.end() - 1, shape.end());
    const auto moved = along == last
                           ? npy_array{}
                           : make_npy(spectrum.descr, spectrum.type, std::move(shape), &run.on());
    run.carry_out("fft", along == last ? rows : moved, done, [&](machine& on) {
      auto report = arrays::transform_numbers(asked.transform.c_str(), on, kind, from.numbers(),
                                              rows.numbers());
      if (along != last) put_back(rows, along, moved);
      return report;
    });
  }
};

}  // namespace

void add_run_fft(tool_command& command) {
  const auto fft = std::make_shared<fft_run>();
  auto program = command.add_subcommand("fft", fft_arguments::help);
  fft->run.add_input(program, "The array: any numeric dtype but long double");
  fft->asked.add_to(program, fft_kind_names());
  program.add_option("--axis", fft->axis, "Transform along this axis; -1 is the last one")
      .type_name("N")
      .capture_default_str();
  fft->run.add_to(program, fft_arguments::output_help);
  program.footer(R"(Examples:
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run fft --input spectrum.npy --output signal.npy --transform ifft
  pleat run fft --input sound.npy --output spectrum.npy --transform rfft
  pleat run fft --input image.npy --output waves.npy --transform fft2)");
  program.callback([fft] { (*fft)(); });
}

}  // namespace pleat::bench
