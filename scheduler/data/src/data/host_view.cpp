// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/host_view.hpp"

#include <utility>

#include <hocket/execution/stack_number.hpp>
#include <hocket/streams/command.hpp>

#include "data/data_runtime.hpp"
#include "data/in_place_view.hpp"

namespace hocket::detail {

namespace {

buffer_argument content_of(const region_ref& what, void* address) {
  const placed_buffer place{
      {address, 0},
      what.part() == nullptr
          ? what.data->all()
          : part_of_array(what.data->type(), what.data->extents(), what.where())};
  return place.argument();
}

/// Closes the view when it goes, if the runtime has not gone before.
class registered_view final : public open_host_view {
 public:
  registered_view(const std::shared_ptr<data_runtime>& home, const region_ref& what, void* address,
                  held_view&& view)
      : home_(home), data_(what.data), view_(std::move(view)), content_(content_of(what, address)) {
    held_view noted = view_;
    noted.holder = stack_number();
    noted.label = what.data->label();
    home->views().opened(std::move(noted));
  }
  ~registered_view() override {
    const auto home = home_.lock();
    if (home == nullptr) return;
    if (is_detached_) {
      home->close_detached(view_);
    } else {
      home->views().closed(view_);
    }
  }
  [[nodiscard]] const buffer_argument& content() const noexcept override { return content_; }
  void detach() override {
    const auto home = home_.lock();
    if (home != nullptr && !is_detached_) is_detached_ = home->detach(view_);
  }

 private:
  std::weak_ptr<data_runtime> home_;
  buffer_ref data_;
  held_view view_;
  buffer_argument content_;
  bool is_detached_ = false;
};

}  // namespace

std::unique_ptr<open_host_view> hold_view(const std::shared_ptr<data_runtime>& home,
                                          const region_ref& what, void* address, held_view view) {
  return std::make_unique<registered_view>(home, what, address, std::move(view));
}

std::unique_ptr<open_host_view> open_view(const region_ref& what, access_mode mode,
                                          view_span span) {
  const std::shared_ptr<data_runtime> home = what.data->owner();
  if (home->in_place() != nullptr) return open_in_place_view(home, what, mode);
  return home->open_placed_view(what, mode, span);
}

}  // namespace hocket::detail
