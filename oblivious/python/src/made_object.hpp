// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <string>

namespace pleat::python {

/// Refuses objects that `T.__new__(T)` has made and nobody has initialised: pybind11 would hand
/// over memory in which there is no T. Throws: TypeError.
template <class T> class made_object_caster : public pybind11::detail::type_caster_base<T> {
 public:
  bool load(pybind11::handle from, bool convert) {
    if (pybind11::isinstance<T>(from)) {
      auto* const object = reinterpret_cast<pybind11::detail::instance*>(from.ptr());
      if (!object->get_value_and_holder().holder_constructed())
        throw pybind11::type_error("pleat: this object has not been made by its class; call " +
                                   std::string(pybind11::str(pybind11::type::of(from))) + "(…)");
    }
    return pybind11::detail::type_caster_base<T>::load(from, convert);
  }
};

}  // namespace pleat::python
