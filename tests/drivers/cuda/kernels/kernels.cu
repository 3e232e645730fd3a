// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Kernels for the tests of the stand-in. kernels.ptx is what NVRTC 13.0 makes of them for compute_80.

#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void

KERNEL saxpy(float a, const float* x, float* y, unsigned n) {
  unsigned i = ITEM;
  if (i < n) y[i] += a * x[i];
}

KERNEL sum4(const float4* x, float* y, unsigned n) {
  unsigned i = ITEM;
  if (i < n) y[i] = x[i].x + x[i].y + x[i].z + x[i].w;
}

KERNEL dot(const float* x, const float* y, float* out, unsigned n) {
  __shared__ float part[256];
  float a = 0;
  for (unsigned i = ITEM; i < n; i += gridDim.x * blockDim.x) a += x[i] * y[i];
  part[threadIdx.x] = a;
  __syncthreads();
  for (unsigned k = 128; k; k >>= 1) {
    if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

KERNEL warp_sum(const float* x, float* out, unsigned* positive) {
  unsigned i = ITEM;
  float a = x[i];
  unsigned b = __ballot_sync(0xffffffffu, a > 0);
  for (int k = 16; k; k >>= 1) a += __shfl_down_sync(0xffffffffu, a, k);
  if (threadIdx.x % 32 == 0) {
    out[i / 32] = a;
    positive[i / 32] = b;
  }
}

KERNEL lanes(unsigned* out) {
  unsigned t = threadIdx.x;
  unsigned* to = out + t * 8;
  to[0] = __shfl_up_sync(~0u, t, 3);
  to[1] = __shfl_xor_sync(~0u, t, 5, 8);
  to[2] = __shfl_sync(~0u, t, 9, 16);
  to[3] = __any_sync(~0u, t == 7) * 2 + __all_sync(~0u, t < 32);
  to[4] = __match_any_sync(~0u, t / 3);
  to[5] = __reduce_add_sync(~0u, t);
  if (t % 2) to[6] = __shfl_sync(0xaaaaaaaau, t, 1);
  else to[6] = __shfl_sync(0x55555555u, t, 0) + 100;
  to[7] = __popc(__activemask());
}

KERNEL softmax(const float* x, float* y, int n) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  const float* row = x + (size_t)blockIdx.x * n;
  float m = -1e30f;
  for (int i = t; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
  part[t] = m;
  __syncthreads();
  for (int k = blockDim.x / 2; k; k >>= 1) {
    if (t < k) part[t] = fmaxf(part[t], part[t + k]);
    __syncthreads();
  }
  m = part[0];
  __syncthreads();
  float s = 0;
  for (int i = t; i < n; i += blockDim.x) s += expf(row[i] - m);
  part[t] = s;
  __syncthreads();
  for (int k = blockDim.x / 2; k; k >>= 1) {
    if (t < k) part[t] += part[t + k];
    __syncthreads();
  }
  s = part[0];
  for (int i = t; i < n; i += blockDim.x) y[(size_t)blockIdx.x * n + i] = expf(row[i] - m) / s;
}

KERNEL adam(float* p, float* m, float* v, const float* g, float rate, float c1, float c2, unsigned n) {
  unsigned i = ITEM;
  if (i >= n) return;
  float mm = 0.9f * m[i] + 0.1f * g[i], vv = 0.999f * v[i] + 0.001f * g[i] * g[i];
  m[i] = mm;
  v[i] = vv;
  p[i] -= rate * (mm / c1) / (sqrtf(vv / c2) + 1e-8f);
}

KERNEL rope(float* x, int d, float base, int n) {
  unsigned i = ITEM;
  if (i >= (unsigned)n) return;
  int h = d / 2, k = i % h, t = i / h;
  float a = t * powf(base, -2.f * k / d), s, c;
  sincosf(a, &s, &c);
  float u = x[t * d + k], w = x[t * d + k + h];
  x[t * d + k] = u * c - w * s;
  x[t * d + k + h] = u * s + w * c;
}

KERNEL large_angles(const float* x, float* s, unsigned n) {
  unsigned i = ITEM;
  if (i < n) s[i] = sinf(x[i]);
}

KERNEL integers(const long long* a, const long long* b, long long* out, unsigned n) {
  unsigned i = ITEM;
  if (i >= n) return;
  long long* to = out + i * 8;
  to[0] = a[i] / b[i];
  to[1] = a[i] % b[i];
  to[2] = (long long)((unsigned long long)a[i] / (unsigned long long)b[i]);
  to[3] = __mul64hi(a[i], b[i]);
  to[4] = __mulhi((int)a[i], (int)b[i]);
  to[5] = __brevll(a[i]) ^ __clzll(a[i]) ^ __popcll(b[i]) ^ __ffsll(a[i]);
  to[6] = (unsigned)__funnelshift_l((int)a[i], (int)b[i], 7) ^ __byte_perm((int)a[i], (int)b[i], 0x5410);
  to[7] = (short)a[i] * (short)b[i] + ((int)a[i] >> 5) + (int)((unsigned char)a[i] % 7u);
}

KERNEL doubles(const double* x, double* out, unsigned n) {
  unsigned i = ITEM;
  if (i >= n) return;
  double* to = out + i * 6;
  to[0] = sqrt(x[i]);
  to[1] = log(x[i]);
  to[2] = exp(x[i] / 100);
  to[3] = floor(x[i]) + ceil(-x[i]) + rint(x[i]);
  to[4] = x[i] / 3.0;
  to[5] = pow(x[i], 1.5);
}

KERNEL conversions(const float* x, int* out, unsigned n) {
  unsigned i = ITEM;
  if (i >= n) return;
  int* to = out + i * 8;
  to[0] = (int)x[i];
  to[1] = __float2int_rn(x[i]);
  to[2] = __float2int_rd(x[i]);
  to[3] = (int)(unsigned)x[i];
  to[4] = (int)(signed char)(int)x[i];
  to[5] = __float_as_int(__saturatef(x[i]));
  to[6] = __float_as_int((float)(double)x[i] * 0.5f);
  to[7] = __float_as_int(__fadd_ru(x[i], 1e-9f)) - __float_as_int(__fadd_rd(x[i], 1e-9f));
}

KERNEL atomics(int* c, unsigned* u, unsigned long long* w, float* f, double* d) {
  int i = ITEM;
  atomicAdd(&c[0], i);
  atomicMax(&c[1], i);
  atomicMin(&c[2], -i);
  atomicOr(&u[0], 1u << (i % 32));
  atomicAnd(&u[1], ~(1u << (i % 16)));
  atomicXor(&u[2], (unsigned)i);
  atomicInc(&u[3], 9u);
  atomicAdd(&w[0], 1ull << 33);
  unsigned long long old = w[1], seen;
  do {
    seen = old;
    old = atomicCAS(&w[1], seen, seen + 3);
  } while (old != seen);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}

struct pair {
  int a;
  float b[3];
};
__constant__ float factors[4] = {1, 2, 4, 8};
__device__ unsigned counter = 40;
typedef int (*function)(int);
__device__ __noinline__ int add_one(int a) { return a + 1; }
__device__ __noinline__ int times_seven(int a) { return a * 7; }
__device__ function table[2] = {add_one, times_seven};
__device__ __noinline__ pair changed(pair p) {
  p.a += 1;
  p.b[1] *= 2;
  return p;
}
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

KERNEL calls(pair* p, int* out, int n) {
  int i = threadIdx.x;
  p[i] = changed(p[i]);
  out[i] = table[(i + n) & 1](i) + (int)factors[i & 3] + factorial(i % 8);
  atomicAdd(&counter, 1);
}

KERNEL votes(const int* x, int* out) {
  int t = threadIdx.x;
  out[t * 3] = __syncthreads_count(x[t] > 0);
  out[t * 3 + 1] = __syncthreads_and(x[t] > -5);
  out[t * 3 + 2] = __syncthreads_or(x[t] > 1000);
}

KERNEL lock(int* locks, int* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[0], 0, 1) == 0) {
      *(volatile int*)sum = *(volatile int*)sum + 1;
      __threadfence();
      atomicExch(&locks[0], 0);
      done = true;
    }
  }
}

KERNEL beyond(float* x, unsigned n) { x[n + threadIdx.x] = 1; }
