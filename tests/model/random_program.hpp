// SPDX-License-Identifier: Apache-2.0
// Programs of everything the runtime has, in any order that never waits: messages, loans, channels,
// barriers, exceptions. Those of script.hpp have messages only, in supersteps that nest as the
// model's clusters do, which is what counts and routed programs are defined for.
#pragma once

#include <cstddef>

#include "program.hpp"
#include "random_rounds.hpp"

namespace model {

/// A random program of M(v) that comes to its end: made act by act in one order of events in which
/// no act has to wait, so that it can always be carried out. Labels and clusters, who sends what to
/// whom, who pushes and pops and who ends when are independent of each other.
/// `inside_clusters`: what is sent stays inside the next sync's cluster.
program random_program(std::size_t v, dice& random, bool inside_clusters);

/// Breaks it at a random place: an act is lost, done twice, too early, with another label or peer,
/// or replaced by an exception. It may come to its end all the same.
void break_somewhere(program& all, dice& random);

}  // namespace model
