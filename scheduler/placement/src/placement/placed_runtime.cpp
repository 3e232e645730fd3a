// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/placed_runtime.hpp"

#include <atomic>
#include <cstdint>

#include "data/host_view.hpp"
#include "placement/submission.hpp"

namespace hocket::detail {

namespace {

/// A view on its way; its state is done when the content is there.
class view_submission final : public region_submission {
 public:
  using region_submission::region_submission;

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
  counted_view(const std::shared_ptr<placed_runtime>& home, const region_ref& what, task_id id,
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
  std::weak_ptr<placed_runtime> home_;
  buffer_ref data_;
  task_id id_;
  buffer_argument content_;
};

}  // namespace

void placed_runtime::add_data(const buffer_state& data) {
  post(placement::data_added{data.id(), data.extents(), size_of(data.type()), data.label()});
}

void placed_runtime::drop_data(data_id data) noexcept { post(placement::data_dropped{data}); }

void placed_runtime::cancel_placed(task_id task, failure why) {
  post(placement::cancel_asked{task, std::move(why)});
}

std::unique_ptr<open_host_view> placed_runtime::open_placed_view(const region_ref& what,
                                                                 access_mode mode) {
  const auto home = std::static_pointer_cast<placed_runtime>(what.data->owner());
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
