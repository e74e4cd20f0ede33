// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/machine.hpp>

inline pleat::machine strict_machine(unsigned processors) {
  return pleat::machine({.processors = processors, .strict = true});
}
