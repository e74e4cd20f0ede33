// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/oblivious/fft_options.hpp>

#include "call.hpp"

namespace pleat::c {

[[nodiscard]] inline fft_direction direction_of(const char* caller, int direction) {
  return choice(caller, "direction", direction, fft_direction::inverse);
}
[[nodiscard]] inline fft_norm norm_of(const char* caller, int norm) {
  return choice(caller, "norm", norm, fft_norm::none);
}
[[nodiscard]] inline arrays::number_type real_type_of(const char* caller, pleat_type type) {
  return number_type_of(caller, type, {PLEAT_F32, PLEAT_F64}, "PLEAT_F32 or PLEAT_F64");
}
[[nodiscard]] inline arrays::number_type complex_type_of(const char* caller, pleat_type type) {
  return number_type_of(caller, type, {PLEAT_C64, PLEAT_C128}, "PLEAT_C64 or PLEAT_C128");
}

}  // namespace pleat::c
