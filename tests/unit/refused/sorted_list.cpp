// SPDX-License-Identifier: Apache-2.0
#include <list>

#include <pleat/oblivious/sort.hpp>

void sorted(pleat::machine& on, std::list<int>& values) { pleat::sort(on, values); }
