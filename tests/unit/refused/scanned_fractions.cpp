// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/oblivious/scan.hpp>

void program(std::vector<double>& samples) { pleat::exclusive_scan(samples, samples, 0); }
