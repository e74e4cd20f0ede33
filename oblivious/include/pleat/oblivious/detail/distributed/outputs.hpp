// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <pleat/oblivious/detail/distributed/declared.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// Throws usage_error, for collective_call::check, if `out` is not of this machine or does not have
/// a place for each element of `in`.
template <class T, class U>
void require_output(const machine& on, const char* name, const distributed<T>& in,
                    const distributed<U>& out) {
  out.require_machine(on, name);
  if (in.size() == out.size()) return;
  throw usage_error(std::string(name) + ": an output of " + std::to_string(out.size()) +
                    " elements for " + std::to_string(in.size()) + "; make it as long");
}

/// Throws in the same way if data that are read together do not fit.
template <class A, class B>
void require_partner(const machine& on, const char* name, const distributed<A>& a,
                     const distributed<B>& b) {
  b.require_machine(on, name);
  if (a.size() == b.size()) return;
  throw usage_error(std::string(name) + ": " + std::to_string(a.size()) + " elements with " +
                    std::to_string(b.size()) + " others; give it as many of both");
}

}  // namespace pleat::detail::distribution
