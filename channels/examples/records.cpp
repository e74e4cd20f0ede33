// SPDX-License-Identifier: Apache-2.0
// Values of any type, one behind the other in a buffer, as a program would write them to a socket.
// The concepts that Pleat's own messages use keep out what does not survive that: pointers,
// strings.
#include <array>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pleat/channels/byte_copyable.hpp>
#include <pleat/channels/error.hpp>
#include <pleat/channels/refers.hpp>
#include <pleat/channels/version.hpp>

namespace {

template <class T>
concept sendable = pleat::byte_copyable<T> && !pleat::refers_to_memory<T>;

static_assert(sendable<std::pair<int, double>>);
static_assert(!sendable<std::string>);     // its characters are elsewhere
static_assert(!sendable<std::span<int>>);  // so are its elements

class record_writer {
 public:
  template <sendable T> void put(const T& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class record_reader {
 public:
  explicit record_reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <sendable T> T get() {
    if (rest_.size() < sizeof(T))
      throw pleat::usage_error("the record ends after " + std::to_string(rest_.size()) +
                               " more bytes; a value of " + std::to_string(sizeof(T)) +
                               " was asked for");
    T value;
    std::memcpy(static_cast<void*>(&value), rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

int main() {
  record_writer writer;
  writer.put(std::array<char, 8>{'r', 'e', 'a', 'd', 'i', 'n', 'g', 's'});
  writer.put(std::pair(7, 21.5));

  record_reader reader(writer.bytes());
  const auto name = reader.get<std::array<char, 8>>();
  const auto reading = reader.get<std::pair<int, double>>();
  std::cout << "pleat " PLEAT_VERSION ": " << std::string(name.data(), name.size()) << " of sensor "
            << reading.first << ": " << reading.second << '\n';
  try {
    static_cast<void>(reader.get<long>());
  } catch (const pleat::error& refusal) {
    std::cout << refusal.what() << '\n';
    return reading == std::pair(7, 21.5) ? 0 : 1;
  }
  return 1;
}
