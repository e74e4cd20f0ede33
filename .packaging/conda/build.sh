#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Build script of recipe.yaml: CMAKE_ARGS, PREFIX and SRC_DIR are conda's.
set -euo pipefail

# shellcheck disable=SC2086  # CMAKE_ARGS are words
cmake -G Ninja -S "$SRC_DIR" -B build ${CMAKE_ARGS:-} \
  -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_INSTALL_PREFIX="$PREFIX" \
  -D CMAKE_INSTALL_LIBDIR=lib \
  -D CMAKE_PREFIX_PATH="$PREFIX" \
  -D BUILD_SHARED_LIBS=ON \
  -D PLEAT_BUILD_TOOL=OFF \
  -D PLEAT_BUILD_TESTS=OFF \
  -D PLEAT_BUILD_EXAMPLES=OFF \
  -D PLEAT_BUILD_C=OFF \
  -D PLEAT_MPI=OFF
cmake --build build --parallel "${CPU_COUNT:-2}"
cmake --install build
