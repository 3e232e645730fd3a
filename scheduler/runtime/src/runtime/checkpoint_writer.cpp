// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/checkpoint_writer.hpp"

#include <exception>

namespace hocket::detail {

checkpoint_writer::checkpoint_writer(executor& where, const std::filesystem::path& folder,
                                     std::size_t keep)
    : where_(where), folder_(folder, keep) {
  if (!where_.is_virtual()) thread_.emplace("hocket saves");
}

std::uint64_t checkpoint_writer::write(const checkpoint_snapshot& what) {
  if (!thread_) return folder_.write(what.position, what.arrays);
  std::uint64_t number = 0;
  std::exception_ptr problem;
  (void)where_.wait([&](std::shared_ptr<executor::gate> gate) {
    thread_->post([&, written = std::move(gate)] {
      try {
        number = folder_.write(what.position, what.arrays);
      } catch (...) {
        problem = std::current_exception();
      }
      written->open();
    });
  });
  if (problem) std::rethrow_exception(problem);
  return number;
}

}  // namespace hocket::detail
