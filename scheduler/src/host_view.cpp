// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/host_view.hpp>

#include <atomic>
#include <cstdint>

#include "device_set.hpp"
#include "host_view.hpp"
#include "in_place/in_place_view.hpp"
#include "runtime_core.hpp"

namespace hocket::detail {

namespace {

/// A view on its way; its state is done when the content is there.
class view_submission final : public submission {
 public:
  using submission::submission;

  [[nodiscard]] task_state* stands_for() const noexcept override { return state.get(); }
  void completed(const failure& why) override {
    if (!state->done()) state->finish(why);
  }
  void delivered(const std::vector<void*>& addresses) override {
    address = addresses.front();
    state->finish();
    if (stage_.exchange(stage::delivered) == stage::abandoned) release();
  }

  /// No thread waits for the view any more: it ends before its content is there, or at once.
  void abandon() noexcept {
    state->request_cancel();
    if (stage_.exchange(stage::abandoned) == stage::delivered) release();
  }

  boost::intrusive_ptr<device_task> state;
  void* address = nullptr;

 private:
  enum class stage : std::uint8_t { waits, delivered, abandoned };

  void release() noexcept { home_.post(placement::view_released{id}); }

  std::atomic<stage> stage_{stage::waits};
};

class counted_view final : public open_host_view {
 public:
  counted_view(const std::shared_ptr<runtime_core>& home, const region_ref& what, task_id id,
               void* address)
      : home_(home), data_(what.data), id_(id) {
    content_ = content_of_view(what, address);
    home->view_opened(id, what.data->label());
  }
  ~counted_view() override {
    if (const auto home = home_.lock()) home->view_closed(id_);
  }
  [[nodiscard]] const buffer_argument& content() const noexcept override { return content_; }

 private:
  std::weak_ptr<runtime_core> home_;
  buffer_ref data_;
  task_id id_;
  buffer_argument content_;
};

}  // namespace

buffer_argument content_of_view(const region_ref& what, void* address) {
  const placed_buffer place{
      {address, 0, 0},
      what.part() == nullptr
          ? what.data->all()
          : part_of_array(what.data->type(), what.data->extents(), what.where())};
  return place.argument();
}

std::unique_ptr<open_host_view> open_view(const region_ref& what, access_mode mode) {
  const std::shared_ptr<runtime_core> home = what.data->owner();
  if (home->in_place() != nullptr) return open_in_place_view(home, what, mode);
  const boost::intrusive_ptr<view_submission> s(new view_submission(*home));
  s->kind = placement::task_kind::view;
  s->label = "view of " + what.data->label();
  s->trace_name = home->names().intern(s->label_text());
  s->add_access(what.data, what.part(), mode);
  s->id = task_id{home->next_number()};
  s->state = new device_task_of<void>(home.get(), s->label);
  s->state->id = s->id;
  const task_state_ptr state = s->state;
  home->started(*state);
  home->post(placement::submitted{s, {}});
  try {
    state->wait();
  } catch (...) {
    s->abandon();
    throw;
  }
  if (state->error()) state->error().raise();
  return std::make_unique<counted_view>(home, what, s->id, s->address);
}

}  // namespace hocket::detail
