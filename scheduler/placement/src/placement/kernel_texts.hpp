// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

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

/// The kernels that a device cannot compile.
class refused_kernels {
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

}  // namespace hocket::placement
