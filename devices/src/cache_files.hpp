// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <boost/uuid/uuid.hpp>

namespace hocket {

/// A file descriptor that is closed with this object.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor();
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// The folder of this name in the user's cache, below `$XDG_CACHE_HOME/hocket` or
/// `~/.cache/hocket`; empty if the user has no cache. It need not exist.
[[nodiscard]] std::filesystem::path user_cache(const std::filesystem::path& name);

/// True if it is a folder that belongs to this user, and that no other user may write.
[[nodiscard]] bool is_trusted_folder(const std::filesystem::path& folder);

/// Makes what is missing, for this user alone. Returns whether it is a folder then; errno says why
/// not.
[[nodiscard]] bool make_folder(const std::filesystem::path& folder);

enum class file_state : std::uint8_t {
  read,
  absent,
  untrusted,  ///< no file of this user alone: a link, a folder, or writable by others
  unreadable  ///< or larger than allowed; errno says why
};

struct file_content {
  file_state state = file_state::unreadable;
  std::string bytes;  ///< the whole content, where it was read
};

/// Links are not followed.
[[nodiscard]] file_content read_cache_file(const std::filesystem::path& path,
                                           std::uint64_t max_bytes);

/// Returns false with errno set.
[[nodiscard]] bool write_all(int file, std::string_view bytes);

/// Tells damaged content from whole content, and texts from one another; no secret.
[[nodiscard]] boost::uuids::uuid digest_of(std::string_view bytes);

}  // namespace hocket
