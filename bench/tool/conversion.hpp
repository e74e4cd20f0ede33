// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pleat::bench {

/// `np.load('keys.npy')`: the array of that file, as advice names it.
[[nodiscard]] std::string numpy_load(std::string_view name, std::string_view options = {});

/// `np.save('keys_converted.npy', EXPRESSION)`: the call that saves what an expression makes of a
/// file's array. Every error that advises a conversion gets it from here: the new file's name is
/// one that no file has yet, so following the advice loses nothing.
[[nodiscard]] std::string numpy_save(std::string_view name, const std::string& expression);

}  // namespace pleat::bench
