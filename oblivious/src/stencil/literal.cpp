// SPDX-License-Identifier: Apache-2.0
#include <pleat/oblivious/detail/stencil/literal.hpp>

namespace pleat::detail::diamonds {

#define PLEAT_IN_DIMENSIONS(Bytes)          \
  template class literal_stencil<1, Bytes>; \
  template class literal_stencil<2, Bytes>; \
  template class literal_stencil<3, Bytes>;
PLEAT_IN_DIMENSIONS(1)
PLEAT_IN_DIMENSIONS(4)
PLEAT_IN_DIMENSIONS(8)
#undef PLEAT_IN_DIMENSIONS

}  // namespace pleat::detail::diamonds
