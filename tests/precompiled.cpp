// SPDX-License-Identifier: Apache-2.0
// Compiles precompiled.hpp.
