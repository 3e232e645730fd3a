// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <new>

#include "stack_notes.hpp"

namespace hocket {
namespace {

// boost::context::fiber enters each stack when it is made, and tells no sanitizer of it.
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;

constexpr std::size_t stack_bytes = std::size_t{4} << 20U;  // of addresses; used as it is touched

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// How many stacks there may be: each takes two of the mappings that Linux lets a process have, and
/// without the rest of these there would soon be no memory for anything.
std::size_t max_stacks() noexcept {
  constexpr std::size_t usual = 65530;
  std::size_t mappings = 0;
  if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "r")) {
    if (std::fscanf(file, "%zu", &mappings) != 1) mappings = 0;
    std::fclose(file);
  }
  return (mappings != 0 ? mappings : usual) / 20 * 9;
}

std::atomic<std::size_t> stacks{0};

bool take_place() noexcept {
  static const std::size_t most = max_stacks();
  // Only a number: relaxed, here and below.
  if (stacks.fetch_add(1, std::memory_order_relaxed) < most) return true;
  stacks.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

void give_place_back() noexcept { stacks.fetch_sub(1, std::memory_order_relaxed); }

/// With a page at its end that must not be touched. Null if there is no memory.
std::byte* allocate_stack() noexcept {
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* const mapped = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (mprotect(mapped, page_bytes(), PROT_NONE) != 0) {
    munmap(mapped, stack_bytes);
    return nullptr;
  }
  return static_cast<std::byte*>(mapped);
}

}  // namespace

std::unique_ptr<fiber> fiber::create() noexcept {
  std::unique_ptr<fiber> created(new (std::nothrow) fiber);
  if (created == nullptr) return nullptr;
  if (!take_place()) return nullptr;
  created->stack_ = allocate_stack();
  if (created->stack_ == nullptr) {
    give_place_back();
    return nullptr;
  }
  created->inside_ = make_fcontext(created->stack_ + stack_bytes, stack_bytes, &fiber::enter);
  created->inner_shadow_ = stack_notes::create();
  return created;
}

fiber::~fiber() {
  if (stack_ == nullptr) return;
  // With no body to run, its stack is left for ever.
  if (begun_) run();
  stack_notes::destroy(inner_shadow_);
  munmap(stack_, stack_bytes);
  give_place_back();
}

std::uintptr_t fiber::middle() const noexcept {
  return reinterpret_cast<std::uintptr_t>(stack_) + stack_bytes / 2;
}

bool fiber::run() noexcept {
  ended_ = false;
  begun_ = true;
  stack_notes::go(&outer_shadow_, inner_shadow_, stack_, stack_bytes);
  inside_ = jump_fcontext(inside_, this).fctx;
  stack_notes::went(outer_shadow_, nullptr, nullptr);
  return ended_;
}

void fiber::leave() noexcept {
  stack_notes::go(&inner_shadow_, outer_shadow_, outer_stack_, outer_bytes_);
  outside_ = jump_fcontext(outside_, nullptr).fctx;
  stack_notes::went(inner_shadow_, &outer_stack_, &outer_bytes_);
}

void fiber::enter(boost::context::detail::transfer_t from) noexcept {
  fiber* const self = static_cast<fiber*>(from.data);
  self->outside_ = from.fctx;
  stack_notes::went(nullptr, &self->outer_stack_, &self->outer_bytes_);
  self->serve();
}

void fiber::serve() noexcept {
  while (body_) {
    body_();
    body_ = nullptr;
    ended_ = true;
    leave();
  }
  // For ever: no shadow of this stack is kept.
  stack_notes::go(nullptr, outer_shadow_, outer_stack_, outer_bytes_);
  jump_fcontext(outside_, nullptr);
}

}  // namespace hocket
