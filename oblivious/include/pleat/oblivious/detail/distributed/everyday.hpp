// SPDX-License-Identifier: Apache-2.0
#pragma once

// The programs of everyday functions for distributed data; see declared.hpp.
#include <pleat/oblivious/detail/distributed/new_block.hpp>
#include <pleat/oblivious/detail/distributed/outputs.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/distributed/select_elements.hpp>
#include <pleat/oblivious/detail/distributed/sum_blocks.hpp>
