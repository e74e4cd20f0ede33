// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "arrays/fft_numbers.hpp"
#include "tool/npy.hpp"
#include "tool/program_run.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

using arrays::fft_kind;

/// Descr of a type, in the byte order of another array.
std::string descr_like(const npy_contents& other, const number_type& type) {
  const auto order = other.descr.substr(0, other.descr.find_first_not_of("<>=|"));
  return order + descr_of(type);
}

/// Names of the transforms: `fft, ifft, rfft, irfft, fft2, ifft2`.
std::string fft_kind_names() { return names_of(arrays::fft_kind_names); }

/// Parses the name of a transform. Throws: pleat::usage_error that names all transforms.
fft_kind parse_fft_kind(const std::string& name) {
  return static_cast<fft_kind>(place_of(name, "--transform", arrays::fft_kind_names));
}

/// Dimensions of the input: `least` is two for fft2 and ifft2, else one. `most` is not used.
npy_dimensions dimensions_of(fft_kind kind) {
  if (kind == fft_kind::fft2 || kind == fft_kind::ifft2) return {2, 2};
  return {1, 2};
}

/// Describes the result of the transform, of the same precision. rfft makes n/2 + 1 numbers of a
/// row of n; irfft makes 2(m − 1) numbers of a row of m, as NumPy does by default.
/// Throws: pleat::error for numbers that the kind does not transform, and for irfft of rows of one.
npy_contents spectrum_of(fft_kind kind, const npy_contents& from, const std::string& name) {
  const bool real = kind == fft_kind::rfft;
  if (!arrays::transforms(kind, from.type)) {
    const bool complex = from.type.kind == number_kind::complex;
    throw error(name + " holds '" + from.descr + "', which " +
                std::string(arrays::fft_kind_names[static_cast<std::size_t>(kind)]) +
                " does not transform; convert it with " +
                numpy_save(name, numpy_load(name) + (real && complex ? ".real" : "") + ".astype('" +
                                     (real ? "f8" : "c16") + "')") +
                (real && complex ? ", or take --transform fft" : ""));
  }
  std::vector<std::size_t> shape = from.shape;
  if (real) {
    shape.back() = shape.back() == 0 ? 0 : shape.back() / 2 + 1;
  } else if (kind == fft_kind::irfft) {
    if (shape.back() == 1)
      throw error(name +
                  " has one number a row, the spectrum of no even number of real ones; "
                  "transform longer rows");
    shape.back() = shape.back() == 0 ? 0 : 2 * (shape.back() - 1);
  }
  const number_type type = arrays::spectrum_type(kind, from.type);
  return {descr_like(from, type), type, std::move(shape), 0, 0};
}

struct fft_run {
  std::string transform = "fft";
  std::string axis = "-1";
  program_run run;

  // Converts the numbers to a type that the transform takes, moves the axis last, and transforms.
  void operator()() const {
    const fft_kind kind = parse_fft_kind(transform);
    const bool matrix = dimensions_of(kind).least == 2;
    auto from = run.read(0, {dimensions_of(kind).least, any_number});
    const std::size_t last = from.shape.size() - 1;
    const std::size_t along = parse_axis(axis, from, run.input());
    if (matrix && along != last)
      throw usage_error("--axis: " + transform + " transforms the last two; leave it out");
    const std::string done =
        transform + " of " + size_text(from) + " numbers ('" + from.descr + "')";
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
      auto report =
          arrays::transform_numbers(transform.c_str(), on, kind, from.numbers(), rows.numbers());
      if (along != last) put_back(rows, along, moved);
      return report;
    });
  }
};

}  // namespace

void add_run_fft(tool_command& command) {
  const auto fft = std::make_shared<fft_run>();
  auto program = command.add_subcommand("fft", "Fourier transforms, as numpy.fft's");
  fft->run.add_input(program, "The array: any numeric dtype but long double");
  program.add_option("--transform", fft->transform,
                     fft_kind_names() + ": of a whole matrix if it ends in 2, else of each row",
                     "T");
  program.add_option("--axis", fft->axis, "Transform along this axis; -1 is the last one", "N");
  fft->run.add_to(program, "Where the result goes; may be the input");
  program.footer(R"(Examples:
  pleat run fft --input signal.npy --output spectrum.npy
  pleat run fft --input spectrum.npy --output signal.npy --transform ifft
  pleat run fft --input sound.npy --output spectrum.npy --transform rfft
  pleat run fft --input image.npy --output waves.npy --transform fft2)");
  program.callback([fft] { (*fft)(); });
}

}  // namespace pleat::bench
