// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/family.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/math.hpp>
#include <hocket/kernels/ranges.hpp>
#include <hocket/kernels/traced_source.hpp>

namespace hocket {

namespace detail {

/// Reduces the elements of a region in one order that depends on their number alone, neither on the
/// layout nor on the lanes: blocks of consecutive elements, in each of them interleaved chains that
/// the compiler vectorises, and pairwise trees over chains and over blocks.
template <class T, class Combine>
class blocked_reduction {
 public:
  static constexpr std::size_t block = 4096;
  static constexpr std::size_t chains = 16;
  static constexpr std::size_t blocks_per_range = 16;

  blocked_reduction(const strided_view<const T>& input, T identity, const Combine& combine)
      : data_(input.data()),
        nest_(input.extents(), {&input.strides()}),
        identity_(identity),
        combine_(combine) {}

  [[nodiscard]] T run(lane_group& lanes) const {
    const std::size_t blocks = (nest_.size() + block - 1) / block;
    if (blocks == 0) return identity_;
    if (blocks == 1) return reduce_block(0);
    std::vector<T> partial(blocks);
    for_ranges(lanes, blocks, blocks_per_range, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) partial[b] = reduce_block(b);
    });
    return tree(partial.data(), partial.size());
  }

 private:
  [[nodiscard]] T reduce_block(std::size_t number) const {
    const std::size_t begin = number * block;
    const std::size_t count = std::min(block, nest_.size() - begin);
    if (nest_.dense() && nest_.run_length() == nest_.size()) {
      return reduce_run(data_ + begin, count);
    }
    std::array<T, block> gathered;
    T* next = gathered.data();
    nest_.for_runs(begin, begin + count, [&](const auto& offset, std::size_t length) {
      const T* from = data_ + offset[0];
      const std::size_t stride = nest_.run_strides()[0];
      for (std::size_t i = 0; i < length; ++i) *next++ = from[i * stride];
    });
    return reduce_run(gathered.data(), count);
  }

  [[nodiscard]] T reduce_run(const T* values, std::size_t count) const {
    std::array<T, chains> chain;
    chain.fill(identity_);
    std::size_t i = 0;
    for (; i + chains <= count; i += chains) {
      for (std::size_t c = 0; c < chains; ++c) chain[c] = combine_(chain[c], values[i + c]);
    }
    for (std::size_t c = 0; i < count; ++i, ++c) chain[c] = combine_(chain[c], values[i]);
    return tree(chain.data(), chains);
  }

  [[nodiscard]] T tree(T* values, std::size_t count) const {
    for (; count > 1; count = (count + 1) / 2) {
      for (std::size_t i = 0; i + 1 < count; i += 2) {
        values[i / 2] = combine_(values[i], values[i + 1]);
      }
      if (count % 2 != 0) values[count / 2] = values[count - 1];
    }
    return values[0];
  }

  const T* data_;
  loop_nest<1> nest_;
  T identity_;
  const Combine& combine_;
};

}  // namespace detail

/// A family that reduces one buffer to a value. See reduction() and reduction_on_host().
template <class Identity, class Combine, bool Portable = true>
class reduction_family : public family_base {
 public:
  reduction_family(std::string name, Identity identity, Combine combine)
      : shared_(
            std::make_shared<content>(std::move(name), std::move(identity), std::move(combine))) {}

  template <class... D>
  const auto& resolve() const {
    using T = detail::first_element_t<D...>;
    static_assert(sizeof...(D) == 1 && !std::is_void_v<T>,
                  "A reduction takes one argument, reads(b).");
    using type = kernel<returns<T>, in_buffer<T, any_rank>>;
    return shared_->made.template get<type>([this] { return build<T>(); });
  }

 private:
  struct content {
    content(std::string name_, Identity identity_, Combine combine_)
        : name(std::move(name_)), identity(std::move(identity_)), combine(std::move(combine_)) {}
    std::string name;
    Identity identity;
    Combine combine;
    detail::kernel_cache made;
  };

  template <class T>
  kernel<returns<T>, in_buffer<T, any_rank>> build() const {
    const auto typed = [combine = shared_->combine](const T& a, const T& b) {
      return static_cast<T>(combine(a, b));
    };
    const auto body = [identity = identity_as<T>(), typed](lane_group& lanes,
                                                           const strided_view<const T>& x) {
      return detail::blocked_reduction<T, decltype(typed)>(x, identity, typed).run(lanes);
    };
    const auto on_host =
        kernel<returns<T>, in_buffer<T, any_rank>>(shared_->name, host_body{body})
            .wide([](const launch_shape& shape) {
              return static_cast<double>(volume(shape.front()) * sizeof(T)) >= detail::wide_bytes;
            });
    if constexpr (Portable &&
                  std::is_invocable_v<const Combine&, const traced<T>&, const traced<T>&>) {
      const traced<T> a(detail::make_parameter(element_type_of<T>, 0));
      const traced<T> b(detail::make_parameter(element_type_of<T>, 1));
      const traced<T> combined = shared_->combine(a, b);
      return on_host.with(
          detail::reduction_sources(scalar_argument::of(identity_as<T>()), combined.recorded()));
    } else {
      return on_host;
    }
  }

  template <class T>
  T identity_as() const {
    if constexpr (std::is_invocable_v<const Identity&, T>) {
      return shared_->identity(T{});
    } else {
      return static_cast<T>(shared_->identity);
    }
  }

  std::shared_ptr<content> shared_;
};

/// Makes a family that reduces all elements of one buffer, of any rank, to the value of its future.
/// combine(a, b) is associative up to rounding, and identity is its neutral element: a number, or a
/// function that is given a T{} and returns one. An empty buffer gives the identity. combine is
/// traced, as the lambda of elementwise() is. On one device the order of the elements depends on
/// their number alone.
///
///     const auto product = reduction("product", 1, [](auto a, auto b) { return a * b; });
template <class Identity, class Combine>
[[nodiscard]] reduction_family<Identity, Combine> reduction(std::string name, Identity identity,
                                                            Combine combine) {
  return {std::move(name), std::move(identity), std::move(combine)};
}

/// reduction() with a body for the host alone, from a lambda that may call any C++.
template <class Identity, class Combine>
[[nodiscard]] reduction_family<Identity, Combine, false> reduction_on_host(std::string name,
                                                                           Identity identity,
                                                                           Combine combine) {
  return {std::move(name), std::move(identity), std::move(combine)};
}

}  // namespace hocket
