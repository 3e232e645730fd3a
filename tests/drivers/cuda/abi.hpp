// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <cstdint>

// The binary interface of the driver API as far as the stand-in has it: sizes, values and orders
// that programs are compiled with. abi_test.cpp compares them with the vendor's header where that
// is installed.
namespace standin {

enum code : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  peer_access_already_enabled = 704,
  peer_access_not_enabled = 705,
  context_is_destroyed = 709,
  assertion = 710,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  misaligned_address = 716,
  launch_failed = 719,
  not_permitted = 800,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  unknown = 999,
};

using device_number = int;
using device_pointer = unsigned long long;

struct uuid {
  char bytes[16];
};

/// The kind of input of a linker: PTX.
constexpr int link_input_ptx = 1;

enum memory_type : unsigned { on_host = 1, on_device = 2, in_array = 3, unified = 4 };

struct copy_2d {
  std::size_t source_x, source_y;
  memory_type source_type;
  const void* source_host;
  device_pointer source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t target_x, target_y;
  memory_type target_type;
  void* target_host;
  device_pointer target_device;
  void* target_array;
  std::size_t target_pitch;
  std::size_t width, height;
};

/// `source_context` and `target_context` are reserved, and null, where the copy is not between
/// peers.
struct copy_3d {
  std::size_t source_x, source_y, source_z, source_lod;
  memory_type source_type;
  const void* source_host;
  device_pointer source_device;
  void* source_array;
  void* source_context;
  std::size_t source_pitch, source_height;
  std::size_t target_x, target_y, target_z, target_lod;
  memory_type target_type;
  void* target_host;
  device_pointer target_device;
  void* target_array;
  void* target_context;
  std::size_t target_pitch, target_height;
  std::size_t width, height, depth;
};

}  // namespace standin
