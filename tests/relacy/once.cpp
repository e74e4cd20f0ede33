// SPDX-License-Identifier: Apache-2.0
// Objects that threads make when they need them, and lists that they share.
#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/shared_list.hpp>

#include "base/abi.cpp"

namespace pleat::detail {

pid_t this_process() noexcept { return 1; }

}  // namespace pleat::detail

namespace {

/// Both make the object; both get the same one, with what its maker wrote.
template <class Object> struct made_by_both : searched::test {
  void thread(unsigned self) override {
    const auto& object = Object::get(holder);
    searched::require(object[0] == 5);
    got[self] = &object;
    done[self].store(true, std::memory_order_release);
    while (!done[1 - self].load(std::memory_order_acquire)) searched::give_way();
    searched::require(got[0] == got[1]);
  }

  typename Object::holder holder;
  const std::vector<int>* got[2] = {};
  std::array<std::atomic<bool>, 2> done;
};
struct constant {
  using holder = pleat::detail::made_once<std::vector<int>>;
  static const auto& get(holder& of) {
    return of.get([] { return std::vector<int>{5}; });
  }
};
struct filled : std::vector<int> {
  filled() : vector{5} {}
};
struct mutable_one {
  using holder = pleat::detail::each_process<filled>;
  static const std::vector<int>& get(holder& of) { return of.get(); }
};

/// Two readers and a writer. The last to let go of the elements frees or writes them.
struct list_is_shared : searched::test {
  list_is_shared() {
    list.unshared() = {1, 2};
    copies[0] = list;
    copies[1] = list;
  }
  void thread(unsigned self) override {
    if (self == 2) {
      pleat::shared_list<int> mine = std::move(list);
      searched::require(mine.size() == 2);
      for (int& element : mine.unshared()) element = 3;
      return;
    }
    const pleat::shared_list<int> mine = std::move(copies[self]);
    searched::require(mine[0] == 1 && mine.back() == 2);
  }

  pleat::shared_list<int> list, copies[2];
};

}  // namespace

int main() {
  searched::search<made_by_both<constant>>("made once", 2, 3);
  searched::search<made_by_both<mutable_one>>("each process", 2, 3);
  searched::search<list_is_shared>("shared list", 3, 2);
  return searched::verdict();
}
