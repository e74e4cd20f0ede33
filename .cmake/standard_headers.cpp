// SPDX-License-Identifier: Apache-2.0
// What standard_headers.hpp is compiled with.
