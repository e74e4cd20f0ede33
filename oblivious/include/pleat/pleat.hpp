// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All of Pleat.

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/cache_aligned_allocator.hpp>
#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/channel.hpp>
#include <pleat/channels/channel_status.hpp>
#include <pleat/channels/error.hpp>
#include <pleat/channels/slot.hpp>
#include <pleat/channels/version.hpp>
#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/collectives/concatenation_schedule.hpp>
#include <pleat/collectives/index_schedule.hpp>
#include <pleat/collectives/tree_gather.hpp>
#include <pleat/collectives/tree_scatter.hpp>
#include <pleat/oblivious/bitonic.hpp>
#include <pleat/oblivious/broadcast.hpp>
#include <pleat/oblivious/elements.hpp>
#include <pleat/oblivious/prefix.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/barrier.hpp>
#include <pleat/runtime/cluster_tree.hpp>
#include <pleat/runtime/cost_trace.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/evaluate.hpp>
#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/machine_model.hpp>
#include <pleat/runtime/message.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/probe.hpp>
#include <pleat/runtime/quota.hpp>
#include <pleat/runtime/routing.hpp>
#include <pleat/runtime/run_report.hpp>
#include <pleat/runtime/segment.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/topology.hpp>
#include <pleat/runtime/view.hpp>
#include <pleat/runtime/vp.hpp>
#include <pleat/runtime/wait_policy.hpp>
