// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <boost/container/small_vector.hpp>

#include <hocket/core/ids.hpp>
#include <hocket/core/short_list.hpp>
#include <hocket/memory/timepoint_set.hpp>

namespace hocket {

/// The state of a piece in the block of one memory.
struct copy_state {
  memory_id memory;
  bool valid = false;
  point ready;  ///< of the command that fills it; only where valid
  timepoint_set
      users;  ///< readers since it was filled, and all that touched a content that is stale

  /// Adds the timepoints that a command which overwrites the bytes has to wait for.
  void add_touched_by(timepoint_set& to) const {
    to.add(users);
    to.add(ready);
  }

  /// The content is no longer the value; the commands that touch it are kept.
  void make_stale() {
    valid = false;
    users.add(ready);
    ready = {};
  }

  /// A command that waited for all that touched it replaces the content.
  void fill(point by) {
    valid = true;
    ready = by;
    users.clear();
  }

  friend bool operator==(const copy_state&, const copy_state&) = default;
};

/// A memory that a piece can be copied from, and when its bytes are there.
struct holder {
  memory_id memory;
  point ready;
  friend bool operator==(const holder&, const holder&) = default;
};
using holder_list = short_list<holder, 2>;

/// Where one piece of a buffer is: an entry, in the order of ids, for each memory that holds it or
/// whose block is still in use by commands.
class replica_state {
 public:
  [[nodiscard]] const copy_state* find(memory_id memory) const {
    // Most pieces have one copy, or are asked about in the first memory, which is the host.
    if (!copies_.empty() && copies_.front().memory == memory) return &copies_.front();
    return copies_.size() < 2 ? nullptr : find_behind_first(memory);
  }
  [[nodiscard]] copy_state& at(memory_id memory) {  ///< made if there is none
    if (const copy_state* found = find(memory)) return const_cast<copy_state&>(*found);
    return make(memory);
  }
  void drop(memory_id memory);

  [[nodiscard]] bool valid(memory_id memory) const {
    const copy_state* copy = find(memory);
    return copy != nullptr && copy->valid;
  }
  [[nodiscard]] bool is_in_one_memory() const { return copies_.size() == 1; }
  [[nodiscard]] bool valid_anywhere() const;
  [[nodiscard]] bool sole(memory_id memory) const;  ///< valid there and nowhere else
  [[nodiscard]] holder_list holders() const;
  /// Calls visit(memory) for each memory where it is valid, in id order.
  template <class Visit>
  void for_holders(const Visit& visit) const {
    for (const auto& c : copies_) {
      if (c.valid) visit(c.memory);
    }
  }

  void make_stale();  ///< in all memories

  /// A command that waited for all that touched the content in this memory replaces it. The
  /// contents elsewhere are stale.
  void overwrite(memory_id memory, point by) {
    for (auto& c : copies_) {
      if (c.memory != memory) c.make_stale();
    }
    at(memory).fill(by);
  }

  /// Takes over what other commands do with the bytes of a piece that this one replaces.
  void inherit(const replica_state& replaced);

  /// Drops timepoints that are done; false if none is left to wait for.
  template <class Done>
  bool prune(const Done& done) {
    bool busy = false;
    bool useless = false;
    for (auto& copy : copies_) {
      if (copy.ready.valid() && done(copy.ready)) copy.ready = {};
      copy.users.prune(done);
      busy = busy || copy.ready.valid() || !copy.users.empty();
      useless = useless || is_useless(copy);
    }
    if (useless) {
      copies_.erase(std::remove_if(copies_.begin(), copies_.end(), is_useless), copies_.end());
    }
    return busy;
  }

  friend bool operator==(const replica_state&, const replica_state&) = default;

 private:
  static bool is_useless(const copy_state& c) { return !c.valid && c.users.empty(); }
  [[nodiscard]] const copy_state* find_behind_first(memory_id memory) const;
  [[nodiscard]] copy_state& make(memory_id memory);

  boost::container::small_vector<copy_state, 2> copies_;
};

}  // namespace hocket
