// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/uuid/uuid.hpp>

namespace hocket {

/// A file descriptor that is closed with this object.
class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor();
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// True if it is of that kind (S_IFREG, S_IFDIR), belongs to this user, and no other user may write
/// it.
[[nodiscard]] bool is_private(const struct stat& about, mode_t kind);

/// Makes what is missing, for this user alone, and follows links. Returns whether it is a folder
/// then; errno says why not.
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
[[nodiscard]] file_content read_private_file(const std::filesystem::path& path,
                                             std::uint64_t max_bytes);

/// A file that was opened for reading; links were not followed.
struct open_private_file {
  file_state state = file_state::unreadable;
  descriptor file{-1};
  std::uint64_t bytes = 0;  ///< its size, where it was opened
};
[[nodiscard]] open_private_file open_for_reading(const std::filesystem::path& path);

/// Reads so many bytes, and fails if the file has fewer. Returns false with errno set.
[[nodiscard]] bool read_all(int file, char* into, std::size_t bytes);

/// Returns false with errno set.
[[nodiscard]] bool write_all(int file, std::string_view bytes);

enum class durability : std::uint8_t {
  process,  ///< other processes find the old content or the new one
  system    ///< so does the next start of the system, or the new content if sync_folder() follows
};

/// Replaces the content of a file, or makes it, in one step and for this user alone. The file is
/// written as `next` in the same folder, which no other process may use, and renamed. Returns false
/// with errno set; `next` is gone then.
[[nodiscard]] bool replace_file(const std::filesystem::path& file,
                                const std::filesystem::path& next,
                                std::span<const std::string_view> content, durability how);

/// Brings renames in a folder to the disk. Returns false with errno set.
[[nodiscard]] bool sync_folder(const std::filesystem::path& folder);

/// A folder is one owner's as long as this object lives: other objects, of this process or another,
/// cannot lock the file `lock` in it. The system drops the lock when the process ends.
class folder_lock {
 public:
  /// Tries again for so long while another object has the lock.
  folder_lock(const std::filesystem::path& folder, std::chrono::milliseconds most_wait);

  [[nodiscard]] bool is_held() const noexcept { return is_held_; }
  /// Another object had the lock all the time. Where it is neither held nor busy, errno says why.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }

  enum class place : std::uint8_t { same, other, unknown };
  /// True if the file that is locked is the one that the folder has, so that others find it locked.
  /// For unknown, errno says why.
  [[nodiscard]] place look_in(const std::filesystem::path& folder) const;

 private:
  descriptor file_;
  bool is_held_ = false;
  bool is_busy_ = false;
};

/// Tells damaged content from whole content, and texts from one another; no secret.
[[nodiscard]] boost::uuids::uuid digest_of(std::string_view bytes);

}  // namespace hocket
