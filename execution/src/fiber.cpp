// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// glibc's checked longjmp refuses to go to another stack.
#undef _FORTIFY_SOURCE

#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

#include "stack_notes.hpp"

namespace hocket {
namespace {

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
  jump_in();
  return ended_;
}

// A context is entered once, and from there on left and entered by jumps: a context saves the
// signals too, by a system call, which a jump does not. Nothing is kept in variables around them.
void fiber::jump_in() noexcept {
  ended_ = false;
  if (_setjmp(outside_) == 0) {
    stack_notes::go(&outer_shadow_, inner_shadow_, stack_, stack_bytes);
    if (begun_) _longjmp(inside_, 1);
    begin();
  }
  stack_notes::went(outer_shadow_, nullptr, nullptr);
}

void fiber::jump_out() noexcept { _longjmp(outside_, 1); }

void fiber::leave() noexcept {
  if (_setjmp(inside_) == 0) {
    stack_notes::go(&inner_shadow_, outer_shadow_, outer_stack_, outer_bytes_);
    jump_out();
  }
  stack_notes::went(inner_shadow_, &outer_stack_, &outer_bytes_);
}

void fiber::begin() noexcept {
  begun_ = true;
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  // makecontext passes ints: the address goes in two halves.
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&fiber::enter), 2,
              static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address & 0xffffffffU));
  setcontext(&context_);
  std::terminate();  // setcontext returns only if it fails, which it cannot with this context
}

void fiber::enter(unsigned high, unsigned low) noexcept {
  fiber* const self = reinterpret_cast<fiber*>((static_cast<std::uintptr_t>(high) << 32U) | low);
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
  jump_out();
}

}  // namespace hocket
