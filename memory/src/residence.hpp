// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/core/ids.hpp>
#include <hocket/memory/ticket_set.hpp>

namespace hocket {

/// What one memory's block holds of a piece.
struct copy_state {
  memory_id memory;
  bool valid = false;
  ticket ready;      ///< of the command that fills it; only where valid
  ticket_set users;  ///< readers since it was filled, and all that touched a content that is stale

  /// What a command that overwrites the bytes has to wait for.
  [[nodiscard]] ticket_set touched_by() const;

  /// The content is no longer the value; who touches it is remembered.
  void make_stale();

  /// A command that waited for touched_by() replaces the content.
  void fill(ticket by);

  friend bool operator==(const copy_state&, const copy_state&) = default;
};

/// A memory that a piece can be copied from, and when its bytes are there.
struct holder {
  memory_id memory;
  ticket ready;
  friend bool operator==(const holder&, const holder&) = default;
};
using holder_list = boost::container::small_vector<holder, 2>;

/// Where one piece of a buffer is: an entry, in the order of ids, for each memory that holds it or
/// whose block is still in use by commands.
class residence {
 public:
  [[nodiscard]] const copy_state* find(memory_id memory) const;
  [[nodiscard]] copy_state& at(memory_id memory);  ///< made if there is none
  void drop(memory_id memory);

  [[nodiscard]] bool valid(memory_id memory) const;
  [[nodiscard]] bool valid_anywhere() const;
  [[nodiscard]] bool sole(memory_id memory) const;  ///< valid there and nowhere else
  [[nodiscard]] holder_list holders() const;

  void make_stale();  ///< in all memories

  /// Takes over what other commands do with the bytes of a piece that this one replaces.
  void inherit(const residence& replaced);

  /// Drops what is done; false if nothing is left to wait for.
  template <class Done>
  bool prune(const Done& done) {
    bool busy = false;
    for (auto& copy : copies_) {
      if (copy.ready.valid() && done(copy.ready)) copy.ready = {};
      copy.users.prune(done);
      busy = busy || copy.ready.valid() || !copy.users.empty();
    }
    copies_.erase(std::remove_if(copies_.begin(), copies_.end(),
                                 [](const auto& c) { return !c.valid && c.users.empty(); }),
                  copies_.end());
    return busy;
  }

  friend bool operator==(const residence&, const residence&) = default;

 private:
  boost::container::small_vector<copy_state, 2> copies_;
};

}  // namespace hocket
