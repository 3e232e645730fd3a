// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/trace.hpp>

#include <bit>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace hocket {

struct trace_names::content {
  mutable std::mutex guard;
  std::deque<std::string> names;  // a deque, so that the keys below stay where they are
  std::unordered_map<std::string_view, std::uint32_t> ids;
};

trace_names::trace_names() : content_(std::make_unique<content>()) {}
trace_names::~trace_names() = default;

std::uint32_t trace_names::intern(std::string_view name) {
  const std::scoped_lock lock(content_->guard);
  const auto known = content_->ids.find(name);
  if (known != content_->ids.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(content_->names.size());
  content_->names.emplace_back(name);
  content_->ids.emplace(content_->names.back(), id);
  return id;
}

std::string trace_names::name(std::uint32_t id) const {
  const std::scoped_lock lock(content_->guard);
  return content_->names.at(id);
}

trace_ring::trace_ring(std::size_t capacity)
    : records_(capacity == 0 ? 0 : std::bit_ceil(capacity)) {}

std::vector<trace_record> trace_ring::snapshot() const {
  std::vector<trace_record> kept;
  const std::uint64_t count = written_ < records_.size() ? written_ : records_.size();
  kept.reserve(count);
  for (std::uint64_t i = written_ - count; i < written_; ++i) {
    kept.push_back(records_[i & (records_.size() - 1)]);
  }
  return kept;
}

}  // namespace hocket
