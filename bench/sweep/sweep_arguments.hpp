// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>

#include "sweep.hpp"
#include "sweep_axes.hpp"
#include "sweep_outputs.hpp"

namespace pleat::bench {

/// Arguments of a sweep on the command line, as they were written.
struct sweep_arguments {
  sweep_axes axes;
  std::string repetitions, precision = "2%", time_limit = "5", seconds = "0.01", seed = "1",
                           rank_timeout = "300";
  std::optional<std::string> rivals;  // given without a value: all
  output_names outputs;

  friend bool operator==(const sweep_arguments&, const sweep_arguments&) = default;
};

/// Options as fields_json.hpp has them, each under the name of its option: what a journal keeps.
template <class Arguments, class F>
void each_field(Arguments& chosen,
                const F& f) requires std::same_as<std::remove_const_t<Arguments>, sweep_arguments> {
  each_field(chosen.axes, f);
  f("repetitions", chosen.repetitions);
  f("precision", chosen.precision);
  f("time_limit", chosen.time_limit);
  f("min_time", chosen.seconds);
  f("seed", chosen.seed);
  f("rank_timeout", chosen.rank_timeout);
  f("rivals", chosen.rivals);
  each_field(chosen.outputs, f);
}

/// Settings but the rivals, which depend on the cases. Throws: pleat::usage_error naming the option
/// that makes no sense.
[[nodiscard]] sweep_settings settings_of(const sweep_arguments& chosen);

}  // namespace pleat::bench
