// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <hocket/kernels/definition.hpp>

namespace hocket::placement {

/// A number for the name of the kernel and all of its texts: kernels that a program makes anew each
/// time have the same one.
[[nodiscard]] std::uint64_t text_key(const kernel_definition& kernel);

/// The kernels of which a device has run a launch.
class compiled_kernels {
 public:
  [[nodiscard]] bool contains(const kernel_ref& kernel);
  void insert(const kernel_ref& kernel);

 private:
  void remember(const kernel_ref& kernel);

  std::set<std::uint64_t> texts_;
  // Kernels that were asked for and are among them: their texts are not read again.
  std::set<std::weak_ptr<const kernel_definition>, std::owner_less<>> known_;
  std::size_t most_known_ = 64;
};

/// Kernels by their names and texts.
class known_kernels {
 public:
  [[nodiscard]] bool contains(const kernel_definition& kernel) const {
    if (texts_.empty()) return false;
    const auto of_name = texts_.find(kernel.name);
    return of_name != texts_.end() && of_name->second.contains(text_key(kernel));
  }
  /// False if it was there.
  bool insert(const kernel_definition& kernel) {
    return texts_[kernel.name].insert(text_key(kernel)).second;
  }
  void clear() noexcept { texts_.clear(); }

 private:
  std::map<std::string, std::set<std::uint64_t>> texts_;  ///< by name, which is cheap to look for
};

/// The kernels that a device compiles before it runs them.
class compiling_kernels {
 public:
  /// size: of the work of the task that it is compiled for, as of launch_work.
  void insert(const kernel_ref& kernel, int size) { all_.push_back({kernel, size}); }
  void erase(const kernel_ref& kernel) {
    std::erase_if(all_, [&](const entry& each) { return each.kernel == kernel; });
  }
  void clear() noexcept { all_.clear(); }

  [[nodiscard]] bool is_empty() const noexcept { return all_.empty(); }
  [[nodiscard]] bool contains(const kernel_definition& kernel) const {
    return std::ranges::any_of(all_, [&](const entry& each) { return each.is(kernel); });
  }
  /// True if it is among them for a task of no less work. Larger ones had better wait.
  [[nodiscard]] bool contains(const kernel_definition& kernel, int size) const {
    return std::ranges::any_of(
        all_, [&](const entry& each) { return size <= each.size && each.is(kernel); });
  }

 private:
  struct entry {
    kernel_ref kernel;
    int size;

    [[nodiscard]] bool is(const kernel_definition& other) const {
      if (kernel.get() == &other) return true;
      return kernel->name == other.name && text_key(*kernel) == text_key(other);
    }
  };

  std::vector<entry> all_;
};

}  // namespace hocket::placement
