// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/devices/device.hpp>
#include <hocket/devices/own_folder.hpp>
#include <hocket/kernels/definition.hpp>

namespace hocket {

/// How long a launch of a kernel takes on a device, at about one size.
struct launch_cost {
  std::string device;      ///< identity_of(device_info)
  std::string kernel;      ///< its name
  std::string definition;  ///< identity_of(kernel_definition)
  launch_work done;
  bool is_wide = false;  ///< it has all lanes of the device
  nanoseconds time{0};

  friend bool operator==(const launch_cost&, const launch_cost&) = default;
};

/// How long a copy takes from one memory to another, at about one size.
struct copy_cost {
  std::string from;  ///< the identity of the device whose memory it is
  std::string to;    ///< likewise
  std::uint64_t bytes = 0;
  nanoseconds time{0};

  friend bool operator==(const copy_cost&, const copy_cost&) = default;
};

/// Costs that were measured, the newest first.
struct cost_table {
  std::vector<launch_cost> launches;
  std::vector<copy_cost> copies;

  friend bool operator==(const cost_table&, const cost_table&) = default;
};

/// A name of the device that tells it from others, in other processes too: its backend, name,
/// driver with its version, and the properties that its times depend on. Rates are not among them,
/// because a time is kept, not how wrong they are.
[[nodiscard]] std::string identity_of(const device_info& device);

/// A name of the kernel that tells it from others called so: a digest of its signature and its
/// texts, and of those of its parts. Bodies for the host cannot be told from one another.
[[nodiscard]] std::string identity_of(const kernel_definition& kernel);

/// Costs on disk, kept from process to process: one file in `$XDG_CACHE_HOME/hocket/costs`, in
/// `~/.cache/hocket/costs`, or in a folder that was asked for. Whatever is wrong with it means that
/// nothing is kept: nothing fails, and the first problem is said on standard error. Only a file and
/// a folder that belong to this user, that no other user may write, and that are no links, are
/// trusted. The oldest costs go where there are too many. Any thread, any number of processes.
class cost_store {
 public:
  static constexpr std::size_t max_launches = 2000;
  static constexpr std::size_t max_copies = 500;

  /// asked: a folder, "off", or empty for the user's cache.
  explicit cost_store(std::string_view asked);

  /// False if nothing is kept.
  [[nodiscard]] bool is_on() const noexcept { return !folder_.path().empty(); }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / file_name; }

  /// The costs that were kept. A file that is damaged is set aside under another name.
  [[nodiscard]] cost_table load() const;

  /// Adds costs to what is kept, in place of older ones of the same kernel, definition, device and
  /// size. Those that take no time, or do endless work, are left out. Does not write where that
  /// changes no time by more than an eighth. Where other processes keep the store busy, waits a
  /// tenth of a second at most, and then keeps what is there. A file that cannot be read now, by
  /// its permissions or for want of descriptors, stays as it is.
  void merge(const cost_table& all) const;

 private:
  static constexpr const char* file_name = "costs-2";  // the version of the format

  /// Nothing if the file is damaged. `is_readable` becomes false where it cannot be read, which
  /// says nothing of what is in it.
  [[nodiscard]] std::optional<cost_table> read(bool* is_readable = nullptr) const;
  void set_aside() const;
  [[nodiscard]] bool replace(const cost_table& all) const;
  void warn(const std::string& what) const;

  own_folder folder_;
  mutable std::atomic<bool> warned_{false};
};

}  // namespace hocket
