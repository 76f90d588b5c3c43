// Declarations for kernels on the simulated device: the part of CUDA C++ that needs no header of NVIDIA.
//
// The kernel is compiled with -fsanitize=thread, which puts a call before every access to memory that another thread
// could see. The functions called are those of device.cpp, not the sanitizer's own. Functions here are exempt: they
// report their own accesses, with the line of the caller.
#pragma once

#define DEVICE_EXEMPT __attribute__((no_sanitize("thread"), noinline, unused))
#define DEVICE_LINE int line = __builtin_LINE()

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("device_shared")))

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define warpSize 32

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef decltype(sizeof 0) size_t;

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
};
struct float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

extern "C" {
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;

void device_atomic(void* place, unsigned long bytes, int line);
void device_compared(void* place, unsigned long bytes);
void device_block_barrier(int line);
void device_warp_barrier(unsigned mask, int line);
void* device_slot(unsigned lane);
void device_vote(bool vote);
int device_votes();

int printf(const char* format, ...);
float expf(float), exp2f(float), expm1f(float), logf(float), log2f(float), log1pf(float), sqrtf(float), cbrtf(float);
float sinf(float), cosf(float), tanf(float), tanhf(float), sinhf(float), coshf(float), erff(float), powf(float, float);
float fabsf(float), floorf(float), ceilf(float), roundf(float), fmaxf(float, float), fminf(float, float);
float fmaf(float, float, float), fmodf(float, float), atan2f(float, float);
double exp(double), log(double), sqrt(double), tanh(double), fabs(double), pow(double, double), fmax(double, double);
double fmin(double, double), fma(double, double, double), sin(double), cos(double), erf(double), floor(double);
}

static inline float exp(float x) { return expf(x); }
static inline float log(float x) { return logf(x); }
static inline float sqrt(float x) { return sqrtf(x); }
static inline float tanh(float x) { return tanhf(x); }
static inline float sin(float x) { return sinf(x); }
static inline float cos(float x) { return cosf(x); }
static inline float erf(float x) { return erff(x); }
static inline float fabs(float x) { return fabsf(x); }
static inline float floor(float x) { return floorf(x); }
static inline float pow(float x, float y) { return powf(x, y); }
static inline float fmax(float x, float y) { return fmaxf(x, y); }
static inline float fmin(float x, float y) { return fminf(x, y); }
static inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
static inline float abs(float x) { return fabsf(x); }
static inline int abs(int x) { return x < 0 ? -x : x; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline float __expf(float x) { return expf(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline bool isnan(float x) { return __builtin_isnan(x); }
static inline bool isinf(float x) { return __builtin_isinf(x); }
static inline bool isfinite(float x) { return __builtin_isfinite(x); }
static inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
static inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
static inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static inline double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }
static inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }

#define DEVICE_EXTREMES(T)                             \
    static inline T max(T a, T b) { return a < b ? b : a; } \
    static inline T min(T a, T b) { return b < a ? b : a; }
DEVICE_EXTREMES(int)
DEVICE_EXTREMES(unsigned)
DEVICE_EXTREMES(long)
DEVICE_EXTREMES(unsigned long)
#undef DEVICE_EXTREMES
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline float min(float a, float b) { return fminf(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }

template <class T>
static inline T __ldg(const T* place) {
    return *place;
}

DEVICE_EXEMPT static inline void __syncthreads(DEVICE_LINE) { device_block_barrier(line); }
DEVICE_EXEMPT static inline void __syncwarp(unsigned mask = ~0u, DEVICE_LINE) { device_warp_barrier(mask, line); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T>
struct device_identity {
    typedef T type;
};

// As in CUDA, only integers have the atomics that compare or combine bits: for a float, 3 / 2 is not 1.
#define DEVICE_WHOLE(NAME) static_assert(T(3) / T(2) == T(1), #NAME " takes integers only");

#define DEVICE_ATOMIC(NAME, AFTER, CHECK)                                                          \
    template <class T>                                                                             \
    DEVICE_EXEMPT static inline T NAME(T* place, typename device_identity<T>::type value, DEVICE_LINE) { \
        CHECK                                                                                      \
        device_atomic(place, sizeof(T), line);                                                     \
        T old = *place;                                                                            \
        *place = AFTER;                                                                            \
        return old;                                                                                \
    }
DEVICE_ATOMIC(atomicAdd, old + value, )
DEVICE_ATOMIC(atomicSub, old - value, DEVICE_WHOLE(atomicSub))
DEVICE_ATOMIC(atomicMax, old < value ? value : old, DEVICE_WHOLE(atomicMax))
DEVICE_ATOMIC(atomicMin, value < old ? value : old, DEVICE_WHOLE(atomicMin))
DEVICE_ATOMIC(atomicExch, value, )
DEVICE_ATOMIC(atomicOr, old | value, DEVICE_WHOLE(atomicOr))
DEVICE_ATOMIC(atomicAnd, old & value, DEVICE_WHOLE(atomicAnd))
DEVICE_ATOMIC(atomicXor, old ^ value, DEVICE_WHOLE(atomicXor))
DEVICE_ATOMIC(atomicInc, old >= value ? 0 : old + 1, DEVICE_WHOLE(atomicInc))
DEVICE_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1, DEVICE_WHOLE(atomicDec))
#undef DEVICE_ATOMIC

template <class T>
DEVICE_EXEMPT static inline T atomicCAS(
    T* place, typename device_identity<T>::type compare, typename device_identity<T>::type value, DEVICE_LINE) {
    DEVICE_WHOLE(atomicCAS)
    device_compared(place, sizeof(T));
    device_atomic(place, sizeof(T), line);
    T old = *place;
    if (old == compare) *place = value;
    return old;
}

// Shuffles: every lane stores its value and, after a barrier, reads another's. A lane out of range keeps its own.
DEVICE_EXEMPT static inline unsigned device_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

// The number of lanes that this thread's warp has: the last warp of a block may have fewer than 32.
DEVICE_EXEMPT static inline unsigned device_lanes() {
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned left = blockDim.x * blockDim.y * blockDim.z - thread / 32 * 32;
    return left < 32 ? left : 32;
}

template <class T>
DEVICE_EXEMPT static inline T device_exchange(unsigned mask, T value, unsigned from, bool inside, int line) {
    *(T*)device_slot(device_lane()) = value;
    device_warp_barrier(mask, line);
    T got = inside && (mask >> from & 1) ? *(T*)device_slot(from) : value;
    device_warp_barrier(mask, line);
    return got;
}

template <class T>
DEVICE_EXEMPT static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32, DEVICE_LINE) {
    unsigned lane = device_lane(), base = lane / width * width;
    return device_exchange(mask, value, base + (unsigned)from % width, true, line);
}
template <class T>
DEVICE_EXEMPT static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, DEVICE_LINE) {
    unsigned lane = device_lane(), from = lane ^ bits;
    return device_exchange(mask, value, from % 32, from < 32 && from / width <= lane / width, line);
}
template <class T>
DEVICE_EXEMPT static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, DEVICE_LINE) {
    unsigned lane = device_lane();
    return device_exchange(mask, value, (lane + by) % 32, lane % width + by < (unsigned)width, line);
}
template <class T>
DEVICE_EXEMPT static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, DEVICE_LINE) {
    unsigned lane = device_lane();
    return device_exchange(mask, value, (lane - by) % 32, lane % width >= by, line);
}
DEVICE_EXEMPT static inline unsigned __ballot_sync(unsigned mask, int predicate, DEVICE_LINE) {
    *(int*)device_slot(device_lane()) = predicate != 0;
    device_warp_barrier(mask, line);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < device_lanes(); ++lane)
        if (mask >> lane & 1 && *(int*)device_slot(lane)) votes |= 1u << lane;
    device_warp_barrier(mask, line);
    return votes;
}
static inline int __any_sync(unsigned mask, int predicate, DEVICE_LINE) {
    return __ballot_sync(mask, predicate, line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, DEVICE_LINE) {
    return __ballot_sync(mask, !predicate, line) == 0;
}
static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __clz(int bits) { return bits ? __builtin_clz(bits) : 32; }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }

// Reductions of a warp, which CUDA has for integers only.
#define DEVICE_REDUCTION(NAME, BOTH)                                                       \
    template <class T>                                                                     \
    DEVICE_EXEMPT static inline T NAME(unsigned mask, T value, DEVICE_LINE) {              \
        DEVICE_WHOLE(NAME)                                                                 \
        *(T*)device_slot(device_lane()) = value;                                           \
        device_warp_barrier(mask, line);                                                   \
        T a = value;                                                                       \
        for (unsigned lane = 0; lane < device_lanes(); ++lane) {                           \
            if (!(mask >> lane & 1) || lane == device_lane()) continue;                    \
            T b = *(T*)device_slot(lane);                                                  \
            a = BOTH;                                                                      \
        }                                                                                  \
        device_warp_barrier(mask, line);                                                   \
        return a;                                                                          \
    }
DEVICE_REDUCTION(__reduce_add_sync, a + b)
DEVICE_REDUCTION(__reduce_max_sync, a < b ? b : a)
DEVICE_REDUCTION(__reduce_min_sync, b < a ? b : a)
DEVICE_REDUCTION(__reduce_and_sync, a & b)
DEVICE_REDUCTION(__reduce_or_sync, a | b)
DEVICE_REDUCTION(__reduce_xor_sync, a ^ b)
#undef DEVICE_REDUCTION

// A barrier of the block that also counts the threads for which a predicate holds.
DEVICE_EXEMPT static inline int __syncthreads_count(int predicate, DEVICE_LINE) {
    device_vote(predicate != 0);
    device_block_barrier(line);
    int votes = device_votes();
    device_block_barrier(line);
    return votes;
}
static inline int __syncthreads_or(int predicate, DEVICE_LINE) { return __syncthreads_count(predicate, line) != 0; }
static inline int __syncthreads_and(int predicate, DEVICE_LINE) { return __syncthreads_count(!predicate, line) == 0; }
