// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Counts how many of its kind are alive, in a variable of the test's.
struct counted {
  explicit counted(int& alive) : alive_(&alive) { ++*alive_; }
  counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive_; }
  int* alive_;
};
