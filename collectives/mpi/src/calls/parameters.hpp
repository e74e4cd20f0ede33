// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>

namespace pleat::preloaded {

/// Type of parameter i of a function of the MPI.
template <std::size_t i, class... Types>
std::tuple_element_t<i, std::tuple<Types...>> parameter_of(int (*)(Types...));

}  // namespace pleat::preloaded

// Parameters a0, a1, … of a function that has those of another one:
//
//     int MPI_Test(PLEAT_PARAMETERS(3, PMPI_Test)) { return PMPI_Test(PLEAT_ARGUMENTS(3)); }
#define PLEAT_PARAMETER(own, i) decltype(pleat::preloaded::parameter_of<i>(own)) a##i
#define PLEAT_PARAMETERS(n, own) PLEAT_FIRST_##n(PLEAT_PARAMETER, own)
#define PLEAT_ARGUMENT(unused, i) a##i
#define PLEAT_ARGUMENTS(n) PLEAT_FIRST_##n(PLEAT_ARGUMENT, )

// List of EACH(x, 0), EACH(x, 1), … of so many.
#define PLEAT_FIRST_1(EACH, x) EACH(x, 0)
#define PLEAT_FIRST_2(EACH, x) PLEAT_FIRST_1(EACH, x), EACH(x, 1)
#define PLEAT_FIRST_3(EACH, x) PLEAT_FIRST_2(EACH, x), EACH(x, 2)
#define PLEAT_FIRST_4(EACH, x) PLEAT_FIRST_3(EACH, x), EACH(x, 3)
#define PLEAT_FIRST_5(EACH, x) PLEAT_FIRST_4(EACH, x), EACH(x, 4)
#define PLEAT_FIRST_6(EACH, x) PLEAT_FIRST_5(EACH, x), EACH(x, 5)
#define PLEAT_FIRST_7(EACH, x) PLEAT_FIRST_6(EACH, x), EACH(x, 6)
#define PLEAT_FIRST_8(EACH, x) PLEAT_FIRST_7(EACH, x), EACH(x, 7)
#define PLEAT_FIRST_9(EACH, x) PLEAT_FIRST_8(EACH, x), EACH(x, 8)
#define PLEAT_FIRST_10(EACH, x) PLEAT_FIRST_9(EACH, x), EACH(x, 9)
#define PLEAT_FIRST_11(EACH, x) PLEAT_FIRST_10(EACH, x), EACH(x, 10)
#define PLEAT_FIRST_12(EACH, x) PLEAT_FIRST_11(EACH, x), EACH(x, 11)
