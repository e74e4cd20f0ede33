// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// The sum, by a program on the default machine that other sources have too.
long sum_of(const std::vector<int>& numbers);
