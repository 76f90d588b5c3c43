"""Bodies of kernels for the simulated device: right ones with their results, and wrong ones with their findings."""

from __future__ import annotations

import numpy as np

HEAD = "__global__ void k(const float* x, float* y, int n)"
X = np.arange(1, 41, dtype=np.float32)
I = "int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;"  # noqa: E741  as in a kernel


def file(body: str, before: str = "") -> str:
    """Return a candidate's file; the body begins in line 4."""
    return f'def answer():\n    return r"""{before}\n{HEAD} {{\n{body}\n}}\n"""\n'


BEFORE = (
    "template <class T> __device__ T twice(T x) { return x + x; } "
    "__device__ int calls; __constant__ float table[2] = {4, 3};"
)
"""What a file has before its kernel."""

WORKS = {
    "elementwise": (f"{I} if (i < n) y[i] = 2 * x[i];", 2 * X),
    "block sum": (
        f"""{I} __shared__ float s[32];
        s[t] = i < n ? x[i] : 0.0f;
        __syncthreads();
        for (int half = 16; half; half /= 2) {{
            if (t < half) s[t] += s[t + half];
            __syncthreads();
        }}
        if (i < n) y[i] = s[0];""",
        np.where(np.arange(40) < 32, X[:32].sum(), X[32:].sum()),
    ),
    "shuffles": (
        f"""{I} float v = i < n ? x[i] : 0.0f;
        for (int bits = 16; bits; bits /= 2) v += __shfl_xor_sync(~0u, v, bits);
        if (i < n) y[i] = v;""",
        np.where(np.arange(40) < 32, X[:32].sum(), X[32:].sum()),
    ),
    "shuffle up and from a lane": (
        f"""{I} float v = i < n ? x[i] : 0.0f, up = __shfl_up_sync(~0u, v, 1), first = __shfl_sync(~0u, v, 0);
        if (i < n) y[i] = up + first;""",
        np.concatenate([[1, *X[:31]], [33, *X[32:39]]]) + np.where(np.arange(40) < 32, 1, 33),
    ),
    "votes": (
        f"{I} unsigned even = __ballot_sync(~0u, t % 2 == 0); if (i < n) y[i] = __popc(even & 0xffffu);",
        np.full(40, 8),
    ),
    "atomics": (
        f"""{I} __shared__ int most;
        if (t == 0) most = 0;
        __syncthreads();
        atomicMax(&most, t);
        __syncthreads();
        if (i < n) y[i] = most;""",
        np.full(40, 31),
    ),
    "a warp in step": (
        f"""{I} __shared__ float s[32];
        s[t] = t;
        __syncwarp();
        float next = s[(t + 1) % 32];
        __syncwarp();
        s[t] = next;
        if (i < n) y[i] = s[t];""",
        (np.arange(40) + 1) % 32,
    ),
    "a warp's vote of all": (
        f"{I} int some = __any_sync(~0u, i == 39), all = __all_sync(~0u, t < 32); if (i < n) y[i] = 2 * some + all;",
        np.where(np.arange(40) < 32, 1, 3),
    ),
    "reductions of a warp": (
        f"""{I} int sum = __reduce_add_sync(~0u, t), most = __reduce_max_sync(~0u, i);
        int bits = __reduce_or_sync(~0u, 4);
        if (i < n) y[i] = sum + 1000 * most + (bits == 4);""",
        497 + 1000 * np.where(np.arange(40) < 32, 31, 63),
    ),
    "a block's vote": (
        f"{I} int c = __syncthreads_count(i >= 39), o = __syncthreads_or(i == 39); if (i < n) y[i] = c + 100 * o;",
        np.where(np.arange(40) < 32, 0, 125),
    ),
    "dynamic shared memory": (
        f"""{I} extern __shared__ float s[];
        s[t] = i;
        __syncthreads();
        if (i < n) y[i] = s[31 - t];""",
        np.where(np.arange(40) < 32, 31 - np.arange(40), 95 - np.arange(40)),
    ),
    "an addition by compare and swap": (
        f"""{I} __shared__ float s; if (!t) s = 0; __syncthreads();
        int old = __float_as_int(s), assumed;
        do {{
            assumed = old;
            old = atomicCAS((int*)&s, assumed, __float_as_int(__int_as_float(assumed) + t));
        }} while (old != assumed);
        __syncthreads();
        if (i < n) y[i] = s;""",
        np.full(40, 496),
    ),
    "bytes of shared memory": (
        f"""{I} __shared__ unsigned char s[32]; __shared__ bool odd[32];
        s[t] = t; odd[t] = t % 2;
        __syncthreads();
        if (i < n) y[i] = s[31 - t] + 100 * odd[31 - t];""",
        31 - np.arange(40) % 32 + 100 * (1 - np.arange(40) % 2),
    ),
    "counters": (
        f"""{I} __shared__ unsigned c, d; if (!t) c = d = 0; __syncthreads();
        atomicInc(&c, 9); atomicDec(&d, 9);
        __syncthreads();
        if (i < n) y[i] = c + 100 * d;""",
        np.full(40, 2 + 800),
    ),
    "functions of its own": (f"{I} if (i < n) y[i] = twice(fmaxf(x[i], 3.0f));", 2 * np.maximum(X, 3)),
    "variables of the file": (f"{I} if (i < n) y[i] = table[i % 2] + (t == 0 && atomicAdd(&calls, 1) > 5);", X % 2 + 3),
    "local arrays": (
        f"{I} float own[4]; for (int k = 0; k < 4; ++k) own[k] = k; if (i < n) y[i] = own[i % 4];",
        (X - 1) % 4,
    ),
    "stores of the same value": (
        f"""{I} __shared__ int flag; __shared__ unsigned char two[2];
        flag = 1; two[t % 2] = t % 2 + 3;
        __syncthreads();
        flag = 2;
        if (i >= 32) y[n - 1] = 7.0f, ((float4*)y)[1] = float4{{1, 2, 3, 4}};
        __syncthreads();
        if (i < n && i / 4 != 1 && i != n - 1) y[i] = flag + two[i % 2];""",
        np.array([5, 6] * 2 + [1, 2, 3, 4] + [5, 6] * 15 + [5, 7]),
    ),
}
"""The body and the y that it computes from x, 1 to 40, with 2 blocks of 32 threads."""

FINDS = {
    "past the end": (f"{I}\ny[i] = x[i];", "out of bounds", 5, "`x[40]`, which has 40 elements"),
    "before the beginning": (f"{I}\nif (i < n) y[i] = x[i - 1];", "out of bounds", 5, "`x[-1]`"),
    "half past the end": (f"{I}\nif (i < n) y[i] = ((float2*)x)[20 - 1 + (i == 39)].x;", "out of bounds", 5, "x[40]"),
    "null": (f"{I}\nif (i == 3) *(float*)0 = 1.0f;", "wild pointer", 5, "memory that belongs to no array"),
    "far off": (f"{I}\nif (i == 3) y[1 << 29] = 1.0f;", "wild pointer", 5, "memory that belongs to no array"),
    "shared, past the end": (
        f"{I} __shared__ float s[8];\ns[t + 8] = 1.0f;", "out of bounds", 5, "outside its shared arrays"
    ),
    "dynamic shared memory, past the end": (
        f"{I} extern __shared__ float s[];\ns[t + 1] = 1.0f;", "out of bounds", 5, "outside its shared arrays"
    ),
    "dynamic shared memory, no barrier": (
        f"{I} extern __shared__ float s[]; s[t] = t;\nif (i < n) y[i] = s[31 - t];", "missing barrier", None,
        "shared memory",
    ),
    "a swap of one thread only": (
        f"{I} int* b = (int*)y; if (t) b[0] = b[0] + 1;\nelse atomicCAS(b, 0, 1);", "race", None, "without atomicAdd"
    ),
    "lost update in a block": (f"{I} __shared__ int s; if (!t) s = 0; __syncthreads();\n++s;", "race", 5, "thread 0"),
    "lost update between blocks": (f"{I} if (t == 0)\ny[0] += 1;", "race", 5, "block 0 both access `y[0]`"),
    "half atomic": (f"{I} if (t) atomicAdd(&y[0], 1.0f);\nelse y[0] = y[0] + 1;", "race", None, "without atomicAdd"),
    "atomic after a plain store": (
        f"{I} if (i == 0) y[0] = 1.0f;\nif (i == 32) atomicAdd(&y[0], 1.0f);", "race", 5,
        "thread 0 of block 1 updates `y[0]` atomically, and thread 0 of block 0 accesses it without atomicAdd"
    ),
    "plain store after an atomic": (
        f"{I} if (i == 0) atomicAdd(&y[0], 1.0f);\nif (i == 32) y[0] = 1.0f;", "race", 5,
        "thread 0 of block 1 accesses `y[0]` without atomicAdd, and thread 0 of block 0 updates it atomically"
    ),
    "plain read after an atomic": (
        f"{I} if (i == 0) atomicAdd(&y[0], 1.0f);\nif (i == 32) y[39] = y[0];", "race", 5,
        "accesses `y[0]` without atomicAdd, and thread 0 of block 0 updates"
    ),
    "atomic after a plain read": (
        f"{I} if (i == 0) y[39] = y[0];\nif (i == 32) atomicAdd(&y[0], 1.0f);", "race", 5,
        "updates `y[0]` atomically, and thread 0 of block 0 accesses"
    ),
    "read of another block's": (f"{I} if (i < 32) y[i] = 0;\nif (i == 32) y[39] = y[0];", "race", 5, "block 0"),
    "last one wins": (f"{I}\ny[t] = i;", "overwritten", 5, "`y[0]`"),
    "blocks store the same elements": (f"{I}\ny[t] = x[t];", "overwritten", 5, "`y[0]`"),
    "last one wins at the end": (f"{I} y[0] = 1.0f;\ny[0] = i < 63 ? 1.0f : 2.0f;", "overwritten", 5, "thread 31 of"),
    "last one of a vector wins": (
        f"{I} int c = blockIdx.x;\nif (t == 0) ((float4*)y)[1] = float4{{1, 2, 3 + c, 4}};", "overwritten", 5, "`y[6]`"
    ),
    "last byte wins": (
        f"{I} __shared__ char s[4]; s[3] = 1;\ns[2] = t / 9;\ns[1] = 1;", "overwritten", 5, "thread 9 of block 0"
    ),
    "adds 0 to what another thread adds 0 to": (f"{I}\ny[3] += 0.0f;", "race", 5, "`y[3]`"),
    "stores 1 after a test": (f"{I}\nif (y[3] == 0) y[3] = 1.0f;", "missing barrier", 5, "`y[3]`"),
    "reads a flag that others store": (
        f"{I} __shared__ int s; s = 1;\nif (i < n) y[i] = s;", "missing barrier", None, "shared memory"
    ),
    "no barrier after a write": (
        f"{I} __shared__ float s[32]; s[t] = t;\nif (i < n) y[i] = s[31 - t];", "missing barrier", None, "shared memory"
    ),
    "no barrier in a loop": (
        f"{I} __shared__ int s[32]; s[t] = t; __syncthreads(); for (int h = 16; h; h /= 2)\nif (t < h) s[t] += s[t+h];",
        "missing barrier", 5, "shared memory",
    ),
    "no barrier before the next round": (
        f"{I} __shared__ float s; for (int r = 0; r < 2; r++) {{ if (!t) s = r; __syncthreads();\nif (t) y[t] = s; }}",
        "missing barrier", None, "shared memory",
    ),
    "a warp out of step": (
        f"{I} __shared__ float s[32]; s[t] = t; __syncwarp(); float v = s[t ^ 1];\ns[t] = v;",
        "missing barrier", 5, "shared memory",
    ),
    "warps are not in step": (
        f"{I} __shared__ float s[64]; s[t] = t; __syncwarp();\nif (i < n) y[i] = s[63 - t];", "missing barrier", None,
        "shared memory",
    ),
    "some return": (f"{I} if (i >= n) return;\n__syncthreads();", "divergent barrier", 5, "does not reach"),
    "two barriers": (f"{I} if (t % 2) __syncthreads();\nelse\n__syncthreads();", "divergent barrier", None, "barrier"),
    "a lane is missing": (
        f"{I} if (t == 5) return;\nfloat v = __shfl_down_sync(~0u, 1.0f, 1);", "divergent barrier", 5, "thread 5"
    ),
    "never written": (f"{I} __shared__ float s[32];\nif (i < n) y[i] = s[t];", "never written", 5, "shared memory"),
    "too much shared memory": (
        f"{I} __shared__ float s[12257]; s[t] = 0;", "too much shared memory", None, "49156 bytes of shared memory"
    ),
    "writes an input": (f"{I}\nif (i < n) ((float*)x)[i] = 0;", "writes an input", 5, "`x[0]`"),
}  # fmt: skip
"""The body, the finding, its line in the file if that is certain, and words of its message."""
