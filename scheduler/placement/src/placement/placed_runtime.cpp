// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/placed_runtime.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include <hocket/scheduler/detail/task_waits.hpp>

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
    auto expected = stage::waits;
    if (stage_.compare_exchange_strong(expected, stage::ended)) state->finish(why);
  }
  void delivered(const std::vector<void*>& addresses) override {
    address = addresses.front();
    if (stage_.exchange(stage::delivered) == stage::waits) {
      state->finish();
    } else {
      release();
    }
  }

  /// The call that was to open the view throws: for those who wait it ends at once, and it changes
  /// no content when its turn comes.
  void refuse() noexcept {
    switch (stage_.exchange(stage::refused)) {
      case stage::waits:
        home_.post(placement::view_refused{id});
        state->finish();
        break;
      case stage::delivered:
        release();
        break;
      case stage::ended:
      case stage::refused:
        break;
    }
  }

  boost::intrusive_ptr<device_task> state;
  void* address = nullptr;

 private:
  enum class stage : std::uint8_t { waits, delivered, refused, ended };

  void release() noexcept { home_.post(placement::view_released{id}); }

  std::atomic<stage> stage_{stage::waits};
};

}  // namespace

void placed_runtime::add_data(const buffer_state& data, lent_memory_ptr lent) {
  post(
      placement::data_added{data.id(), data.extents(), data.type(), data.label(), std::move(lent)});
}

void placed_runtime::drop_data(data_id data) noexcept { post(placement::data_dropped{data}); }

void placed_runtime::cancel_placed(task_id task, failure why) {
  post(placement::cancel_asked{task, std::move(why)});
}

std::unique_ptr<open_host_view> placed_runtime::open_placed_view(const region_ref& what,
                                                                 access_mode mode, view_span span) {
  const auto home = std::static_pointer_cast<placed_runtime>(what.data->owner());
  home->where().check_submitter();
  const auto s = make_submission<view_submission>({.accesses = 1}, *home);
  s->kind = placement::task_kind::view;
  s->is_brief = span == view_span::brief;
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
    wait_for_end(*state);
    if (state->error()) state->error().raise();
    return hold_view(home, what, s->address, {.id = s->id});
  } catch (...) {
    s->refuse();
    throw;
  }
}

}  // namespace hocket::detail
