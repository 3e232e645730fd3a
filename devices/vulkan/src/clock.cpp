// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "clock.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hocket::vulkan {

namespace {

/// What one reading of the device's clock tells.
struct reading {
  std::uint64_t ticks = 0;
  time_stamp before{}, after{};  // of the host
};

/// Runs an empty command that writes time stamps.
std::optional<reading> read(context& of, const executor& where) {
  auto timeline = of.make_timeline();
  auto commands = make_command_buffers(of, of.compute().family, 1);
  const owned_query_pool pool = make_stamps(of);
  if (!timeline || !commands || !pool) return std::nullopt;
  const VkCommandBuffer buffer = commands.value().buffers.front();
  if (begin(of, buffer) != VK_SUCCESS) return std::nullopt;
  of.api().vkCmdResetQueryPool(buffer, pool.get(), 0, 2);
  write_stamp(of, buffer, pool, 0);
  write_stamp(of, buffer, pool, 1);
  if (end(of, buffer) != VK_SUCCESS) return std::nullopt;
  reading made;
  made.before = where.now();
  const VkSemaphore semaphore = timeline.value().get();
  if (of.submit(of.compute(), {{&buffer, 1}, semaphore, 1}) != VK_SUCCESS) return std::nullopt;
  if (of.wait(semaphore, 1) != VK_SUCCESS) return std::nullopt;
  made.after = where.now();
  const auto found = read_stamps(of, pool);
  if (!found || found->begin == 0 || found->end < found->begin) return std::nullopt;
  made.ticks = found->end;
  return made;
}

}  // namespace

std::optional<clock> clock::measure(context& of, const executor& where) {
  // Its results must not be read while its queue works: a thread that does waits for ever.
  if (of.about().driver == VK_DRIVER_ID_MESA_LLVMPIPE) return std::nullopt;
  const std::uint32_t bits = of.about().timestamp_bits;
  clock made;
  made.period_ = static_cast<double>(of.limits().timestampPeriod);
  if (bits == 0 || !(made.period_ > 0)) return std::nullopt;
  made.mask_ = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::vector<reading> all;
  for (int i = 0; i < 5; ++i) {
    const auto one = read(of, where);
    if (!one) return std::nullopt;
    all.push_back(*one);
  }
  // The shortest stay in the driver says it best; the others must agree with it.
  const reading best =
      *std::ranges::min_element(all, {}, [](const reading& r) { return r.after - r.before; });
  made.ticks_ = best.ticks;
  made.time_ = best.before + (best.after - best.before) / 2;
  for (const reading& r : all) {
    const nanoseconds slack = (best.after - best.before) + std::chrono::microseconds(100);
    const time_stamp then = made.at(r.ticks);
    if (then < r.before - slack || then > r.after + slack) return std::nullopt;
  }
  return made;
}

time_stamp clock::at(std::uint64_t ticks) const {
  // The distance may be negative, and the counter may have wrapped.
  const std::uint64_t distance = (ticks - ticks_) & mask_;
  const bool past = distance > mask_ / 2;
  const std::uint64_t size = past ? (~distance + 1) & mask_ : distance;
  const nanoseconds length(std::llround(static_cast<double>(size) * period_));
  return past ? time_ - length : time_ + length;
}

owned_query_pool make_stamps(const context& of) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  VkQueryPool made = VK_NULL_HANDLE;
  const VkResult code = of.api().vkCreateQueryPool(of.api().device, &info, nullptr, &made);
  return code == VK_SUCCESS ? owned_query_pool(of.api(), made) : owned_query_pool();
}

void write_stamp(const context& of, VkCommandBuffer commands, const owned_query_pool& pool,
                 std::uint32_t which) {
  of.api().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool.get(), which);
}

std::optional<stamps> read_stamps(const context& of, const owned_query_pool& pool) {
  stamps found;
  const VkResult code =
      of.api().vkGetQueryPoolResults(of.api().device, pool.get(), 0, 2, sizeof found, &found,
                                     sizeof found.begin, VK_QUERY_RESULT_64_BIT);
  return code == VK_SUCCESS ? std::optional(found) : std::nullopt;
}

}  // namespace hocket::vulkan
