// SPDX-License-Identifier: Apache-2.0
#pragma once

// The programs for distributed data; see declared.hpp.
#include <pleat/oblivious/detail/distributed/chain_merge.hpp>
#include <pleat/oblivious/detail/distributed/in_parts.hpp>
#include <pleat/oblivious/detail/distributed/merge_program.hpp>
#include <pleat/oblivious/detail/distributed/new_block.hpp>
#include <pleat/oblivious/detail/distributed/outputs.hpp>
#include <pleat/oblivious/detail/distributed/rearrange_blocks.hpp>
#include <pleat/oblivious/detail/distributed/select_elements.hpp>
#include <pleat/oblivious/detail/distributed/selection_program.hpp>
#include <pleat/oblivious/detail/distributed/sort_blocks.hpp>
#include <pleat/oblivious/detail/distributed/sum_blocks.hpp>
