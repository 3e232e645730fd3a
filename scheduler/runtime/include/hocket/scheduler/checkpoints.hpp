// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hocket/devices/checkpoint_folder.hpp>
#include <hocket/scheduler/runtime.hpp>
#include <hocket/scheduler/task_scope.hpp>

namespace hocket {

namespace detail {

class checkpoint_writer;

}  // namespace detail

/// A buffer under the name that it has in checkpoints.
class named_buffer {
 public:
  template <element T, std::size_t R>
  named_buffer(std::string name, const buffer<T, R>& what)
      : name_(std::move(name)), what_(what.ref()) {
    copy_out_ = [what](submitter& to, const task_options& how, std::shared_ptr<std::byte[]> into) {
      const auto copy = [into = std::move(into)](const buffer_view<const T, R>& from) {
        T* next = reinterpret_cast<T*>(into.get());
        if (from.contiguous()) {
          std::copy(from.begin(), from.end(), next);
        } else {
          from.for_each([&next](const T& each) { *next++ = each; });
        }
      };
      return any_future(to.submit(how, copy, reads(what)));
    };
    copy_in_ = [what](std::span<const std::byte> from) {
      const auto into = what.write();
      if (into.contiguous()) {
        if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
        return;
      }
      const std::byte* next = from.data();
      into.for_each([&next](T& each) {
        std::memcpy(&each, next, sizeof(T));
        next += sizeof(T);
      });
    };
  }

  /// For bindings to other languages: all of a buffer whose types are known when the program runs.
  named_buffer(std::string name, detail::buffer_ref all);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const detail::buffer_state& data() const noexcept { return *what_.data; }
  [[nodiscard]] index_list extents() const { return what_.where().extents(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return what_.where().elements() * size_of(data().type());
  }

  /// Submits a task that copies the content to where there is room for it.
  [[nodiscard]] any_future copy_out(submitter& to, const task_options& how,
                                    std::shared_ptr<std::byte[]> into) const {
    return copy_out_(to, how, std::move(into));
  }

  /// Replaces the content, in the order of tasks where this is called. Blocks as a host view does.
  void copy_in(std::span<const std::byte> from) const { copy_in_(from); }

 private:
  std::string name_;
  detail::region_ref what_;  ///< memory of the program may have gaps, which are not saved
  std::function<any_future(submitter&, const task_options&, std::shared_ptr<std::byte[]>)>
      copy_out_;
  std::function<void(std::span<const std::byte>)> copy_in_;
};

struct checkpoint_options {
  std::size_t keep = 2;  ///< how many checkpoints, of which the newest ones stay
};

/// Checkpoints of a runtime's buffers in a folder. They are written beside other work, and each is
/// there as a whole or not at all, whenever the process or the system ends. One thread at a time;
/// must not outlive the runtime.
///
/// ```cpp
/// const std::string folder = "checkpoints of this example";
/// {
///   runtime rt;
///   const buffer<float> x{rt, 1000, 0.0f, "x"};
///   checkpoints saved{rt, folder};
///   std::size_t step = 0;
///   if (const std::optional<saved_checkpoint> last = saved.newest()) {
///     restore(*last, {{"x", x}});
///     step = std::stoul(last->position.at("step"));
///   }
///   for (; step < 10; ++step) {
///     rt.submit([](buffer_view<float> all) { all(0) += 1; }, updates(x));
///     saved.save({{"step", std::to_string(step + 1)}}, {{"x", x}});
///   }
/// }
/// std::filesystem::remove_all(folder);
/// ```
class checkpoints {
 public:
  /// Makes the folder, for this user alone, if there is none. Throws error with the code io if it
  /// cannot be used, or is in use by another object or process, and usage_error for options that
  /// make no sense.
  checkpoints(runtime& home, const std::filesystem::path& folder,
              const checkpoint_options& options = {});

  /// Waits for the last checkpoint; left by an exception, it cancels that one unless the file is
  /// being written. It cancels it as well, and says so on standard error, if the wait could never
  /// end, because this thread holds a view of a buffer for instance.
  ~checkpoints();
  checkpoints(const checkpoints&) = delete;
  checkpoints& operator=(const checkpoints&) = delete;

  /// Saves what the buffers hold once all tasks that were submitted before have ended, and the
  /// position with them. Later tasks that write a buffer wait until its content is copied, not
  /// until it is on the disk. Memory for the copies is taken here, and given back when they are
  /// written.
  ///
  /// The future holds the number of the checkpoint, is done when that is on the disk, and fails if
  /// a buffer has no content or the file cannot be written; the checkpoints before are still there
  /// then. A failure that no thread has looked at is thrown by runtime::wait. One checkpoint is
  /// written at a time: this blocks until the one before has ended. Throws std::bad_alloc, and
  /// usage_error if two buffers have one name or if that wait could never end; the one before goes
  /// on then. If other threads submit tasks meanwhile, each buffer is saved as it is at some moment
  /// of the call.
  future<std::uint64_t> save(checkpoint_position position,
                             const std::vector<named_buffer>& buffers);

  /// The newest checkpoint that is whole; nothing if the folder has none. Files that are not whole
  /// are passed over, and named in the result. Throws error with the code io if there are files and
  /// none is whole. Blocks until the last save has ended; throws usage_error if that wait could
  /// never end, and the save goes on then.
  [[nodiscard]] std::optional<saved_checkpoint> newest();

 private:
  void wait_for_last();

  runtime& home_;
  std::shared_ptr<detail::checkpoint_writer> writer_;
  std::optional<task_scope> saving_;  ///< the tasks of the last save
};

/// Fills the buffers with what a checkpoint has under their names, in the order of tasks where this
/// is called; other arrays of the checkpoint are left out. Blocks as host views do. Throws
/// usage_error, before any buffer is changed, if there is no array of a name, or one of another
/// type or shape.
void restore(const saved_checkpoint& from, const std::vector<named_buffer>& into);

}  // namespace hocket
