// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/perform.hpp>

#include <algorithm>
#include <exception>

#include <boost/container/small_vector.hpp>

namespace hocket {

namespace {

class arena_lanes final : public lane_group {
 public:
  arena_lanes(executor& where, std::size_t arena) : where_(where), arena_(arena) {}
  [[nodiscard]] std::size_t lanes() const noexcept override { return where_.workers(arena_); }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    where_.for_ranges(arena_, count, grain, piece);
  }

 private:
  executor& where_;
  std::size_t arena_;
};

/// Made where it is to lie: to move one costs as much.
struct argument_of {
  const placed_buffer& buffer;
  operator buffer_argument() const { return buffer.argument(); }
};

}  // namespace

void call_on_host(executor& where, std::size_t arena, body_width width,
                  const std::function<void(const host_launch&)>& body,
                  std::span<const buffer_argument> buffers,
                  std::span<const scalar_argument> scalars) {
  if (width == body_width::wide) {
    arena_lanes lanes(where, arena);
    body(host_launch{buffers, scalars, lanes});
  } else {
    single_lane lane;
    body(host_launch{buffers, scalars, lane});
  }
}

failure failure_of_launch(const std::string& kernel) {
  try {
    throw;
  } catch (const error& e) {
    // A body that finds its input or its result changed, or that cannot read or write a file, says
    // so with these codes. The others say what became of another task.
    const bool is_own = e.code() == failure_code::data_corrupted || e.code() == failure_code::io;
    return {is_own ? e.code() : failure_code::task_failed,
            "Kernel \"" + kernel + "\" fails: " + e.what(), std::current_exception()};
  } catch (const std::exception& e) {
    return {failure_code::task_failed, "Kernel \"" + kernel + "\" fails: " + e.what(),
            std::current_exception()};
  } catch (...) {
    return {failure_code::task_failed,
            "Kernel \"" + kernel + "\" throws what is no std::exception.",
            std::current_exception()};
  }
}

failure launch_on_host(executor& where, std::size_t arena, const counted_launch& what) {
  boost::container::small_vector<buffer_argument, 4> buffers;
  buffers.reserve(what.buffers.size());
  for (const placed_buffer& b : what.buffers) buffers.emplace_back(argument_of{b});
  try {
    call_on_host(where, arena, what.width, what.body(), {buffers.data(), buffers.size()},
                 what.scalars);
    return {};
  } catch (...) {
    return failure_of_launch(what.kernel->name);
  }
}

failure perform_on_host(executor& where, std::size_t arena, const command& what) {
  if (const auto* launch = what.launch()) {
    return launch_on_host(where, arena, *launch);
  }
  if (const auto* failed = std::get_if<failed_command>(&what.what)) return failed->why;
  copy_box(std::get<copy_command>(what.what));
  return {};
}

}  // namespace hocket
