// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// The umbrella: everything that a program needs.

#include <hocket/core/error.hpp>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/matrix_ops.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/reduction.hpp>
#include <hocket/kernels/select.hpp>
#include <hocket/scheduler/access.hpp>
#include <hocket/scheduler/budget.hpp>
#include <hocket/scheduler/buffer.hpp>
#include <hocket/scheduler/checked_gemm.hpp>
#include <hocket/scheduler/checkpoints.hpp>
#include <hocket/scheduler/condition.hpp>
#include <hocket/scheduler/dlpack.hpp>
#include <hocket/scheduler/future.hpp>
#include <hocket/scheduler/graph.hpp>
#include <hocket/scheduler/pending.hpp>
#include <hocket/scheduler/placement_policy.hpp>
#include <hocket/scheduler/recorder.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/run_parameter.hpp>
#include <hocket/scheduler/runtime.hpp>
#include <hocket/scheduler/split_rows.hpp>
#include <hocket/scheduler/submit_compared.hpp>
#include <hocket/scheduler/task_scope.hpp>
#include <hocket/scheduler/user_memory.hpp>
#include <hocket/scheduler/when_all.hpp>
#include <hocket/scheduler/when_any.hpp>
