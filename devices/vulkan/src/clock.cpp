// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "clock.hpp"

namespace hocket::vulkan {

namespace {

/// Runs an empty command that writes time stamps.
std::optional<tick_reading> read(context& of, const executor& where) {
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
  tick_reading made;
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

std::optional<tick_clock> measure_clock(context& of, const executor& where) {
  // Its results must not be read while its queue works: a thread that does waits for ever.
  if (of.about().driver == VK_DRIVER_ID_MESA_LLVMPIPE) return std::nullopt;
  if (of.about().timestamp_bits == 0) return std::nullopt;
  return tick_clock::measure([&] { return read(of, where); }, of.about().timestamp_bits,
                             static_cast<double>(of.limits().timestampPeriod));
}

owned_query_pool make_stamps(const context& of) {
  auto info = structure<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  owned_query_pool made;
  (void)create(of.api(), &device_api::vkCreateQueryPool, info, made);  // empty where it fails
  return made;
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
