"""The gradient of the cross-entropy of a row is its softmax minus the one-hot label, and the mean divides by N:

    dz_ij = g (p_ij - [j = y_i]) / N        p_ij = exp(z_ij - m_i) / Σ_k exp(z_ik - m_i)

m_i is the maximum of row i. Subtracting m_i does not change p_ij. Without it, exp(1000) overflows in float32, and
infinity divided by infinity is NaN. After the shift the largest exponent is 0, so each sum is between 1 and C.

The warp goes over its row three times. First each lane takes the maximum of its columns, beginning at -infinity. A
butterfly with `__shfl_xor_sync` and fmaxf then gives all lanes the maximum of the row. In the second pass each lane
adds its exponentials, and a second butterfly adds the sums. In the third pass each lane writes its columns. A lane
without a column contributes -infinity to the maximum and 0 to the sum. This lane must still take part in the shuffles,
because the mask names it.

The sum must be in every lane, not only in lane 0, because every lane divides by the sum. A butterfly leaves the sum in
every lane.

Cost: z is read three times and dz is written once. After the first pass, a row of a few thousand classes comes from the
cache. So the traffic to memory is 8 bytes per element. The exponential is computed twice for each element. If the
forward saves the logarithm of the sum, one pass is enough.

PyTorch: `F.cross_entropy` is `log_softmax` followed by `nll_loss`, and each of the two records a node.
`LogSoftmaxBackward0` keeps the log-probabilities, a second N x C array, and computes g - exp(out) · Σ g. Before that,
`NllLossBackward0` writes a third array that is 0 except at the labels. Fused kernels, such as those of Liger Kernel,
compute dz during the forward and overwrite the logits with dz.

Asked next:

- C is 128,256. Is one warp per row still a good choice? → No. A lane would visit 4008 columns one after another. Use a
  block of several warps per row, and combine the warps' maxima and sums in shared memory.
- Can the maximum and the sum come from one pass? → Yes. Keep a running maximum and a running sum, and multiply the sum
  by exp(old - new) when the maximum rises. To merge two lanes, rescale both sums to the larger maximum.
- What if a row of logits is all -infinity? → The maximum is -infinity, and -infinity minus -infinity is NaN. The loss
  of such a row is NaN too. The caller must handle a mask that excludes every class.
- How do ignored labels change the kernel? → A row with an ignored label gets dz = 0. The divisor is the number of the
  other rows, which must be counted before the launch.
"""

from autodrill import engine
from autodrill.drills import below, edit, given, mistake

HINTS = (
    "Which two numbers of a row does every entry of its softmax need? Which of them keeps exp finite?",
    "Reduce the maximum, then the sum of shifted exponentials, so that every lane holds both results. Then loop again.",
    (
        "Subtract 1 from p at the label, then multiply by g and divide by N. Lanes without a column take part in each "
        "shuffle."
    ),
)
WRT = ("z",)


def late(rng, shape, sizes):
    z = rng.normal(size=shape)
    z[:, 35] = 200.0
    return z


CASES = [
    given("z[N,C] y[N]", y=below("C"), large={"N": 4, "C": 2053}),
    given(
        "z[3,5] y[3]",
        z=[
            [1000.0, 999.0, 998.0, 1000.5, 0.0],
            [-1000.0, -999.0, -1001.0, -1000.0, -998.0],
            [0.0, 90.0, 1.0, 2.0, 3.0],
        ],
        y=[3, 4, 0],
        note="logits of 1000",
    ),
    given("z[2,32] y[2]", y=[31, 0], large=False, note="as many classes as lanes"),
    given("z[3,40] y[3]", y=[32, 39, 7], large=False, note="labels above 31"),
    given("z[2,40] y[2]", z=late, y=[35, 3], large=False, note="the largest logit in column 35"),
]


def forward(z, y):
    return engine.cross_entropy(z, y)


def saved(z, y):
    return {"N": z.shape[0], "C": z.shape[1]}


def launch(N):
    return N, 32


def cuda_cross_entropy_backward():
    return r"""
__global__ void ce_bwd(float g, const float* z, const int* y, float* dz,
                       int N, int C) {
    int lane = threadIdx.x, i = blockIdx.x, row = i * C;
    float most = -INFINITY, sum = 0.0f;
    for (int j = lane; j < C; j += 32) most = fmaxf(most, z[row + j]);
    for (int bits = 16; bits >= 1; bits /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, bits));
    for (int j = lane; j < C; j += 32) sum += expf(z[row + j] - most);
    for (int bits = 16; bits >= 1; bits /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, bits);
    for (int j = lane; j < C; j += 32) {
        float p = expf(z[row + j] - most) / sum;
        dz[row + j] = g * (j == y[i] ? p - 1.0f : p) / N;
    }
}
"""


MISTAKES = [
    edit(
        "no-max",
        "a softmax needs no shift",
        "What is expf(1000), and what is infinity divided by infinity?",
        "sum += expf(z[row + j] - most); -> sum += expf(z[row + j]);",
        "float p = expf(z[row + j] - most) / sum; -> float p = expf(z[row + j]) / sum;",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the rows",
        "The loss is a mean over N rows. By how much does L change if the loss of one row rises by 1?",
        "/ N; -> ;",
    ),
    edit(
        "shfl-down-no-broadcast",
        "after shuffling down, every lane holds the sum",
        "In `__shfl_down_sync`, lane 31 has no lane above it. By which sum does lane 31 divide?",
        "sum += __shfl_xor_sync(0xffffffffu, sum, bits); -> sum += __shfl_down_sync(0xffffffffu, sum, bits);",
    ),
    edit(
        "max-down-no-broadcast",
        "after shuffling down, every lane holds the maximum",
        "In `__shfl_down_sync`, lane 31 has no lane above it. Which number does lane 31 subtract?",
        "most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, bits)); -> "
        "most = fmaxf(most, __shfl_down_sync(0xffffffffu, most, bits));",
    ),
    edit(
        "max-of-lane",
        "each lane can shift by its own maximum",
        "Two lanes shift by different numbers. Can their exponentials be added?",
        "most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, bits)); -> ;",
    ),
    edit(
        "maximum-from-0",
        "the maximum of a row is at least 0",
        "What do all exponentials of a row of logits near -1000 become if the shift is 0?",
        "most = -INFINITY -> most = 0.0f",
    ),
    edit(
        "no-label",
        "the gradient of the loss is the softmax",
        "The loss of a row falls if the logit of its label rises. Which term of the loss causes this?",
        "(j == y[i] ? p - 1.0f : p) -> p",
    ),
    edit(
        "no-upstream",
        "L is the end of the graph, so its upstream gradient is 1",
        "L may be multiplied by a scale before backward. Where does your kernel use g?",
        "g * (j -> (j",
    ),
    edit(
        "no-bounds-check",
        "C is a multiple of 32",
        "C is 41. Which column does lane 31 write in the second round?",
        "for (int j = lane; j < C; j += 32) { -> for (int j = lane; j < (C + 31) / 32 * 32; j += 32) {",
    ),
    edit(
        "mean-over-classes",
        "the mean runs over all logits",
        "Over how many losses does the mean run: N or N·C?",
        "/ N; -> / N / C;",
    ),
    edit(
        "divides-by-C",
        "the mean runs over the classes",
        "Is the loss a mean of N losses or of C losses?",
        "/ N; -> / C;",
    ),
    edit(
        "sum-of-lane",
        "a lane's own sum is the sum of the row",
        "Which columns does a lane visit? Where are the exponentials of the other columns?",
        "sum += __shfl_xor_sync(0xffffffffu, sum, bits); -> ;",
    ),
    edit(
        "label-compared-with-lane",
        "a lane's number is its column in every round",
        "C is 41. In which round does column 40 come, and which lane takes it?",
        "(j == y[i] ? -> (lane == y[i] ?",
    ),
    edit(
        "label-not-scaled",
        "g/N multiplies only the softmax",
        "L is multiplied by g and averaged over N rows. Do these factors also multiply the label's term?",
        "g * (j == y[i] ? p - 1.0f : p) / N -> g * p / N - (j == y[i] ? 1.0f : 0.0f)",
    ),
    edit(
        "sign",
        "the gradient is the label minus the softmax",
        "The loss falls if the logit of the label rises. Which sign must dz have at the label?",
        "(j == y[i] ? p - 1.0f : p) -> (j == y[i] ? 1.0f - p : -p)",
    ),
    edit(
        "label-equals-lane",
        "the lane whose number is the label takes the label's column",
        "The label is 39. Which lane takes column 39, and is the lane's number 39?",
        "(j == y[i] ? -> (j == y[i] && lane == y[i] ?",
    ),
    edit(
        "label-in-every-round",
        "the lane that takes the label's column subtracts 1 in each of its columns",
        "The label is 35. Which columns does lane 3 take, and at how many of them must it subtract 1?",
        "(j == y[i] ? -> (lane == y[i] % 32 ?",
    ),
    edit(
        "maximum-of-first-round",
        "the largest logit is in one of the first 32 columns",
        "The largest logit is in column 35. Which number does your kernel subtract?",
        "for (int j = lane; j < C; j += 32) most -> for (int j = lane; j < C; j += C) most",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "C is 41. Which lane takes column 40, and in which round?",
        "float most = -INFINITY, sum = 0.0f; -> float most = -INFINITY, sum = 0.0f;\n    C = C / 32 * 32;",
    ),
]


@mistake(
    "32-classes",
    "a row has at most as many classes as a warp has lanes",
    "C is 41. Which lane takes column 40?",
)
def cuda_cross_entropy_backward():
    return r"""
__global__ void ce_bwd(float g, const float* z, const int* y, float* dz,
                       int N, int C) {
    int j = threadIdx.x, i = blockIdx.x, at = i * C + j;
    float own = j < C ? z[at] : -INFINITY, most = own;
    for (int bits = 16; bits > 0; bits /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, bits));
    float sum = expf(own - most), p = sum;
    for (int bits = 16; bits > 0; bits /= 2) sum += __shfl_xor_sync(~0u, sum, bits);
    if (j < C) dz[at] = g * (p / sum - (j == y[i])) / N;
}
"""
