"""h reaches the loss along two kinds of paths. h is an output itself, with the gradient gh. h also passes through the
norm to y. The gradient of h is the sum of the gradients along both kinds of paths.

The norm is RMSNorm of h. Let ρ = 1/√(mean(h²) + eps) for each row, ĥ = h·ρ, and e = gy·gamma, the gradient of ĥ. ρ
depends on every entry of the row, with slope ∂ρ/∂h_j = -ρ² ĥ_j/D. Hence

    dh = gh + ρ (e - ĥ · mean(e ĥ))

h is a sum, so x and r move h by the same amount: dx = dr = dh. The two gradients have equal values. The caller may add
to one of them in place, so dx and dr need separate memory here. gamma is broadcast over all rows, hence dgamma = Σ gy·ĥ
over all axes but the last.

Two checks follow. With gy = 0, dx is gh: the stream passes gradients through unchanged. With gh = 0, dx is orthogonal
to h up to eps, because scaling h hardly moves y.

The cache needs h, ρ and gamma. h is kept in any case, because it is the stream. One product gives ĥ again. If the cache
held ĥ in place of h, ĥ would be a second array in memory next to h. y cannot replace h, because ĥ = y/gamma cannot be
computed for an entry with gamma = 0.

Cost: a mean per row and a few operations per element, as in the forward. Most of the time goes into moving the arrays.
The fused forward reads x and r and writes h and y, so it moves four arrays. If the addition and the norm are two
kernels, the norm also reads h.

PyTorch: in `h = x + r; y = F.rms_norm(h, (D,), gamma, eps)` the addition saves nothing. On the CPU the norm saves h, ρ,
h·ρ and gamma. `AddBackward0` passes the same tensor to both inputs. `torch.autograd.grad` returns this tensor twice,
whereas the `.grad` of two leaves are separate copies. Liger's Triton kernel, `LigerFusedAddRMSNormFunction`, saves h, ρ
and gamma, adds gh inside the backward kernel, and also returns one tensor for both inputs.

Asked next:

- Why not normalise the stream itself, as post-norm does? → Then every gradient on the stream would pass through each
  norm. In pre-norm, dh contains gh unchanged, so the last layer's gradient reaches the first layer on an identity path.
- The stream has length 1000·√D, and the output of the block is small. How large is the gradient through the norm,
  compared with gy? → Here ρ is 1/1000, so this part of dh is about 1/1000 of gy·gamma. Only the identity path remains
  at full size.
- Which of the two outputs may a later operation change in place? → y may change, because the backward does not read y.
  A change of h would change the cached array. PyTorch detects such a change by the version counter and raises an error.
- May the backward write dh into the memory of an upstream gradient, to save an array? → Only if nothing else reads that
  gradient. `AddBackward0` passes one tensor to two nodes, for example. If the first node overwrites the tensor, the
  second node gets a wrong gradient. In Liger, the option `in_place` lets the backward overwrite gy. The option is off
  by default in the layer `LigerFusedAddRMSNorm` and on by default in the function `liger_fused_add_rms_norm`.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import Scales, edit, given, normal, numbers_in

HINTS = (
    "h has two uses: it is the stream, and it goes through the norm. Which gradient does each use give to h?",
    "dh is gh plus the backward of RMSNorm applied to gy, at h. The sum h = x + r passes dh to both inputs.",
    "Cache h, gamma and rho = 1/√(mean(h²) + 1e-6). In the backward, `dh = gh + rho * (...)`, and dr is a copy of dx.",
)
COTANGENTS = ("gy", "gh")
OUTPUTS = ("y", "h")
RESULTS = ("dx", "dr", "dgamma")
EPS = 1e-6
EQUIVALENT = {"swap: (dh, dh.copy(), dgamma) -> (dh.copy(), dh, dgamma)": "dx and dr have equal values"}
CASES = [
    given("x[n,4] r[n,4] gamma[4]", times=1, large=False),
    given("x[2,k,n,5] r[2,k,n,5] gamma[5]", times=1, large=False),
    given("x[6] r[6] gamma[6]", times=1, large=False, note="one row"),
    given("x[60,50] r[60,50] gamma[50]", times=1, large=False, note="rows whose memory is measured"),
    given("x[n,1] r[n,1] gamma[1]", times=1, large=False, note="rows of one element"),
    given("x[n,3] r[n,3] gamma[3]", gamma=[0.0, -0.5, 2.0], times=1, large=False, note="a gamma of 0"),
    given("x[n,3] r[n,3] gamma[3]", r=normal(1e3), times=1, large=False, note="a stream near ±1000"),
    given(
        "x[2,3] r[2,3] gamma[3]",
        x=[[1.0, -2.0, 3.0], [1.0, 0.5, 2.0]],
        r=[[-1.0, 2.0, -3.0], [1.0, 1.0, 1.0]],
        times=1,
        large=False,
        note="a row of zeros",
    ),
    # The cache of a layer takes 72 KiB. With one more array of the shape of h, 60 layers take 8 MiB.
    given(
        "x[n,8] r[n,8] gamma[8]",
        times=60,
        large={"n": 1024},
        memory=6 << 20,
        because="the layers keep more than their caches may hold",
        note="60 layers",
    ),
]


def forward(x, r, gamma, times):
    h = x + r
    return engine.rms_norm(h, weight=gamma, eps=EPS), h


# The further layers have inputs of their own, and run between the forward and the backward of the first one.
def drive(candidate, x, r, gamma, times, gy, gh):
    class CacheTooLargeError(Exception):
        pass

    class SharedMemoryError(Exception):
        pass

    class OutputChangedError(Exception):
        pass

    class WrongReturnError(Exception):
        pass

    def parts(value, count, wanted):
        if not isinstance(value, (tuple, list)) or len(value) != count:
            raise WrongReturnError(f"the {wanted}")
        return value

    run_forward, run_backward = candidate
    with Scales() as scales:
        outputs, cache = parts(run_forward(x, r, gamma), 2, "forward must return `(y, h), cache`")
        y, h = parts(outputs, 2, "forward must return `(y, h), cache`")
        kept = scales.bytes // x.itemsize
    lent = (x, r, gamma)
    named = numbers_in([lent, y, h, cache], lent) - numbers_in([lent], lent)
    # An argument may be a view with gaps between its elements. The gaps are not the candidate's.
    held, most = numbers_in(cache, lent), x.size + gamma.size + x.size // len(gamma)
    if held > most:
        raise CacheTooLargeError(f"the cache holds {held} numbers; h, gamma and one number per row are {most}")
    if x.size > 1000 and kept > named + 1000:  # small objects take memory too
        raise CacheTooLargeError(f"the forward keeps about {kept - named} numbers outside its outputs and its cache")
    returned = [np.array(y), np.array(h)]
    caches = [run_forward(x + i, r, gamma)[1] for i in range(1, times)]
    run_forward(2 - x, 3 * r, gamma + 1)
    dx, dr, dgamma = parts(run_backward(gy, gh, cache), 3, "backward must return `dx, dr, dgamma`")
    del caches
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(returned, (y, h))):
        raise OutputChangedError("y or h changes after the forward has returned it")
    if isinstance(dx, np.ndarray) and isinstance(dr, np.ndarray) and np.shares_memory(dx, dr):
        raise SharedMemoryError("dx and dr share memory; an addition to one of them changes the other")
    return {"y": y, "h": h, "dx": dx, "dr": dr, "dgamma": dgamma}


def rmsnorm_residual_forward(x, r, gamma):
    h = x + r
    rho = 1 / np.sqrt((h * h).mean(axis=-1, keepdims=True) + EPS)
    return (h * rho * gamma, h), (h, rho, gamma)


def rmsnorm_residual_backward(gy, gh, cache):
    h, rho, gamma = cache
    hhat = h * rho
    e = gy * gamma
    along = (e * hhat).mean(axis=-1, keepdims=True)
    dh = gh + rho * (e - hhat * along)
    dgamma = (gy * hhat).reshape(-1, len(gamma)).sum(axis=0)
    return dh, dh.copy(), dgamma


MISTAKES = [
    edit(
        "stream-dropped",
        "y is the only output of the layer",
        "The backward receives gh too. Where does h go, apart from the norm?",
        "gh + rho -> rho",
    ),
    edit(
        "rms-constant",
        "the root mean square is a constant",
        "If you double h, does y move? With gh = 0, is your dx orthogonal to h?",
        "(e - hhat * along) -> e",
    ),
    edit(
        "dr-is-gh",
        "the stream bypasses the norm, so dr is gh",
        "h = x + r. Can x and r have different gradients?",
        "dh, dh.copy(), -> dh, gh.copy(),",
    ),
    edit(
        "at-x",
        "the norm acts on x, not on the sum",
        "Which array does the task square and average: x or h?",
        "(h * rho * gamma, h), (h, rho -> (x * rho * gamma, h), (x, rho",
        "np.sqrt((h * h) -> np.sqrt((x * x)",
    ),
    edit(
        "backward-at-x",
        "the norm acted on x, so the backward needs x",
        "Which array did the norm divide by its root mean square: x or h?",
        "gamma, h), (h, rho -> gamma, h), (x, rho",
    ),
    edit(
        "stream-through-norm",
        "gh passes through the norm too",
        "h is itself an output. Which operations are between h and this output?",
        "gh + rho * (e -> rho * (gh + e",
    ),
    edit(
        "stream-into-norm",
        "gh is a gradient of the normalised h",
        "h is itself an output. Which operations are between h and this output?",
        "e = gy * gamma -> e = gy * gamma + gh",
        "gh + rho * (e -> rho * (e",
    ),
    edit(
        "gh-added-to-gy",
        "gh is a second part of the gradient of y",
        "A loss reads only the stream h. Does gamma affect this loss?",
        "hhat = ... -> hhat = h * rho; gy = gy + gh",
        "gh + rho * (e -> rho * (e",
    ),
    edit(
        "y-over-gamma",
        "y divided by gamma gives back the normalised h",
        "One element of gamma is 0. What is y there, and which values of h lead to it?",
        "(h, rho, gamma) -> (h * rho * gamma, rho, gamma)",
        "hhat = h * rho -> hhat = h / gamma",
    ),
    edit(
        "lost-where-gamma-is-0",
        "where gamma is 0, the normalised h is 0",
        "One element of gamma is 0. If gamma moves there, does y move?",
        "(h, rho, gamma) -> (h * rho * gamma, rho, gamma)",
        "hhat = h * rho -> hhat = np.where(gamma == 0, 0, h) / np.where(gamma == 0, 1, gamma)",
    ),
    edit(
        "gamma-missing",
        "gamma does not affect the gradient of h",
        "y is the normalised h times gamma. What is the gradient of the normalised h?",
        "e = gy * gamma -> e = gy",
    ),
    edit(
        "sum-not-mean",
        "the forward takes the root of the sum of squares, not of their mean",
        "If one of D numbers moves by 1, how far does their mean move?",
        "hhat).mean( -> hhat).sum(",
    ),
    edit(
        "dgamma-uses-h",
        "gamma multiplies h itself",
        "What does gamma multiply in the forward: h, or h divided by its root mean square?",
        "(gy * hhat).resh -> (gy * h).resh",
    ),
    edit(
        "one-array",
        "one array can serve as both dx and dr",
        "Suppose later code adds something to dx in place. What happens to your dr?",
        "dh.copy() -> dh",
    ),
    edit(
        "caches-both",
        "saving one more array of the size of h is free",
        "Which of the arrays in your cache follows from the others by one multiplication?",
        "(h, rho, gamma) -> (h, rho, gamma, h * rho)",
        "h, rho, gamma = cache -> h, rho, gamma, _ = cache",
    ),
    edit(
        "kept-in-a-module-variable",
        "the root mean square may be kept in a variable of the module",
        "Run two forwards, then the backward of the first. Which forward's root mean square does it read?",
        "def rmsnorm_residual_forward(x, r, gamma): -> kept = {}\n\n\ndef rmsnorm_residual_forward(x, r, gamma):",
        "return (h * rho * gamma, h), (h, rho, gamma) -> kept[0] = rho; return (h * rho * gamma, h), (h, gamma)",
        "h, rho, gamma = cache -> (h, gamma), rho = cache, kept[0]",
    ),
]
