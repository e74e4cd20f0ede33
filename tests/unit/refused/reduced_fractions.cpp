// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <pleat/oblivious/reduce.hpp>

void program(std::vector<double>& samples) { (void)pleat::reduce(samples, 0); }
