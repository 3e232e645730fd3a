// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <boost/intrusive/list.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/timepoint.hpp>
#include <hocket/scheduler/traced_run.hpp>

#include "data/domain_histories.hpp"
#include "placement/cost_model.hpp"
#include "placement/request.hpp"

namespace hocket::detail {
class task_state;
class wait_visitor;
}  // namespace hocket::detail

namespace hocket::placement {

using detail::bug;
using detail::edge_kind;
using detail::seeded_bug;

struct placed_task;

/// Where a task is on its way through the placement engine.
enum class task_phase : std::uint8_t {
  blocked,    ///< earlier tasks are in its way
  open,       ///< it could start, and has no device yet
  scheduled,  ///< it could start, and the schedule that its run repeats has it later
  budget,     ///< it waits for bytes of its budget
  queued,     ///< it waits in the queue of a device
  reserving,  ///< it waits for memory of its device
  issued,     ///< given to its device; of a view or nested domain: open
  ended,
};

/// A task comes after an earlier one. The edge lies in the later task, and in the list of the
/// earlier one until either of them ends.
struct task_edge
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  placed_task* before = nullptr;  ///< null: that task has ended
  placed_task* after = nullptr;
  edge_kind kind = edge_kind::order;
  bool is_passed = false;      ///< the later task need not wait for the earlier one any more
  bool waits_for_end = false;  ///< the later task is not issued before the earlier one has ended
};
using edge_list = boost::intrusive::list<task_edge, boost::intrusive::constant_time_size<false>>;

/// The state of a nested domain that is open.
struct open_domain {
  detail::domain_histories<data_id, task_id> histories;
  std::size_t tasks = 1;  ///< that have not ended, and its release
  failure why;            ///< it was released with
};

/// One run of a task on one device. A task that is placed again makes another.
struct attempt {
  point number;             ///< timepoint of the launch, once issued
  time_estimate predicted;  ///< on the device
  device_id device;         ///< preferred or committed; not valid: none yet
  /// The result of its command, if that was reported before the end of a predecessor.
  std::unique_ptr<failure> early_result;
  bool fetching = false;      ///< copies for it that were planned ahead have not ended
  bool wrote = false;         ///< its outputs are recorded in the content state
  bool is_overtaken = false;  ///< its duplicate has ended first, and its command is in flight
  // One byte, so that the next member of the task lies in the padding.
  bool may_leave : 1 = false;    ///< its body may yield its lane
  bool is_trial : 1 = false;     ///< its kernel may be refused by the compiler of the device
  bool awaits_band : 1 = false;  ///< a block that is in its way is in use
};

/// The facts of a task, beside its commands, that a trace or a summary shows.
struct trace_note {
  time_stamp submitted{};
  task_id cause;          ///< the task before it that ended last
  nanoseconds before{0};  ///< the longest chain of tasks before it, each on its fastest device
  nanoseconds least{0};   ///< that the task takes on its fastest device, once it has ended
  std::unique_ptr<traced_task> told;  ///< null without runtime_options::trace_decisions
};

/// A task that was submitted to the placement engine: the request, and what the engine notes of it
/// from then on. Only the engine writes that, and only where the engine is stepped is it read.
struct placed_task : request {
  task_phase phase = task_phase::blocked;
  bool notified = false;       ///< its future has failed, but the task has not ended
  bool warned_of = false;      ///< a warning was printed that it lacks memory
  bool suits = false;          ///< the device that it names, or has in a schedule, can run it
  std::uint32_t blockers = 0;  ///< content edges from unfinished tasks, and unresolved futures
  std::uint32_t unissued = 0;  ///< blockers that were not issued
  std::uint32_t costs = 0;     ///< its number in the table of costs; 0: it is not there
  [[no_unique_address]] attempt run;   ///< the only one, or the last; the next lies in its padding
  std::uint32_t order = 0;             ///< order edges from tasks that were not issued
  std::unique_ptr<trace_note> traced;  ///< null without a trace and a summary
  std::uint64_t age = 0;               ///< number of tasks submitted before
  float upward = 0;   ///< its upward rank in nanoseconds, see ready_pool; it changes while blocked
  float at_best = 0;  ///< the longest chain from it on where every task has its fastest device
  failure poisoned;   ///< if set, the task may run but does not commit
  std::unique_ptr<open_domain> opened;  ///< of a nested domain that is open

  lent_list<task_edge> edges;  ///< from earlier tasks; one for each
  edge_list followers;         ///< edges to later tasks, in their order

  [[nodiscard]] bool is_issued() const noexcept { return phase == task_phase::issued; }
  /// True if tasks behind this one, which was issued, wait until it has ended. A view hands memory
  /// to the host, where no timepoint guards it; nor does one guard a body that yielded its lane. A
  /// trial may be made again elsewhere.
  [[nodiscard]] bool has_to_end() const noexcept {
    return kind != task_kind::launch || run.may_leave || run.is_trial;
  }

  // For reports and searches, by the owner of the engine's strand, while the engine has the task.

  /// What a thread that waits in its body works on, or its future: a task that ends with this one;
  /// null if there is none. Of a nested domain: the choice or loop that opened it.
  [[nodiscard]] virtual detail::task_state* stands_for() const noexcept { return nullptr; }
  /// The task whose end has to wait for this one: of a task of a run, the run.
  [[nodiscard]] virtual detail::task_state* part_of_task() const noexcept { return stands_for(); }
  /// Names the tasks it waits for beside those that the engine knows.
  virtual void tell_awaited(detail::wait_visitor& /*to*/) const {}

  /// Its launch is given to the stream, whose work the workers of the arena do, if any do.
  virtual void handed_to(stream_id /*stream*/, std::uint32_t /*arena*/) noexcept {}

  /// The task is to be placed as if for the first time. Copies that were planned ahead go on.
  /// Precondition: it is in no queue and has no pins.
  void begin_attempt() {
    const bool fetching = run.fetching;
    phase = task_phase::blocked;
    run = {};
    run.fetching = fetching;
    for (task_access& a : accesses) a.block = {};
  }
  /// What the task fails with where one before it, or a copy of its input, failed so. A fetch
  /// stands for a task that has run: it adds itself when it completes the future.
  [[nodiscard]] failure behind(const failure& why) const {
    return kind == task_kind::fetch ? why : why.downstream(std::string(label_text()));
  }
  /// The task comes after one that failed, and fails too.
  void poison_behind(const failure& why) {
    if (!poisoned) poisoned = behind(why);
  }

  /// Calls visit(task) for each task that comes after this one and waits for it.
  template <class Visit>
  void each_after(const Visit& visit) const {
    for (const task_edge& edge : followers) {
      if (!edge.is_passed) visit(*edge.after);
    }
  }
  /// Calls visit(task) for each task that this one comes after and that has not ended.
  template <class Visit>
  void each_before(const Visit& visit) const {
    for (const task_edge& edge : edges) {
      if (edge.before != nullptr) visit(*edge.before);
    }
  }
};

using task_ref = boost::intrusive_ptr<placed_task>;

}  // namespace hocket::placement
