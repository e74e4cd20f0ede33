// SPDX-License-Identifier: Apache-2.0
#include <pleat/runtime/detail/abi.hpp>

extern "C" const char PLEAT_CONTAINERS = 0;
