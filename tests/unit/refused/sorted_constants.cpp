// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/oblivious/sort.hpp>

void sorted(const std::vector<int>& values) { pleat::sort(values); }
