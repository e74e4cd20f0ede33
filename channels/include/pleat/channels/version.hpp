// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of every component: the build system, the packages and the tool read it here.
#define PLEAT_VERSION "0.9.0"
