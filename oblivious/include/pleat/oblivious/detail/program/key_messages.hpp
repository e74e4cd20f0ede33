// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <pleat/runtime/message.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Keys on their way: also those, like std::pair, that may be copied as bytes but do not say so.
template <class Key> struct alignas(Key) key_bytes { std::byte data[sizeof(Key)]; };

template <class Key> const key_bytes<Key>& bytes_of(const Key& key) noexcept {
  return reinterpret_cast<const key_bytes<Key>&>(key);
}

template <class Key> void send_keys(vp& me, std::size_t q, std::span<const key_bytes<Key>> keys) {
  if (keys.size() == 1)
    me.send(q, keys.front());
  else
    me.send(q, keys);
}
template <class Key> void send_keys(vp& me, std::size_t q, std::span<const Key> keys) {
  detail::send_keys<Key>(
      me, q, std::span(reinterpret_cast<const key_bytes<Key>*>(keys.data()), keys.size()));
}
template <class Key> std::span<const Key> received_keys(const message& m) {
  const auto bytes = m.span<key_bytes<Key>>();
  return {reinterpret_cast<const Key*>(bytes.data()), bytes.size()};
}

}  // namespace pleat::detail
