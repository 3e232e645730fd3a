// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <mutex>
#include <set>

#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/execution/executor.hpp>

namespace hocket::detail {

class alarm_board;

/// Something that is to happen at a time, unless it is called off before.
class alarm : public boost::intrusive::set_base_hook<>, public boost::intrusive_ref_counter<alarm> {
 public:
  alarm() = default;
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;
  virtual ~alarm() = default;

  /// The time has come. Called once at most, in a thread of the executor; short.
  virtual void ring() noexcept = 0;

 private:
  friend class alarm_board;
  friend bool operator<(const alarm& a, const alarm& b) noexcept { return a.time_ < b.time_; }

  time_stamp time_{};
  bool called_off_ = false;
};

using alarm_ptr = boost::intrusive_ptr<alarm>;

/// The alarms that are set. Many may be set and called off for each one that rings: nothing is
/// left of those, and the executor is asked for as few calls as possible. Any thread.
class alarm_board {
 public:
  explicit alarm_board(executor& where) : where_(where) {}
  alarm_board(const alarm_board&) = delete;
  alarm_board& operator=(const alarm_board&) = delete;
  ~alarm_board();

  /// Lets it ring at the time, or soon if that has passed, and keeps it until then. Does nothing
  /// if it was called off.
  void set(const alarm_ptr& what, time_stamp time);

  /// It does not ring any more, unless it begins to at this moment.
  void call_off(alarm& what) noexcept;

 private:
  void ring_due() noexcept;
  void ask_for_a_call();

  executor& where_;
  std::mutex guard_;  // for what follows
  boost::intrusive::multiset<alarm> set_;
  std::multiset<time_stamp> calls_;  // that the executor owes us
};

}  // namespace hocket::detail
