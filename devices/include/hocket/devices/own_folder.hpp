// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <filesystem>

namespace hocket {

/// A folder that only this user may write, for files that are read again. All folders from below
/// its root are such folders and no links; the root and what is above it were chosen by the user,
/// and may be links.
class own_folder {
 public:
  own_folder() = default;  ///< none: it is neither trusted nor made
  own_folder(std::filesystem::path root, const std::filesystem::path& name);
  /// The root is the folder that this one is in.
  explicit own_folder(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// True if each folder from below the root is no link, belongs to this user, and no other user
  /// may write it.
  [[nodiscard]] bool is_trusted() const;

  /// Makes what is missing, for this user alone, but not in a folder of another user. Returns
  /// whether the folder is there then; errno says why not.
  [[nodiscard]] bool make() const;

 private:
  [[nodiscard]] bool is_below_root(const std::filesystem::path& folder) const;
  [[nodiscard]] bool make(const std::filesystem::path& folder) const;

  std::filesystem::path root_;
  std::filesystem::path path_;
};

/// The folder of this name below `$XDG_CACHE_HOME/hocket` or `~/.cache/hocket`; none if the user
/// has no cache. It need not exist.
[[nodiscard]] own_folder in_user_cache(const std::filesystem::path& name);

}  // namespace hocket
