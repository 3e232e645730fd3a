// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "api.hpp"
#include "texts.hpp"

namespace standin::testing {

namespace {

using namespace std::chrono_literals;

class standin_driver : public ::testing::Test, public session {
 protected:
  standin_driver() : session(STANDIN_CUDA) {}

  /// Holds a stream until the flag is set.
  void hold(void* held, std::atomic<bool>& open) {
    check(cu.cuLaunchHostFunc(
        held,
        [](void* flag) {
          while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::sleep_for(100us);
        },
        &open));
  }
};

TEST_F(standin_driver, describes_its_devices) {
  int count = 0, major = 0;
  check(cu.cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  char name[64] = {}, bus[16] = {};
  check(cu.cuDeviceGetName(name, sizeof name, 1));
  EXPECT_STREQ(name, "Hocket stand-in 1");
  check(cu.cuDeviceGetPCIBusId(bus, sizeof bus, 1));
  EXPECT_STREQ(bus, "0000:02:00.0");
  check(cu.cuDeviceGetAttribute(&major, 75, 0));
  EXPECT_EQ(major, 9);
  uuid first{}, second{};
  check(cu.cuDeviceGetUuid_v2(&first, 0));
  check(cu.cuDeviceGetUuid_v2(&second, 1));
  EXPECT_NE(std::memcmp(first.bytes, second.bytes, 16), 0);
  int device = 0;
  EXPECT_EQ(cu.cuDeviceGet(&device, 2), invalid_device);
}

TEST_F(standin_driver, finds_functions_by_plain_names) {
  void* found = nullptr;
  int status = -1;
  check(cu.cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
  EXPECT_EQ(found, reinterpret_cast<void*>(cu.cuMemAlloc_v2));
  check(cu.cuGetProcAddress_v2("cuCtxCreate", &found, 12000, 0, &status));
  EXPECT_EQ(found, reinterpret_cast<void*>(cu.cuCtxCreate_v2));
  EXPECT_EQ(cu.cuGetProcAddress_v2("cuNothing", &found, 12000, 0, &status), not_found);
  EXPECT_EQ(status, 1);
}

TEST_F(standin_driver, gives_memory_back) {
  std::size_t before = 0, total = 0, now = 0;
  check(cu.cuMemGetInfo_v2(&before, &total));
  std::vector<unsigned long long> all(50);
  for (auto& a : all) check(cu.cuMemAlloc_v2(&a, 100000));
  check(cu.cuMemGetInfo_v2(&now, &total));
  EXPECT_LT(now, before);
  for (std::size_t i = 0; i < all.size(); i += 2) check(cu.cuMemFree_v2(all[i]));
  for (std::size_t i = 1; i < all.size(); i += 2) check(cu.cuMemFreeAsync(all[i], stream));
  check(cu.cuStreamSynchronize(stream));
  check(cu.cuMemGetInfo_v2(&now, &total));
  EXPECT_EQ(now, before);
  unsigned long long whole = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&whole, total + 1), out_of_memory);
}

using standin_driver_death = standin_driver;

TEST_F(standin_driver_death, keeps_the_host_out_of_memory_of_devices) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto x = upload(std::vector<int>(4));
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(x) = 1, "");
}

TEST_F(standin_driver, refuses_memory_that_is_not_the_devices) {
  const auto x = upload(std::vector<int>(16));
  std::vector<int> host(16);
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(host.data(), x + 4, 64, stream), invalid_value) << "too long";
  EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(x, reinterpret_cast<std::uint64_t>(host.data()), 4, stream),
            invalid_value);
  EXPECT_EQ(cu.cuMemcpyHtoDAsync_v2(x, reinterpret_cast<void*>(x), 4, stream), invalid_value);
  check(cu.cuMemFree_v2(x));
  EXPECT_EQ(cu.cuMemcpyDtoHAsync_v2(host.data(), x, 4, stream), invalid_value) << "freed";
  EXPECT_EQ(cu.cuMemFree_v2(x), invalid_value);
}

TEST_F(standin_driver, copies_boxes) {
  std::vector<int> host(6 * 5 * 4);
  std::iota(host.begin(), host.end(), 0);
  const auto device = upload(std::vector<int>(host.size(), -1));
  copy_3d c{};  // 3 x 2 x 2 elements from (1, 2, 1) to (2, 1, 0), in boxes of 6 x 5 x 4
  c.source_type = on_host;
  c.source_host = host.data();
  c.source_x = 4;
  c.source_y = 2;
  c.source_z = 1;
  c.target_type = on_device;
  c.target_device = device;
  c.target_x = 8;
  c.target_y = 1;
  c.source_pitch = c.target_pitch = 24;
  c.source_height = c.target_height = 5;
  c.width = 12;
  c.height = c.depth = 2;
  check(cu.cuMemcpy3DAsync_v2(&c, stream));
  const auto result = download<int>(device, host.size());
  std::size_t changed = 0;
  for (std::size_t z = 0; z < 4; ++z) {
    for (std::size_t y = 0; y < 5; ++y) {
      for (std::size_t x = 0; x < 6; ++x) {
        const bool inside = z < 2 && y >= 1 && y < 3 && x >= 2 && x < 5;
        const int got = result[(z * 5 + y) * 6 + x];
        EXPECT_EQ(got, inside ? host[((z + 1) * 5 + y + 1) * 6 + x - 1] : -1);
        changed += inside ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(changed, 12U);
}

TEST_F(standin_driver, orders_streams_by_events) {
  void* other = nullptr;
  void* begin = nullptr;
  void* end = nullptr;
  check(cu.cuStreamCreate(&other, 1));
  check(cu.cuEventCreate(&begin, 0));
  check(cu.cuEventCreate(&end, 0));
  const auto x = upload(std::vector<int>{1});
  std::atomic<bool> open{false};
  check(cu.cuEventRecord(begin, stream));
  hold(stream, open);
  check(cu.cuMemsetD32Async(x, 7, 1, stream));
  check(cu.cuEventRecord(end, stream));
  check(cu.cuStreamWaitEvent(other, end, 0));
  int seen = 0;
  check(cu.cuMemcpyDtoHAsync_v2(&seen, x, 4, other));
  EXPECT_EQ(cu.cuStreamQuery(other), not_ready);
  EXPECT_EQ(cu.cuEventQuery(end), not_ready);
  std::this_thread::sleep_for(2ms);
  open = true;
  check(cu.cuStreamSynchronize(other));
  EXPECT_EQ(seen, 7);
  float milliseconds = 0;
  check(cu.cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 1.5F);
}

TEST_F(standin_driver, default_stream_waits_for_blocking_streams) {
  void* blocking = nullptr;
  check(cu.cuStreamCreate(&blocking, 0));
  const auto x = upload(std::vector<int>{1});
  int none = 0;
  check(cu.cuMemcpyDtoHAsync_v2(&none, x, 4,
                                nullptr));  // the default stream is made with its first command
  std::atomic<bool> open{false};
  hold(blocking, open);
  check(cu.cuMemsetD32Async(x, 9, 1, blocking));
  int seen = 0;
  check(cu.cuMemcpyDtoHAsync_v2(&seen, x, 4, nullptr));
  EXPECT_EQ(cu.cuStreamQuery(nullptr), not_ready);
  open = true;
  check(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ(seen, 9);
}

TEST_F(standin_driver, copies_between_peers) {
  const auto here = upload(std::vector<int>{1, 2, 3});
  session there(STANDIN_CUDA, 1);
  const auto target = there.upload(std::vector<int>(3));
  EXPECT_EQ(there.cu.cuMemcpyDtoDAsync_v2(target, here, 12, there.stream), invalid_value)
      << "the peer is not enabled";
  check(there.cu.cuMemcpyPeerAsync(target, there.context, here, context, 12, there.stream));
  EXPECT_EQ(there.download<int>(target, 3), (std::vector<int>{1, 2, 3}));
  check(there.cu.cuCtxEnablePeerAccess(context, 0));
  check(there.cu.cuMemcpyDtoDAsync_v2(target + 4, here, 8, there.stream));
  EXPECT_EQ(there.download<int>(target, 3), (std::vector<int>{1, 1, 2}));
}

TEST_F(standin_driver, kernels_use_locked_host_memory_in_place) {
  void* module = load(committed_kernels());
  const auto x = upload(std::vector<float>(8, 3.0F));
  void* y = nullptr;
  check(cu.cuMemHostAlloc(&y, 32, 2));
  std::fill_n(static_cast<float*>(y), 8, 1.0F);
  unsigned long long device = 0;
  check(cu.cuMemHostGetDevicePointer_v2(&device, y, 0));
  run(module, "saxpy", 1, 32, 0, 2.0F, x, device, 8U);
  EXPECT_EQ(static_cast<float*>(y)[7], 7.0F);
  check(cu.cuMemFreeHost(y));
  EXPECT_EQ(launch(module, "saxpy", 1, 32, 0, 2.0F, x, device, 8U), success);
  EXPECT_EQ(cu.cuStreamSynchronize(stream), illegal_address) << "it is freed";
}

TEST_F(standin_driver, names_the_line_of_ptx_that_it_does_not_know) {
  const std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n frobnicate.b32 "
      "%r1;\n}\n";
  char log[256] = {};
  int options[] = {5, 6};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  void* module = nullptr;
  EXPECT_EQ(cu.cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), invalid_ptx);
  EXPECT_NE(std::string(log).find("line 6"), std::string::npos) << log;
  EXPECT_EQ(cu.cuModuleLoadData(&module,
                                "\x7F"
                                "ELF"),
            invalid_image);
}

TEST_F(standin_driver, links_machine_code_for_its_device) {
  const std::string ptx = committed_kernels();
  void* link = nullptr;
  check(cu.cuLinkCreate_v2(0, nullptr, nullptr, &link));
  void* made = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(cu.cuLinkComplete(link, &made, &bytes), invalid_value) << "nothing is linked";
  std::vector<char> text(ptx.begin(), ptx.end());
  const auto add = [&](int type) {
    return cu.cuLinkAddData_v2(link, type, text.data(), text.size(), "kernels", 0, nullptr,
                               nullptr);
  };
  EXPECT_EQ(add(link_input_ptx), invalid_value) << "no zero is at the end";
  text.push_back('\0');
  EXPECT_EQ(add(link_input_ptx + 1), not_supported);
  check(add(link_input_ptx));
  check(cu.cuLinkComplete(link, &made, &bytes));
  const std::string code(static_cast<const char*>(made), bytes);
  check(cu.cuLinkDestroy(link));
  EXPECT_EQ(cu.cuLinkDestroy(link), invalid_handle);
  check(cu.cuModuleUnload(load(code)));

  const auto load_instead = [&](const std::string& part, const std::string& other) {
    std::string changed = code;
    changed.replace(changed.find(part), part.size(), other);
    void* module = nullptr;
    return cu.cuModuleLoadData(&module, changed.c_str());
  };
  EXPECT_EQ(load_instead(" 90 ", " 80 "), no_binary_for_gpu) << "of another generation";
  EXPECT_EQ(load_instead(" 90 ", " 91 "), no_binary_for_gpu) << "of a newer device";
  EXPECT_EQ(load_instead(" 13000", " 14000"), invalid_image) << "of a newer driver";
  EXPECT_EQ(load_instead("stand-in", "elsewhere"), invalid_image);
}

TEST_F(standin_driver, needs_a_current_context) {
  void* popped = nullptr;
  check(cu.cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, context);
  unsigned long long at = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&at, 4), invalid_context);
  check(cu.cuCtxPushCurrent_v2(popped));
  EXPECT_EQ(cu.cuMemAlloc_v2(&at, 4), success);
  EXPECT_EQ(cu.cuStreamSynchronize(&at), invalid_handle);
  check(cu.cuMemFree_v2(at));
}

TEST_F(standin_driver, ends_allocations_with_their_context) {
  const std::uint64_t live = cu.live();
  {
    session other(STANDIN_CUDA, 1);
    unsigned long long left = 0;
    check(other.cu.cuMemAlloc_v2(&left, 100));
    ::testing::internal::CaptureStderr();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "stand-in CUDA: a context of device 1 ends with 1 allocations\n");
  EXPECT_EQ(cu.live(), live);
}

TEST_F(standin_driver, counts_calls_and_what_lives) {
  const std::uint64_t calls = cu.calls("cuEventCreate"), live = cu.live();
  void* e = nullptr;
  check(cu.cuEventCreate(&e, 2));
  EXPECT_EQ(cu.calls("cuEventCreate"), calls + 1);
  EXPECT_EQ(cu.live(), live + 1);
  check(cu.cuEventDestroy_v2(e));
  EXPECT_EQ(cu.live(), live);
}

/// Runs the body in a process of its own, whose driver has such faults.
template <class Body>
void in_process(const char* faults, Body body) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("HOCKET_STANDIN_CUDA_FAULTS", faults, 1);
        session s(STANDIN_CUDA);
        const bool as_planned = body(s);
        std::_Exit(as_planned ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(standin_faults, fail_one_call) {
  in_process("cuMemAlloc_v2 2 fail 2", [](session& s) {
    unsigned long long a = 0;
    return s.cu.cuMemAlloc_v2(&a, 4) == success && s.cu.cuMemAlloc_v2(&a, 4) == out_of_memory &&
           s.cu.cuMemAlloc_v2(&a, 4) == success;
  });
}

TEST(standin_faults, lose_the_device) {
  in_process("cuLaunchKernel 1 lose", [](session& s) {
    const auto x = s.upload(std::vector<float>(4));
    void* const module = s.load(committed_kernels());
    return s.launch(module, "saxpy", 1, 32, 0, 1.0F, x, x, 4U) == ecc_uncorrectable &&
           s.cu.cuStreamSynchronize(s.stream) == ecc_uncorrectable;
  });
}

TEST(standin_faults, hang_a_stream) {
  in_process("cuMemsetD32Async 1 hang", [](session& s) {
    const auto x = s.upload(std::vector<int>(4));
    check(s.cu.cuMemsetD32Async(x, 1, 4, s.stream));
    std::this_thread::sleep_for(20ms);
    return s.cu.cuStreamQuery(s.stream) == not_ready;
  });
}

TEST(standin_faults, hold_a_stream_until_it_is_released) {
  in_process("cuMemsetD32Async 1 hold", [](session& s) {
    const auto x = s.upload(std::vector<int>(4));
    check(s.cu.cuMemsetD32Async(x, 1, 4, s.stream));
    std::this_thread::sleep_for(20ms);
    if (s.cu.cuStreamQuery(s.stream) != not_ready) return false;
    s.cu.release("cuMemsetD32Async");
    return s.download<int>(x, 4) == std::vector<int>(4, 1);
  });
}

TEST(standin_faults, follow_another_plan_in_the_same_process) {
  in_process("", [](session& s) {
    const api& cu = s.cu;
    unsigned long long a = 0;
    void* primary = nullptr;
    check(cu.cuMemAlloc_v2(&a, 4));
    check(cu.cuMemFree_v2(a));
    cu.begin("cuMemAlloc_v2 1 fail 2; cuMemAlloc_v2 2 lose");
    if (cu.calls("cuMemFree_v2") != 0) return false;
    if (cu.cuMemAlloc_v2(&a, 4) != out_of_memory) return false;
    if (cu.cuMemAlloc_v2(&a, 4) != ecc_uncorrectable) return false;
    if (cu.cuDevicePrimaryCtxRetain(&primary, 0) != ecc_uncorrectable) return false;
    cu.restart();
    return cu.cuDevicePrimaryCtxRetain(&primary, 0) == success &&
           cu.cuDevicePrimaryCtxRelease_v2(0) == success;
  });
}

TEST(standin_contexts, take_along_what_they_have) {
  const api cu(STANDIN_CUDA);
  check(cu.cuInit(0));
  const std::uint64_t live = cu.live(), left = cu.left();
  std::vector<float> registered(1024);
  void *context = nullptr, *event = nullptr, *stream = nullptr, *graph = nullptr, *locked = nullptr;
  check(cu.cuCtxCreate_v2(&context, 0, 0));
  check(cu.cuEventCreate(&event, 0));
  check(cu.cuStreamCreate(&stream, 1));
  check(cu.cuStreamBeginCapture_v2(stream, 0));
  check(cu.cuStreamEndCapture(stream, &graph));
  check(cu.cuMemHostAlloc(&locked, 4096, 0));
  check(cu.cuMemHostRegister_v2(registered.data(), 4096, 0));
  EXPECT_EQ(cu.live(), live + 6);
  check(cu.cuCtxDestroy_v2(context));
  EXPECT_EQ(cu.live(), live);
  EXPECT_EQ(cu.left(), left + 5);
}

TEST(standin_settings, say_how_many_devices_there_are) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("HOCKET_STANDIN_CUDA", "devices=3,memory=8388608,capability=80,version=12080", 1);
        setenv("CUDA_VISIBLE_DEVICES", "2,0,7,1", 1);
        const session s(STANDIN_CUDA);
        int count = 0;
        int major = 0;
        int version = 0;
        char bus[16] = {};
        std::size_t bytes = 0;
        check(s.cu.cuDriverGetVersion(&version));
        check(s.cu.cuDeviceGetCount(&count));
        check(s.cu.cuDeviceGetPCIBusId(bus, sizeof bus, 0));
        check(s.cu.cuDeviceTotalMem_v2(&bytes, 1));
        check(s.cu.cuDeviceGetAttribute(&major, 75, 0));
        const bool right = count == 2 && std::string(bus) == "0000:03:00.0" && bytes == 8388608;
        std::_Exit(right && major == 8 && version == 12080 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace

}  // namespace standin::testing
