// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

#include <boost/container/small_vector.hpp>
#include <boost/intrusive/list.hpp>
#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/memory/coherence.hpp>

#include "data/access_history.hpp"
#include "placement/request.hpp"

namespace hocket::placement {

using task_accesses = detail::access_history<task_id>;
using unissued_list = boost::intrusive::list<
    task_access,
    boost::intrusive::member_hook<task_access, decltype(task_access::among_unissued),
                                  &task_access::among_unissued>,
    boost::intrusive::constant_time_size<false>>;
using memory_list = boost::container::small_vector<memory_id, 2>;

/// What the placement engine knows of one buffer beside its content.
struct tracked_buffer {
  data_id id;
  std::string label;
  box all;
  element_type type = element_type::f32;
  std::size_t element_size = 0;
  task_accesses history;
  std::uint64_t last_use = 0;
  std::uint64_t changes = 0;      ///< counted: of the content, and where it is
  std::uint32_t updates = 0;      ///< accesses that read and write it, of tasks that have not ended
  bool is_lent = false;           ///< its replica of the host is memory of the program
  std::uint64_t lent_at = 0;      ///< the address of that memory
  buffer_state* where = nullptr;  ///< its content
  unissued_list unissued;         ///< accesses of tasks that were not issued, oldest first

  // Of the eviction table.
  memory_list evictable_in;  ///< the memories in whose order it is
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      touched{};  ///< something has happened since it was put in order
};
using touched_list = boost::intrusive::list<
    tracked_buffer,
    boost::intrusive::member_hook<tracked_buffer, decltype(tracked_buffer::touched),
                                  &tracked_buffer::touched>,
    boost::intrusive::constant_time_size<false>>;

}  // namespace hocket::placement
