// SPDX-License-Identifier: Apache-2.0
// Has precompiled.hpp compiled.
