// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "elementwise_body.hpp"

#include <algorithm>
#include <span>

#include <boost/container/small_vector.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>

namespace hocket::detail {

namespace {

/// How many elements of each buffer one piece of a wide body has.
constexpr std::size_t grain = 32768;

/// How many elements all steps of a body take before the next elements: so few that what one step
/// leaves is in the first cache for the next one.
constexpr std::size_t block = 1024;

template <class T>
using few = boost::container::small_vector<T, 8>;

/// True if the elements lie one after the other, in the order of their indices.
bool is_dense(const buffer_argument& buffer) {
  std::size_t expected = 1;
  for (std::size_t d = buffer.extents.size(); d-- > 0; expected *= buffer.extents[d]) {
    if (buffer.extents[d] != 1 && buffer.strides[d] != expected) return false;
  }
  return true;
}

/// The strides of each buffer, for the nest of loops over all of them.
few<const index_list*> strides_of(std::span<const buffer_argument> buffers) {
  few<const index_list*> made;
  for (const buffer_argument& each : buffers) made.push_back(&each.strides);
  return made;
}

}  // namespace

/// One launch: what the lambdas are given that is the same for all elements.
class elementwise_body::execution {
 public:
  execution(const elementwise_body& body, const host_launch& launch)
      : locals_(body.locals_),
        buffers_(launch.buffers),
        nest_(launch.buffers.front().extents, strides_of(launch.buffers)) {
    few<std::size_t> strides(nest_.run_strides().begin(), nest_.run_strides().end());
    strides.resize(strides.size() + locals_.size(), 1);
    for (const elementwise_step& each : body.steps_) {
      bound_step& bound = steps_.emplace_back();
      bound.of = &each;
      for (const std::size_t a : each.arrays) bound.strides.push_back(strides[a]);
      for (const std::size_t s : each.scalars) bound.scalars.push_back(launch.scalars[s]);
      bound.dense = std::ranges::all_of(bound.strides, [](std::size_t s) { return s == 1; });
    }
  }

  void run(lane_group& lanes) const {
    for_ranges(lanes, nest_.size(), grain,
               [this](std::size_t begin, std::size_t end) { run_range(begin, end); });
  }

 private:
  struct bound_step {
    const elementwise_step* of = nullptr;
    few<std::size_t> strides;
    few<scalar_argument> scalars;
    bool dense = true;
  };

  void run_range(std::size_t begin, std::size_t end) const {
    const std::size_t together = steps_.size() == 1 ? end - begin : block;
    std::size_t bytes = 0;
    for (const element_type local : locals_) bytes += block * size_of(local);
    const auto memory = bytes == 0 ? nullptr : std::make_unique_for_overwrite<std::byte[]>(bytes);
    few<void*> arrays(buffers_.size());
    for (std::byte* next = memory.get(); const element_type local : locals_) {
      arrays.push_back(next);
      next += block * size_of(local);
    }
    while (begin < end) {
      const std::size_t last = std::min(end, begin + together);
      nest_.for_runs(begin, last, [&](const auto& offsets, std::size_t count) {
        for (std::size_t b = 0; b < buffers_.size(); ++b) {
          arrays[b] =
              static_cast<std::byte*>(buffers_[b].base) + offsets[b] * size_of(buffers_[b].type);
        }
        run_steps(arrays, begin, count);
        begin += count;
      });
    }
  }

  void run_steps(const few<void*>& arrays, std::size_t index, std::size_t count) const {
    for (const bound_step& each : steps_) {
      few<void*> first;
      for (const std::size_t a : each.of->arrays) first.push_back(arrays[a]);
      each.of->lambda->run(
          {first.data(), each.strides.data(), each.dense, each.scalars.data(), index, count});
    }
  }

  const std::vector<element_type>& locals_;
  std::span<const buffer_argument> buffers_;
  loop_nest<> nest_;
  boost::container::small_vector<bound_step, 1> steps_;
};

elementwise_body::elementwise_body(std::vector<elementwise_step> steps,
                                   std::vector<element_type> locals)
    : steps_(std::move(steps)), locals_(std::move(locals)) {}

/// One lambda over elements that lie one after the other in each buffer.
void elementwise_body::run_dense(const host_launch& launch) const {
  const elementwise_step& step = steps_.front();
  const few<std::size_t> strides(step.arrays.size(), 1);
  few<scalar_argument> scalars;
  for (const std::size_t s : step.scalars) scalars.push_back(launch.scalars[s]);
  const std::size_t size = volume(launch.buffers.front().extents);
  for_ranges(launch.lanes, size, grain, [&](std::size_t begin, std::size_t end) {
    few<void*> first;
    for (const std::size_t a : step.arrays) {
      const buffer_argument& each = launch.buffers[a];
      first.push_back(static_cast<std::byte*>(each.base) + begin * size_of(each.type));
    }
    step.lambda->run({first.data(), strides.data(), true, scalars.data(), begin, end - begin});
  });
}

void elementwise_body::operator()(const host_launch& launch) const {
  const bool has_one_step = steps_.size() == 1 && locals_.empty();
  if (has_one_step && std::ranges::all_of(launch.buffers, is_dense)) return run_dense(launch);
  execution(*this, launch).run(launch.lanes);
}

}  // namespace hocket::detail
