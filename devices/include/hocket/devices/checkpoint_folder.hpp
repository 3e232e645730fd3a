// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

class folder_lock;

/// The position of a run, as texts under names that the program chooses: a step, a seed, a size.
using checkpoint_position = std::map<std::string, std::string, std::less<>>;

/// One array of a checkpoint, row by row.
struct checkpoint_array {
  std::string name;
  element_type type = element_type::f32;
  index_list extents;
  std::span<const std::byte> bytes;
};

/// A file that was found where a checkpoint should be, and why it was not used.
struct unusable_checkpoint {
  std::filesystem::path file;
  std::string why;  ///< a sentence
};

/// A checkpoint as it was read from its file.
struct saved_checkpoint {
  std::filesystem::path file;
  std::uint64_t number = 0;  ///< counted in its folder
  checkpoint_position position;
  std::vector<checkpoint_array> arrays;        ///< their bytes lie in content
  std::shared_ptr<const std::string> content;  ///< of the file
  std::vector<unusable_checkpoint> newer;      ///< were passed over, newest first
};

/// The checkpoints in one folder: files `checkpoint-1`, `checkpoint-2` and so on, of which the
/// newest are kept. A file has its name only once all of it is on the disk, so that a process or a
/// system that ends at any moment leaves whole files. One thread at a time.
class checkpoint_folder {
 public:
  /// Makes the folder, for this user alone, if there is none, and removes what killed processes
  /// have left half written. Throws usage_error unless `keep` is at least 1, and error with the
  /// code io if the folder cannot be used, or is in use: by another process, or by another object
  /// of this one.
  checkpoint_folder(const std::filesystem::path& folder, std::size_t keep);
  ~checkpoint_folder();
  checkpoint_folder(const checkpoint_folder&) = delete;
  checkpoint_folder& operator=(const checkpoint_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }

  /// Returns the number of the new checkpoint once it is on the disk, and removes those that are
  /// not to be kept. Throws error with the code io, and leaves the earlier ones then: also if the
  /// folder is no longer the one that was opened, and may be in use by another owner. Files that
  /// are to be kept are read to see that they are whole, unless this object has read or written
  /// them and the system knows of no change since.
  std::uint64_t write(const checkpoint_position& position,
                      std::span<const checkpoint_array> arrays);

  /// Reads the newest checkpoint that is whole; nothing if there is no file of one. Files that are
  /// not whole stay where they are, and do not count as kept. Throws error with the code io if
  /// there are files and none can be used.
  [[nodiscard]] std::optional<saved_checkpoint> read_newest();

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::uint64_t> numbers() const;
  [[nodiscard]] std::filesystem::path file_of(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t next_number() const;
  void check_owner() const;
  void remove_unfinished() const;
  void remove_old();
  void note(std::uint64_t number, bool is_whole);
  [[nodiscard]] bool is_whole(std::uint64_t number);

  const std::size_t keep_;
  const std::filesystem::path folder_;
  std::unique_ptr<folder_lock> lock_;
  /// Whether a file was found whole, and the state in which the system had it then.
  struct known_file {
    std::array<std::uint64_t, 4> state;
    bool is_whole = false;
  };
  std::map<std::uint64_t, known_file> known_;
};

}  // namespace hocket
