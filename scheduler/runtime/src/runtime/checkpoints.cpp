// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/checkpoints.hpp>

#include <cstdio>
#include <exception>
#include <set>
#include <string_view>

#include <hocket/core/printable.hpp>
#include <hocket/scheduler/untyped_launch.hpp>

#include "runtime/checkpoint_writer.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {

namespace {

void check_names(const std::vector<named_buffer>& buffers) {
  std::set<std::string_view> names;
  for (const named_buffer& each : buffers) {
    if (names.insert(each.name()).second) continue;
    throw usage_error("Two buffers of a checkpoint are called \"" + each.name() +
                      "\"; each needs a name of its own.");
  }
}

std::string text_of(element_type type, const index_list& extents) {
  return to_string(extents) + " elements of " + to_string(type);
}

/// Throws usage_error unless there is an array for the buffer.
const checkpoint_array& array_for(const named_buffer& wanted, const saved_checkpoint& from) {
  const auto found = std::ranges::find(from.arrays, wanted.name(), &checkpoint_array::name);
  if (found == from.arrays.end()) {
    std::string names;
    for (const checkpoint_array& each : from.arrays) {
      names += (names.empty() ? "\"" : ", \"") + each.name + "\"";
    }
    throw usage_error("The checkpoint " + in_quotes(from.file.string()) + " has no \"" +
                      wanted.name() + "\"; it has " + (names.empty() ? "no arrays" : names) + ".");
  }
  const detail::buffer_state& data = wanted.data();
  if (found->type == data.type() && found->extents == wanted.extents()) return *found;
  throw usage_error("The checkpoint " + in_quotes(from.file.string()) + " has " +
                    text_of(found->type, found->extents) + " for \"" + wanted.name() +
                    "\", and buffer \"" + data.label() + "\" has " +
                    text_of(data.type(), wanted.extents()) + "; they must be alike.");
}

}  // namespace

named_buffer::named_buffer(std::string name, detail::buffer_ref all)
    : name_(std::move(name)), what_(std::move(all)) {
  copy_out_ = [all = what_.data](submitter& to, const task_options& how,
                                 std::shared_ptr<std::byte[]> into) {
    const auto copy = std::make_shared<kernel_definition>();
    copy->name = "copy for checkpoint";
    copy->parameters = {{parameter::kind::buffer, all->type(), access_mode::read, any_rank}};
    copy->keeps_captures = true;
    copy->host = [into = std::move(into), bytes = all->bytes()](const host_launch& launch) {
      if (bytes != 0) std::memcpy(into.get(), launch.buffers[0].base, bytes);
    };
    const detail::untyped_access whole{detail::region_ref(all), access_mode::read};
    return any_future(future<void>(detail::untyped_submitter(to).call(how, copy, {whole})));
  };
  copy_in_ = [all = what_.data](std::span<const std::byte> from) {
    if (all->is_constant()) detail::refuse_constant_buffer(*all);
    const auto into = detail::open_view(detail::region_ref(all), access_mode::write);
    if (!from.empty()) std::memcpy(into->content().base, from.data(), from.size());
  };
}

checkpoints::checkpoints(runtime& home, const std::filesystem::path& folder,
                         const checkpoint_options& options)
    : home_(home),
      writer_(std::make_shared<detail::checkpoint_writer>(home.core()->where(), folder,
                                                          options.keep)) {}

checkpoints::~checkpoints() {
  // Left by an exception, the scope cancels its tasks.
  if (!saving_ || std::uncaught_exceptions() > saving_->exceptions_) return;
  try {
    saving_->wait_without_look();
  } catch (const usage_error& e) {
    std::fprintf(stderr, "hocket: the last checkpoint in %s is cancelled: %s\n",
                 in_quotes(writer_->folder().string()).c_str(), e.what());
    saving_->cancel();
  } catch (const error&) {
    // The scope waits in another way.
  }
}

/// The failure of the last save is left to runtime::wait. If this throws, that save goes on.
void checkpoints::wait_for_last() {
  if (saving_) saving_->wait_without_look();
  saving_.reset();
}

future<std::uint64_t> checkpoints::save(checkpoint_position position,
                                        const std::vector<named_buffer>& buffers) {
  check_names(buffers);
  wait_for_last();
  auto snapshot = std::make_shared<detail::checkpoint_snapshot>();
  snapshot->position = std::move(position);
  for (const named_buffer& each : buffers) {
    const std::size_t bytes = each.bytes();
    // For overwrite: the pages are first touched by the tasks that copy.
    snapshot->blocks.push_back(std::shared_ptr<std::byte[]>(new std::byte[bytes]));
    snapshot->arrays.push_back(
        {each.name(), each.data().type(), each.extents(), {snapshot->blocks.back().get(), bytes}});
  }
  saving_.emplace(home_, scope_options{.label = "checkpoint"});
  saving_->hand_on_failures_at_once();
  std::vector<any_future> copied;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    copied.push_back(
        buffers[i].copy_out(*saving_, {.label = "copy for checkpoint"}, snapshot->blocks[i]));
  }
  return saving_->async({.label = "checkpoint", .after = copied},
                        [snapshot, writer = writer_] { return writer->write(*snapshot); });
}

std::optional<saved_checkpoint> checkpoints::newest() {
  wait_for_last();
  return writer_->read_newest();
}

void restore(const saved_checkpoint& from, const std::vector<named_buffer>& into) {
  check_names(into);
  std::vector<const checkpoint_array*> found;
  for (const named_buffer& each : into) found.push_back(&array_for(each, from));
  for (std::size_t i = 0; i < into.size(); ++i) into[i].copy_in(found[i]->bytes);
}

}  // namespace hocket
