"""The step is elementwise: element i of p depends on element i of p, g, m and v only. So a grid-stride loop needs no
barrier and no atomic, and one thread reads and writes its own elements, in place.

The order matters. The moments are updated first, and the step uses the new moments. The kernel keeps them in registers,
so it reads each array once and writes p, m and v once. `eps` is added to the root, and not to v under the root. With
eps = 1e-8 and v near 0, √(v + eps) would be 1e-4. The decay multiplies p itself and does not enter m or v. That is what
"decoupled" means.

c1 and c2 correct the moments for their start at 0. They are the same for all elements, so the host computes them. On
the device every thread would compute the same two powers.

Cost: the kernel reads 16 bytes and writes 12 bytes per element. It computes only about 15 operations for these 28
bytes, so memory bandwidth is the limit. At 3.35 TB/s a billion parameters take at least 8.4 ms. A step written as
separate tensor operations moves each intermediate through memory, so it takes several times as long.

PyTorch: `torch.optim.AdamW(params, fused=True)` runs such a kernel over the chunks of many tensors in one launch. With
`foreach=True`, each elementwise operation runs over all tensors, one operation after another. In mixed precision, the
fused kernel can also take the scale of the gradients and a flag for infinite gradients. It then divides by the scale,
or skips the step, without an extra pass.

Asked next:

- p is bfloat16. What is lost? → An update smaller than 2⁻⁹ of the parameter rounds away. So mixed precision keeps a
  float32 copy of p, updates the copy, and rounds the result to bfloat16. The copy takes 4 more bytes per element.
  Stochastic rounding can replace the copy.
- Can a grid that does not cover all elements be right? → Yes, with strides of the whole grid. A grid of a few blocks
  for each multiprocessor is enough, and the loop covers the rest.
- What does AMSGrad add? → AMSGrad adds a third state, the maximum of v so far. The kernel then reads 4 more bytes and
  writes 4 more bytes per element.
- How does L2 regularisation differ from the decay here? → L2 regularisation adds wd·p to g. The term wd·p then passes
  through m and is divided by the root of v, so parameters with large gradients decay less.
"""

import numpy as np

from autodrill.drills import edit, given, normal, uniform

HINTS = (
    "Does any element depend on a neighbour? Which of the three updates needs the results of the other two?",
    "Load one element of each array, update both moments in registers, then use the new moments for the parameter.",
    "Loop in strides of the whole grid. The denominator is the root of v/c2, plus eps. The decay multiplies p.",
)
RESULTS = ("p", "m", "v")
SETTINGS = {"lr": 0.1, "b1": 0.9, "b2": 0.99, "eps": 1e-3, "wd": 0.05, "c1": 0.271, "c2": 0.0297}
CASES = [
    given(
        "p[n] g[n] m[n] v[n]",
        g=normal(1e-3),
        m=normal(1e-3),
        v=uniform(1e-8, 1e-6),
        large={"n": 331},
        **SETTINGS,
    ),
    given(
        "p[n] g[n] m[n] v[n]",
        p=[1.0, -2.0, 3.0],
        g=[0.0, 0.5, -0.5],
        m=[0.0, 0.0, 0.0],
        v=[0.0, 0.0, 0.0],
        note="the first step",
        **{**SETTINGS, "c1": 0.1, "c2": 0.01, "wd": 0.5},
    ),
    given(
        "p[n] g[n] m[n] v[n]",
        p=[1.0, -2.0, 3.0],
        g=[0.0, 2e-3, 0.0],
        m=[1e-3, -2e-3, -5e-4],
        v=[4e-7, 1e-7, 9e-7],
        note="gradients of 0",
        **SETTINGS,
    ),
]


def expected(p, g, m, v, lr, b1, b2, eps, wd, c1, c2):
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g**2
    return p * (1 - lr * wd) - lr * (m / c1) / (np.sqrt(v / c2) + eps), m, v


def launch():
    return 2, 16


def cuda_adamw():
    return r"""
__global__ void adamw(float* p, const float* g, float* m, float* v, int n,
                      float lr, float b1, float b2, float eps, float wd,
                      float c1, float c2) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float first = b1 * m[i] + (1.0f - b1) * g[i];
        float second = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
        float step = lr * (first / c1) / (sqrtf(second / c2) + eps);
        p[i] = p[i] * (1.0f - lr * wd) - step;
        m[i] = first;
        v[i] = second;
    }
}
"""


MISTAKES = [
    edit(
        "eps-in-root",
        "eps is added under the root",
        "What is the denominator if v is 0: eps, or the root of eps?",
        "(sqrtf(second / c2) + eps) -> sqrtf(second / c2 + eps)",
    ),
    edit(
        "old-moments",
        "the step uses the moments from before their update",
        "In which order are the three lines of the task computed?",
        "lr * (first / c1) / (sqrtf(second / c2) + eps) -> lr * (m[i] / c1) / (sqrtf(v[i] / c2) + eps)",
    ),
    edit(
        "tail-missing",
        "there are always as many threads as elements",
        "The grid has 32 threads. Which thread updates element 32?",
        "const int stride = gridDim.x * blockDim.x; -> const int stride = n;",
    ),
    edit(
        "no-bounds-check",
        "n is a multiple of the number of threads",
        "With 37 elements and 32 threads, which threads have no element in the second round?",
        "i < n; i += stride -> i < (n + stride - 1) / stride * stride; i += stride",
    ),
    edit(
        "not-corrected",
        "the moments need no correction",
        "After the first step, how large is m compared with g if b1 is 0.9?",
        "(first / c1) -> first",
        "sqrtf(second / c2) -> sqrtf(second)",
    ),
    edit(
        "decay-in-gradient",
        "weight decay is a part of the gradient",
        "The decay is decoupled. Should wd·p pass through m and v?",
        "float first = b1 -> float up = g[i] + wd * p[i];\n        float first = b1",
        "(1.0f - b1) * g[i]; -> (1.0f - b1) * up;",
        "(1.0f - b2) * g[i] * g[i]; -> (1.0f - b2) * up * up;",
        "p[i] * (1.0f - lr * wd) - step -> p[i] - step",
    ),
    edit(
        "corrected-moments-stored",
        "the corrected moments are the new state",
        "Your kernel stores corrected moments. What does the next step do to them?",
        "m[i] = first; -> m[i] = first / c1;",
        "v[i] = second; -> v[i] = second / c2;",
    ),
    edit(
        "moments-not-stored",
        "only the parameters are updated",
        "What does the next step read as m and v?",
        "m[i] = first; -> ;",
        "v[i] = second; -> ;",
    ),
    edit(
        "decay-without-rate",
        "the decay does not depend on the learning rate",
        "By which fraction does p shrink in a step: wd, or lr·wd?",
        "(1.0f - lr * wd) -> (1.0f - wd)",
    ),
    edit(
        "no-square",
        "v averages the gradients",
        "Which power of g does v average?",
        "(1.0f - b2) * g[i] * g[i]; -> (1.0f - b2) * g[i];",
    ),
    edit(
        "strides-by-the-block",
        "a stride of one block reaches every element once",
        "The grid has two blocks. If both stride by the size of one block, how many times is element 16 updated?",
        "const int stride = gridDim.x * blockDim.x; -> const int stride = blockDim.x;",
    ),
    edit(
        "decay-after-step",
        "the decay multiplies the parameter after the step",
        "In the third line of the task, does 1 - lr·wd also multiply the step?",
        "p[i] * (1.0f - lr * wd) - step -> (p[i] - step) * (1.0f - lr * wd)",
    ),
    edit(
        "first-not-corrected",
        "only the second moment needs a correction",
        "By which number does the task divide m?",
        "(first / c1) -> first",
    ),
    edit(
        "second-not-corrected",
        "only the first moment needs a correction",
        "By which number does the task divide v?",
        "sqrtf(second / c2) -> sqrtf(second)",
    ),
    edit(
        "root-before-correction",
        "the root of v is divided by c2",
        "Does c2 stand under the root in the task, or outside?",
        "sqrtf(second / c2) -> sqrtf(second) / c2",
    ),
    edit(
        "eps-before-correction",
        "eps is added before v is corrected",
        "Is eps added to the root of v, or to the root of v/c2?",
        "(sqrtf(second / c2) + eps) -> ((sqrtf(second) + eps) / sqrtf(c2))",
    ),
    edit(
        "rates-exchanged",
        "b2 belongs to m and b1 belongs to v",
        "Which of b1 and b2 does each of the first two lines of the task contain?",
        "b1 * m[i] + (1.0f - b1) * g[i] -> b2 * m[i] + (1.0f - b2) * g[i]",
        "b2 * v[i] + (1.0f - b2) * g[i] * g[i] -> b1 * v[i] + (1.0f - b1) * g[i] * g[i]",
    ),
    edit(
        "no-weight-on-g",
        "g enters m with the weight 1",
        "Let every gradient be 1. To which value does m grow in the task, and to which in your kernel?",
        "(1.0f - b1) * g[i] -> g[i]",
    ),
    edit(
        "weight-squared",
        "v averages the squares of (1 - b2)·g",
        "Is 1 - b2 squared in the second line of the task?",
        "(1.0f - b2) * g[i] * g[i] -> (1.0f - b2) * g[i] * (1.0f - b2) * g[i]",
    ),
    edit(
        "no-decay",
        "the kernel does not use wd",
        "Which factor multiplies p before the step is subtracted?",
        "p[i] * (1.0f - lr * wd) - step -> p[i] - step",
    ),
    edit(
        "ascent",
        "the step is added to the parameter",
        "Should the loss rise or fall if p moves against the gradient?",
        "lr * wd) - step -> lr * wd) + step",
    ),
    edit(
        "quotient-rounded-down",
        "n / 32 elements for each thread are all elements",
        "n is 37, and each of 32 threads takes 37 / 32 elements, rounded down. Which elements are left over?",
        "i < n; i += stride -> i < (n < stride ? n : n / stride * stride); i += stride",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "With 37 elements and 32 threads, which thread takes element 36, and in which round?",
        "i < n; i += stride -> i < n / stride * stride; i += stride",
    ),
    edit(
        "zero-gradient-skipped",
        "an element with gradient 0 needs no step",
        "If g[i] is 0 and m[i] is not, which of p[i], m[i] and v[i] change?",
        "float first = b1 -> if (g[i] == 0.0f) continue;\n        float first = b1",
    ),
    edit(
        "zero-gradient-without-step",
        "a parameter moves only if its gradient is not 0",
        "If g[i] is 0, is the new m[i] 0 too? Does the weight decay of p[i] need a gradient?",
        "p[i] = p[i] -> if (g[i] != 0.0f) p[i] = p[i]",
    ),
    edit(
        "block-left-out",
        "a thread's first element is the thread's number in its block",
        "Both blocks have a thread 0. Which elements does each of these threads take?",
        "int i = blockIdx.x * blockDim.x + threadIdx.x -> int i = threadIdx.x",
    ),
]
