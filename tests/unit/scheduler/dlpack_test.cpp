// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "published_dlpack.hpp"
#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr machine_setting settings[] = {
    {.name = "in_place", .data_tasks = data_path::in_place},
    {.name = "placed"},
    {.name = "with_a_device", .devices = "NUMA0,Sim0", .sim = "1"},
    {.name = "virtual_clock", .devices = "NUMA0,Sim0", .sim = "1", .clock = clock_kind::simulated},
};

/// A tensor as another library gives it out, in any structure, over 64 floats 0, 1, 2, ...
template <class M = dlpack::managed_tensor_versioned>
class lender {
 public:
  explicit lender(std::vector<std::int64_t> extents = {64}, std::vector<std::int64_t> steps = {})
      : shape(std::move(extents)), strides(std::move(steps)) {
    std::iota(values.begin(), values.end(), 0.0f);
    auto& to = tensor.dl_tensor;
    to.data = values.data();
    to.device.device_type = static_cast<decltype(to.device.device_type)>(1);
    to.ndim = static_cast<std::int32_t>(shape.size());
    to.dtype.code = 2;
    to.dtype.bits = 32;
    to.dtype.lanes = 1;
    to.shape = shape.data();
    to.strides = strides.empty() ? nullptr : strides.data();
    if constexpr (dlpack::versioned_structure<M>) tensor.version.major = 1;
    tensor.manager_ctx = this;
    tensor.deleter = [](M* self) { ++static_cast<lender*>(self->manager_ctx)->deleted; };
  }
  lender(const lender&) = delete;
  lender& operator=(const lender&) = delete;

  std::vector<float> values = std::vector<float>(64);
  std::vector<std::int64_t> shape, strides;
  M tensor{};
  std::atomic<int> deleted{0};
};

std::uint64_t copied(runtime& rt) {
  std::uint64_t sum = 0;
  for (const device_report& each : rt.report().devices) sum += each.bytes_in + each.bytes_out;
  return sum;
}

/// Whether the task ends soon: it stands behind nothing.
bool ends_soon(const future<void>& task) { return task.wait_for(std::chrono::seconds(20)); }

class dlpack_tensors : public ::testing::TestWithParam<machine_setting> {
 protected:
  [[nodiscard]] device_handle there() {
    return rt->device(*GetParam().sim != 0 ? "Sim0" : "NUMA0");
  }

  std::optional<runtime> rt{std::in_place, options_for(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, dlpack_tensors, ::testing::ValuesIn(settings),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(dlpack_tensors, are_buffers_without_a_copy) {
  lender from;
  {
    const buffer<float> x{*rt, from_dlpack<float>(&from.tensor), "x"};
    rt->submit({.on = rt->device("NUMA0")}, ops::fill, 5.0f, writes(x.rows(1, 3))).get();
    const auto view = x.read();
    EXPECT_EQ(view.data(), from.values.data());
    EXPECT_EQ(from.deleted, 0);
  }
  EXPECT_EQ(copied(*rt), 0U);
  rt.reset();
  EXPECT_EQ(from.deleted, 1);
  EXPECT_THAT(std::span(from.values).first(4), ElementsAre(0, 5, 5, 3));
}

TEST_P(dlpack_tensors, have_what_a_device_wrote_when_they_are_given_back) {
  lender from;
  {
    const buffer<float> x{*rt, from_dlpack<float>(&from.tensor), "x"};
    rt->submit({.on = there()}, ops::fill, 7.0f, writes(x));
  }
  rt.reset();
  EXPECT_EQ(from.deleted, 1);
  EXPECT_THAT(from.values, Each(7.0f));
}

TEST_P(dlpack_tensors, with_strides_and_an_offset_are_parts_of_matrices) {
  lender from({3, 1, 2}, {8, -5, 1});  // of a dimension of one element the stride does not count
  from.tensor.dl_tensor.byte_offset = 2 * sizeof(float);
  {
    const buffer<float, 3> x{*rt, from_dlpack<float, 3>(&from.tensor), "x"};
    EXPECT_THAT(x.to_vector(), ElementsAre(2, 3, 10, 11, 18, 19));
    rt->submit({.on = there()}, ops::fill, -1.0f, writes(x));
  }
  rt.reset();
  EXPECT_EQ(from.deleted, 1);
  EXPECT_THAT(std::span(from.values).subspan(8, 6), ElementsAre(8, 9, -1, -1, 12, 13));
}

TEST_P(dlpack_tensors, of_one_row_or_column_or_number_are_read) {
  lender row({1, 4}, {1, 1}), column({4, 1}, {8, 8}), cell({1, 1}, {0, 0}),
      number(std::vector<std::int64_t>{});
  const buffer<float, 2> r{*rt, from_dlpack<float, 2>(&row.tensor), "row"};
  const buffer<float, 2> c{*rt, from_dlpack<float, 2>(&column.tensor), "column"};
  const buffer<float, 2> one{*rt, from_dlpack<float, 2>(&cell.tensor), "cell"};
  const buffer<float> n{*rt, from_dlpack<float>(&number.tensor), "number"};
  EXPECT_THAT(r.to_vector(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(c.to_vector(), ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(one.to_vector(), ElementsAre(0));
  EXPECT_THAT(n.to_vector(), ElementsAre(0));
  rt.reset();
}

TEST_P(dlpack_tensors, marked_as_read_only_are_never_written) {
  lender from;
  from.tensor.flags = dlpack::flag_read_only;
  const buffer<float> x{*rt, from_dlpack<float>(&from.tensor), "x"};
  EXPECT_EQ(rt->submit(ops::sum, reads(x)).get(), 2016.0f);
  const auto says = HasSubstr("\"x\" lies over constant memory");
  EXPECT_THAT(thrown_by<usage_error>([&] { rt->submit(ops::fill, 1.0f, writes(x)); }).what(), says);
  EXPECT_THAT(thrown_by<usage_error>([&] { (void)x.update(); }).what(), says);
  rt.reset();
  EXPECT_EQ(from.deleted, 1);
}

TEST_P(dlpack_tensors, without_a_deleter_are_left_alone) {
  lender from;
  from.tensor.deleter = nullptr;
  {
    const buffer<float> x{*rt, from_dlpack<float>(&from.tensor), "x"};
    EXPECT_EQ(x.read()(5), 5.0f);
  }
  rt.reset();
  EXPECT_EQ(from.deleted, 0);
}

TEST_P(dlpack_tensors, of_the_published_structures_go_both_ways) {
  lender<DLManagedTensorVersioned> newer({8, 8});
  lender<DLManagedTensor> older({8, 8});
  {
    const buffer<float, 2> x{*rt, from_dlpack<float, 2>(&newer.tensor), "x"};
    const buffer<float, 2> y{*rt, from_dlpack<float, 2>(&older.tensor), "y"};
    rt->submit({.on = there()}, ops::axpy, 1.0f, reads(x), updates(y));
    DLManagedTensorVersioned* const out = to_dlpack<DLManagedTensorVersioned>(y.read());
    EXPECT_EQ(out->version.major, 1U);
    EXPECT_EQ(out->flags, dlpack::flag_read_only);
    EXPECT_EQ(out->dl_tensor.device.device_type, kDLCPU);
    EXPECT_EQ(out->dl_tensor.data, older.values.data());
    out->deleter(out);
    DLManagedTensor* const old = to_dlpack<DLManagedTensor>(y.update());
    EXPECT_EQ(old->dl_tensor.ndim, 2);
    static_cast<float*>(old->dl_tensor.data)[63] = 1.0f;
    old->deleter(old);
    EXPECT_EQ(y.read()(7, 7), 1.0f);
    EXPECT_EQ(y.read()(7, 6), 124.0f);
  }
  rt.reset();
  EXPECT_EQ(newer.deleted, 1);
  EXPECT_EQ(older.deleted, 1);
}

TEST_P(dlpack_tensors, of_views_say_what_they_are) {
  const buffer<float, 2> x{*rt, {4, 6}, 3.0f, "x"};
  dlpack::managed_tensor_versioned* const part = to_dlpack(x.tile({1, 2}, {3, 5}).update());
  const dlpack::tensor& t = part->dl_tensor;
  EXPECT_EQ(part->version.major, 1U);
  EXPECT_EQ(part->flags, 0U);
  EXPECT_EQ(t.device.device_type, dlpack::device_types::cpu);
  EXPECT_EQ(t.byte_offset, 0U);
  ASSERT_EQ(t.ndim, 2);
  EXPECT_THAT(std::span(t.shape, 2), ElementsAre(2, 3));
  EXPECT_THAT(std::span(t.strides, 2), ElementsAre(6, 1));
  auto* const first = static_cast<float*>(t.data);
  first[6 + 2] = 9.0f;
  part->deleter(part);
  EXPECT_EQ(x.read()(2, 4), 9.0f);
  EXPECT_EQ(rt->submit(ops::max, reads(x)).get(), 9.0f);

  dlpack::managed_tensor_versioned* const none = to_dlpack(x.rows(2, 2).read());
  EXPECT_EQ(none->dl_tensor.data, nullptr);
  EXPECT_EQ(none->dl_tensor.shape[0], 0);
  none->deleter(none);
}

template <class T>
void goes_and_comes(runtime& rt, std::uint8_t code, T value) {
  SCOPED_TRACE(to_string(element_type_of<T>));
  const buffer<T> x{rt, std::size_t{5}, value, "x"};
  dlpack::managed_tensor_versioned* const out = to_dlpack(x.read());
  EXPECT_EQ(out->dl_tensor.dtype.code, code);
  EXPECT_EQ(out->dl_tensor.dtype.bits, 8 * sizeof(T));
  EXPECT_EQ(out->dl_tensor.dtype.lanes, 1);
  EXPECT_EQ(out->version.minor, code < 7 ? 0U : 1U);
  // In another runtime, which knows nothing of the view.
  runtime other({.devices = "NUMA0"});
  const buffer<T> same{other, from_dlpack<T>(out), "same"};
  EXPECT_EQ(same.read().data(), out->dl_tensor.data);
  EXPECT_EQ(same.read()(4), value);
}

enum class color : std::uint16_t { red = 3 };

TEST_P(dlpack_tensors, have_every_type_that_both_know) {
  goes_and_comes<std::int8_t>(*rt, 0, -1);
  goes_and_comes<std::int16_t>(*rt, 0, -2);
  goes_and_comes<std::int32_t>(*rt, 0, -3);
  goes_and_comes<std::int64_t>(*rt, 0, -4);
  goes_and_comes<std::uint8_t>(*rt, 1, 1);
  goes_and_comes<std::uint16_t>(*rt, 1, 2);
  goes_and_comes<std::uint32_t>(*rt, 1, 3);
  goes_and_comes<std::uint64_t>(*rt, 1, 4);
  goes_and_comes<color>(*rt, 1, color::red);
  goes_and_comes<float16>(*rt, 2, 0.5f);
  goes_and_comes<float>(*rt, 2, 0.25f);
  goes_and_comes<double>(*rt, 2, 0.125);
  goes_and_comes<bfloat16>(*rt, 4, 2.0f);
  goes_and_comes<float8_e4m3>(*rt, 10, 0.5f);
  goes_and_comes<float8_e5m2>(*rt, 12, -2.0f);
  goes_and_comes<packed_i4>(*rt, 1, packed_i4(-8, 7));
  goes_and_comes<std::complex<float>>(*rt, 5, {1, 2});
  goes_and_comes<std::complex<double>>(*rt, 5, {3, 4});
  goes_and_comes<bool>(*rt, 6, true);
  struct pair {
    float a, b;
  };
  static_assert(!dlpack_element<pair> && dlpack_element<color> && dlpack_element<bfloat16>);
}

/// A change of a tensor of 8 x 8 floats that makes it unusable, and what is said of that.
struct refusal {
  std::function<void(lender<>&)> spoil;
  std::vector<std::string> words;
};

TEST_P(dlpack_tensors, that_cannot_be_are_refused_in_words_and_deleted) {
  const std::vector<refusal> all = {
      {[](auto& x) {
         x.tensor.dl_tensor.device = {2, 1};
       },
       {"device type 2 (CUDA), number 1"}},
      {[](auto& x) {
         x.tensor.dl_tensor.device = {99, 0};
       },
       {"device type 99,", "1 (CPU)"}},
      {[](auto& x) { x.tensor.dl_tensor.dtype.lanes = 4; }, {"4 lanes", "have 1"}},
      {[](auto& x) {
         x.tensor.dl_tensor.dtype = {8, 8, 1};
       },
       {"type code 8 with 8 bits"}},
      {[](auto& x) { x.tensor.dl_tensor.dtype.bits = 128; }, {"type code 2 with 128 bits"}},
      {[](auto& x) {
         x.tensor.dl_tensor.dtype = {4, 16, 1};
       },
       {"of bfloat16", "of float."}},
      {[](auto& x) {
         x.strides = {-8, 1};
       },
       {"strides -8, 1", "negative"}},
      {[](auto& x) {
         x.strides = {0, 1};
       },
       {"8 x 8", "strides 0 x 1"}},
      {[](auto& x) {
         x.strides = {1, 8};
       },
       {"last stride must be 1"}},
      {[](auto& x) {
         x.shape = {8, -8};
       },
       {"extents 8, -8", "negative"}},
      {[](auto& x) {
         x.shape = {8, 0};
       },
       {"extents 8, 0", "one at least"}},
      {[](auto& x) { x.tensor.dl_tensor.ndim = 1; }, {"has 1 dimensions", "buffer of 2"}},
      {[](auto& x) { x.tensor.dl_tensor.ndim = 0; }, {"has 0 dimensions", "buffer of 2"}},
      {[](auto& x) { x.tensor.dl_tensor.data = nullptr; }, {"\"x\"", "at address null"}},
      {[](auto& x) { x.tensor.dl_tensor.byte_offset = 2; }, {"\"x\"", "no multiple of 4"}},
      {[](auto& x) {
         x.tensor.version = {2, 3};
       },
       {"version 2.3", "1.x"}},
      {[](auto& x) {
         x.tensor.version = {0, 8};
       },
       {"version 0.8", "1.x"}},
  };
  for (const refusal& each : all) {
    lender from({8, 8}, {8, 1});
    each.spoil(from);
    from.tensor.dl_tensor.shape = from.shape.data();
    from.tensor.dl_tensor.strides = from.strides.data();
    const auto use = [&] { buffer<float, 2> x(*rt, from_dlpack<float, 2>(&from.tensor), "x"); };
    const std::string said = thrown_by<usage_error>(use).what();
    for (const std::string& word : each.words) EXPECT_THAT(said, HasSubstr(word));
    EXPECT_EQ(from.deleted, 1) << said;
  }
  lender shapeless({8, 8});
  shapeless.tensor.dl_tensor.shape = nullptr;
  const auto use = [&] { (void)from_dlpack<float, 2>(&shapeless.tensor); };
  EXPECT_THAT(thrown_by<usage_error>(use).what(), HasSubstr("no shape"));
  EXPECT_EQ(shapeless.deleted, 1);
  dlpack::managed_tensor* const none = nullptr;
  EXPECT_THAT(thrown_by<usage_error>([&] { (void)from_dlpack<float>(none); }).what(),
              HasSubstr("no tensor (null)"));
}

TEST_P(dlpack_tensors, of_other_versions_are_only_deleted) {
  lender from({64});
  from.tensor.version = {3, 0};
  from.tensor.dl_tensor.shape = nullptr;  // whatever lies there
  from.tensor.dl_tensor.ndim = -7;
  EXPECT_THROW((void)from_dlpack<float>(&from.tensor), usage_error);
  EXPECT_EQ(from.deleted, 1);
  lender later({64});
  later.tensor.version = {1, 9};
  later.tensor.flags = 8;  // a later minor version may mean something by it
  EXPECT_EQ((buffer<float>{*rt, from_dlpack<float>(&later.tensor), "x"}.read()(3)), 3.0f);
}

TEST_P(dlpack_tensors, outlive_their_buffers_and_runtimes) {
  lender lent;
  dlpack::managed_tensor_versioned *own = nullptr, *second = nullptr, *over = nullptr;
  {
    const buffer<float> x{*rt, 100, "x"};
    rt->submit({.on = there()}, ops::fill, 2.0f, writes(x));
    own = to_dlpack(x.read());
    second = to_dlpack(x.rows(0, 1).read());
    const buffer<float> y{*rt, from_dlpack<float>(&lent.tensor), "y"};
    rt->submit({.on = there()}, ops::fill, 3.0f, writes(y));
    over = to_dlpack(y.update());
  }
  rt.reset();
  const std::span<const float> still(static_cast<const float*>(own->dl_tensor.data), 100);
  EXPECT_THAT(still, Each(2.0f));
  own->deleter(own);
  EXPECT_EQ(*static_cast<const float*>(second->dl_tensor.data), 2.0f);
  second->deleter(second);
  static_cast<float*>(over->dl_tensor.data)[0] = 4.0f;
  EXPECT_EQ(lent.deleted, 0);
  over->deleter(over);
  EXPECT_EQ(lent.deleted, 1) << "the runtime has ended with its last tensor";
  EXPECT_EQ(lent.values[0], 4.0f);
  EXPECT_THAT(std::span(lent.values).last(63), Each(3.0f));
}

TEST_P(dlpack_tensors, let_a_runtime_end_with_the_content_of_lent_memory) {
  std::vector<float> mine(64, 1.0f);
  const buffer<float> x{*rt, user_memory(mine), "x"};
  const buffer<float> y{*rt, 8, 5.0f, "y"};
  rt->submit({.on = there()}, ops::fill, 6.0f, writes(x));
  dlpack::managed_tensor_versioned* const tensor = to_dlpack(y.read());
  rt.reset();
  EXPECT_THAT(mine, Each(6.0f)) << "though the runtime is kept by a tensor of another buffer";
  tensor->deleter(tensor);
  EXPECT_THROW((void)x.read(), usage_error);
}

class dlpack_tensors_of_threads : public dlpack_tensors {};
INSTANTIATE_TEST_SUITE_P(, dlpack_tensors_of_threads,
                         ::testing::ValuesIn(std::span(settings).first(3)),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(dlpack_tensors_of_threads, may_come_back_to_a_runtime_that_has_ended) {
  lender lent;  // whose tensor goes when the runtime does
  const buffer<float> y{*rt, from_dlpack<float>(&lent.tensor), "y"};
  std::optional<buffer<float>> same;
  {
    const buffer<float> x{*rt, 100, 1.0f, "x"};
    same.emplace(*rt, from_dlpack<float>(to_dlpack(x.read())), "same");
  }
  rt.reset();    // a buffer of its own has the tensor
  same.reset();  // the engine gives that back, and the runtime goes
  for (int i = 0; i < 20'000 && lent.deleted == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(lent.deleted, 1);
}

TEST_P(dlpack_tensors_of_threads, keep_their_view_open_until_they_are_deleted) {
  const buffer<float> x{*rt, 100, 1.0f, "x"};
  dlpack::managed_tensor_versioned* const tensor = to_dlpack(x.read());
  const future<void> behind = rt->submit({.on = there()}, ops::fill, 2.0f, writes(x));
  EXPECT_FALSE(behind.wait_for(std::chrono::milliseconds(20)));
  EXPECT_EQ(static_cast<const float*>(tensor->dl_tensor.data)[99], 1.0f);
  std::thread([&] { tensor->deleter(tensor); }).join();
  EXPECT_TRUE(ends_soon(behind));
  EXPECT_EQ(x.read()(0), 2.0f);
}

TEST_P(dlpack_tensors_of_threads, are_awaited_where_another_thread_deletes_them) {
  const buffer<float> x{*rt, 100, 1.0f, "x"};
  dlpack::managed_tensor_versioned* const tensor = to_dlpack(x.read());
  const future<void> behind = rt->submit({.on = there()}, ops::fill, 2.0f, writes(x));
  std::jthread deletes([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    tensor->deleter(tensor);
  });
  behind.get();  // a view that was not handed out would be one of this thread
  EXPECT_EQ(x.read()(0), 2.0f);
}

TEST_P(dlpack_tensors_of_threads, are_deleted_by_tasks) {
  const buffer<float> x{*rt, 100, 1.0f, "x"};
  dlpack::managed_tensor_versioned* const tensor = to_dlpack(x.update());
  rt->async([tensor] {
    static_cast<float*>(tensor->dl_tensor.data)[0] = 8.0f;
    tensor->deleter(tensor);
  });
  EXPECT_EQ(x.read()(0), 8.0f);
}

TEST_P(dlpack_tensors_of_threads, end_their_runtime_in_a_task_of_another_one) {
  lender lent;
  dlpack::managed_tensor_versioned* tensor = nullptr;
  {
    const buffer<float> x{*rt, from_dlpack<float>(&lent.tensor), "x"};
    tensor = to_dlpack(x.read());
  }
  rt.reset();
  EXPECT_EQ(lent.deleted, 0);
  runtime other({.devices = "NUMA0"});
  other.async([tensor] { tensor->deleter(tensor); }).get();
  EXPECT_EQ(lent.deleted, 1);
}

TEST_P(dlpack_tensors_of_threads, are_deleted_while_their_runtime_ends) {
  for (int turn = 0; turn < 30; ++turn) {
    std::optional<runtime> ending{std::in_place, options_for(GetParam())};
    lender lent;
    std::vector<dlpack::managed_tensor_versioned*> tensors;
    {
      const buffer<float> x{*ending, from_dlpack<float>(&lent.tensor), "x"};
      for (int i = 0; i < 4; ++i) tensors.push_back(to_dlpack(x.read()));
    }
    {
      std::vector<std::jthread> threads;
      for (auto* const each : tensors) threads.emplace_back([each] { each->deleter(each); });
      ending.reset();
    }
    EXPECT_EQ(lent.deleted, 1);
  }
}

TEST(DetachedViews, AreHostViewsStill) {
  runtime rt({.devices = "NUMA0"});
  const buffer<int> x{rt, 10, 1, "x"};
  host_view<int> view = x.update();
  view.detach();
  view.detach();
  host_view<int> moved = std::move(view);
  moved(3) = 4;
  const future<int> behind = rt.submit([](buffer_view<const int> v) { return v(3); }, reads(x));
  EXPECT_FALSE(behind.wait_for(std::chrono::milliseconds(10)));
  view.detach();  // which is empty
  std::thread([&] { const auto ends = std::move(moved); }).join();
  EXPECT_EQ(behind.get(), 4);
}

}  // namespace
}  // namespace hocket
