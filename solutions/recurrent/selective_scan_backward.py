"""For each channel and state entry, the selective scan is a linear scan with two coefficients, the decay E and the
input:

    E_t = exp(dt_t A),    u_t = dt_t ∘ x_t,    h_t = E_t ∘ h_(t-1) + u_t B_tᵀ

Let λ_t be the gradient of the loss with respect to h_t. The state h_t reaches the loss through y_t = h_t C_t and
through h_(t+1). So λ follows the same recurrence backwards, with the decay of the later step:

    λ_T = g_T C_Tᵀ,    λ_t = g_t C_tᵀ + E_(t+1) ∘ λ_(t+1)

At step t, λ_t has shape (c, n). The gradient of the exponent dt_t A is a_t = λ_t ∘ E_t ∘ h_(t-1), because the slope of
exp is exp and E_t multiplies the old state. The gradient of u_t is μ_t = λ_t B_t, a sum over the state entries.

The rest is the product rule. The gradient of an input is summed over every axis that the input lacks. In index
notation, t is the step, i the channel and j the state entry:

    dx[t,i]  = μ[t,i] dt[t,i] + g[t,i] D[i]
    ddt[t,i] = μ[t,i] x[t,i] + Σ_j a[t,i,j] A[i,j]
    dA[i,j]  = Σ_t a[t,i,j] dt[t,i]
    dB[t,j]  = Σ_i λ[t,i,j] u[t,i]
    dC[t,j]  = Σ_i g[t,i] h[t,i,j]
    dD[i]    = Σ_t g[t,i] x[t,i]

dx and ddt have two terms each, because the forward uses x and dt twice. x also goes straight to the output, and dt sets
both the decay and the size of the input. Two checks follow. If dt_t is 0, the state passes step t unchanged, and step t
adds nothing to dA or dB. If dt_(t+1) A is very negative, E_(t+1) is 0, and λ_t is only g_t C_tᵀ.

Cost: O(T·c·n) operations, about three times as many as in the forward. This solution holds a few arrays of T·c·n
numbers. Two of them, E and h, are arrays of the forward, computed again.

PyTorch: Autograd differentiates a Python loop over the steps correctly. With n = 16 it saves slightly more than 2·n
numbers for each number of x, mainly the decays and the states. The library mamba_ssm has a CUDA kernel behind one
`autograd.Function`. Its forward saves the inputs and the state at the end of each chunk of 2048 steps. Its backward
computes the states within a chunk again.

Asked next:

- Mamba learns A_log and sets A = -exp(A_log), and dt = softplus(z). What are the two gradients? → The gradient of A_log
  is dA ∘ A, and the gradient of z is ddt ∘ σ(z). A stays negative and dt positive, so every decay lies between 0 and 1
  and no state can grow by itself.
- Why does Mamba use a scan and not a convolution, as S4 does? → A convolution needs a kernel that is the same at every
  step. Here the decay depends on dt_t, and the weight of the input depends on dt_t and B_t. So no such kernel exists.
  The scan composes associatively, so it still runs in O(log T) parallel steps.
- Mamba-2 has one number A for a whole head of channels, and one dt for each step of the head. What does Mamba-2 gain
  from this? → The decay from step s to step t is then one number L_ts for the head. So y - D ∘ x = (L ∘ C Bᵀ) u with a
  lower triangular L. This is a masked matrix product, as in attention. A chunk of this product runs on tensor cores,
  and between chunks only the state is passed on.
- The sequence starts from a state h_0 that is not 0. What changes? → The state before step 1 is h_0 instead of 0, so
  a_1 is not 0. The gradient of h_0 is E_1 ∘ λ_1.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, uniform

HINTS = (
    "Along which two paths does the state reach the loss? How many times does the forward use each of x and dt?",
    (
        "Compute the states again and keep them. Carry λ from the last step to the first, multiplied by the decay of "
        "the later step. Then apply the product rule at each use, and sum over each axis that the input lacks."
    ),
    (
        "Store λ, the decays and the states as (T, c, n) arrays. The gradient of the exponent dt * A is a = λ * E * "
        "... . The gradient ddt is one term from u = dt * x, plus the sum of a * A over the last axis."
    ),
)
PATTERN = "x[T,c] dt[T,c] A[c,n] B[T,n] C[T,n] D[c]"
STEPS, DECAYS = uniform(0, 1), uniform(-2, -0.1)
CASES = [
    given(PATTERN, dt=STEPS, A=DECAYS, large={"T": 300, "c": 40, "n": 8}),
    given("x[1,c] dt[1,c] A[c,n] B[1,n] C[1,n] D[c]", dt=STEPS, A=DECAYS, large=False, note="one step"),
    given("x[T,c] dt[T,c] A[c,1] B[T,1] C[T,1] D[c]", dt=STEPS, A=DECAYS, large=False, note="states of one number"),
    given(
        "x[15,1] dt[15,1] A[1,n] B[15,n] C[15,n] D[1]", dt=STEPS, A=DECAYS, large=False, note="one channel, 15 steps"
    ),
    given(
        "x[3,2] dt[3,2] A[2,2] B[3,2] C[3,2] D[2]",
        dt=[[0.5, 0.0], [0.0, 0.0], [0.0, 1.0]],
        A=[[-1.0, -0.5], [-2.0, -1.0]],
        note="steps of size 0",
    ),
    given(PATTERN, dt=uniform(1, 2), A=uniform(-60, -40), large=False, note="decays near 0"),
    # The product of all decays is about exp(-24000), too small for any floating-point format.
    given(
        "x[15,1] dt[15,1] A[1,2] B[15,2] C[15,2] D[1]",
        dt=uniform(1, 2),
        A=uniform(-1200, -900),
        large=False,
        note="decays that underflow, 15 steps",
    ),
]
MISTAKES = [
    edit(
        "step-size-in-input-only",
        "dt scales only the input of the state",
        "Where else does dt_t occur in the formula of h_t?",
        "ddt = du * x + (a * A).sum(axis=2) -> ddt = du * x",
    ),
    edit(
        "step-size-in-decay-only",
        "dt sets only the decay of the state",
        "What does dt_t multiply besides A?",
        "ddt = du * x + -> ddt =",
    ),
    edit(
        "decay-slope-without-dt",
        "the derivative of exp(dt·A) with respect to A is exp(dt·A)",
        "Differentiate exp(dt·A) with respect to A. Which inner factor does the chain rule give?",
        "dA = (a * dt[:, :, None]).sum(axis=0) -> dA = a.sum(axis=0)",
    ),
    edit(
        "exp-dropped",
        "the decay is dt·A, not its exponential",
        "What is the slope of exp at the exponent dt·A?",
        "lam * E -> lam",
    ),
    edit(
        "skip-dropped",
        "x acts only through the state",
        "Set C to 0. Does y still depend on x?",
        "dx = du * dt + g * D -> dx = du * dt",
    ),
    edit(
        "input-without-dt",
        "x enters the state unscaled",
        "Which factors multiply x_t in the formula of h_t?",
        "dx = du * dt + g * D -> dx = du + g * D",
    ),
    edit(
        "state-after",
        "exp(dt_t·A) multiplied h_t",
        "Which state did the decay of step t multiply: the one before or the one after the step?",
        "E * before -> E * h",
    ),
    edit(
        "state-after-from-step-2",
        "exp(dt_t·A) multiplied h_t in each step but the first",
        "Take step 2. Which state did its decay multiply: h_1 or h_2?",
        "E * before -> E * h * (np.arange(len(x)) > 0)[:, None, None]",
    ),
    edit(
        "state-before",
        "y_t reads the state before step t",
        "Take T = 1. Without the term D ∘ x_1, is y_1 always 0?",
        "dC = (g[:, :, None] * h) -> dC = (g[:, :, None] * before)",
    ),
    edit(
        "B-of-one-channel",
        "only the first channel uses B_t",
        "How many channels read B_t? How do the gradients from these channels combine?",
        "dB = ... -> dB = lam[:, 0] * u[:, :1]",
    ),
    edit(
        "no-carry",
        "a state matters only to its own output",
        "h_1 is part of h_2. Does g_2 reach x_1 in your code?",
        "lam[t - 1] += E[t] * lam[t] -> pass",
    ),
    edit(
        "off-by-one-decay",
        "the decay of step t links h_t to h_(t+1)",
        "Which decay links h_(t-1) to h_t? Which decay does your code use there?",
        "lam[t - 1] += E[t] * lam[t] -> lam[t - 1] += E[t - 1] * lam[t]",
    ),
    edit(
        "carry-without-decay",
        "the gradient passes from state to state unchanged",
        "What is the derivative of h_t with respect to h_(t-1)?",
        "lam[t - 1] += E[t] * lam[t] -> lam[t - 1] += lam[t]",
    ),
]


def forward(x, dt, A, B, C, D):
    E = engine.exp(engine.expand_dims(dt, 2) * A)
    added = engine.expand_dims(dt * x, 2) * engine.expand_dims(B, 1)
    states = [added[0]]
    for t in range(1, len(x)):
        states.append(E[t] * states[-1] + added[t])
    return (engine.stack(states) * engine.expand_dims(C, 1)).sum(axis=2) + D * x


def selective_scan_backward(g, x, dt, A, B, C, D):
    E, u = np.exp(dt[:, :, None] * A), dt * x
    h = u[:, :, None] * B[:, None, :]
    for t in range(1, len(x)):
        h[t] += E[t] * h[t - 1]
    before = np.concatenate([np.zeros_like(h[:1]), h[:-1]])
    lam = g[:, :, None] * C[:, None, :]
    for t in reversed(range(1, len(x))):
        lam[t - 1] += E[t] * lam[t]
    a = lam * E * before
    du = (lam * B[:, None, :]).sum(axis=2)
    dx = du * dt + g * D
    ddt = du * x + (a * A).sum(axis=2)
    dA = (a * dt[:, :, None]).sum(axis=0)
    dB = (lam * u[:, :, None]).sum(axis=1)
    dC = (g[:, :, None] * h).sum(axis=1)
    dD = (g * x).sum(axis=0)
    return dx, ddt, dA, dB, dC, dD


def through_states(g, x, dt, A, B, C, D, states):
    E, u = np.exp(dt[:, :, None] * A), dt * x
    h, before = states(E, u[:, :, None] * B[:, None, :])
    lam = g[:, :, None] * C[:, None, :]
    for t in reversed(range(1, len(x))):
        lam[t - 1] += E[t] * lam[t]
    a = lam * E * before
    du = (lam * B[:, None, :]).sum(axis=2)
    return (
        du * dt + g * D,
        du * x + (a * A).sum(axis=2),
        (a * dt[:, :, None]).sum(axis=0),
        (lam * u[:, :, None]).sum(axis=1),
        (g[:, :, None] * h).sum(axis=1),
        (g * x).sum(axis=0),
    )


@mistake(
    "rebuilt-states",
    "h_(t-1) can be computed from h_t by a division by the decay",
    "The decay is exp(-100). After rounding, does h_t still depend on h_(t-1)?",
)
def selective_scan_backward(g, x, dt, A, B, C, D):
    def states(E, added):
        h, before = np.zeros_like(added), np.zeros_like(added)
        for t in range(len(x)):
            h[-1] = E[t] * h[-1] + added[t]
        for t in reversed(range(1, len(x))):
            h[t - 1] = before[t] = (h[t] - added[t]) / E[t]
        return h, before

    return through_states(g, x, dt, A, B, C, D, states)


@mistake(
    "closed-form",
    "the product of the decays is never 0",
    "Each of eight decays is exp(-100). What is their product in floating point, and by what does your code divide?",
)
def selective_scan_backward(g, x, dt, A, B, C, D):
    def states(E, added):
        product = np.cumprod(E, axis=0)
        h = product * (added / product).cumsum(axis=0)
        return h, np.concatenate([np.zeros_like(h[:1]), h[:-1]])

    return through_states(g, x, dt, A, B, C, D, states)


@mistake(
    "rebuilt-from-the-last-state",
    "each h_(t-1), even h_0, follows from h_t by a division by the decay",
    "The decay is exp(-100). After rounding, does h_t still depend on h_(t-1)?",
)
def selective_scan_backward(g, x, dt, A, B, C, D):
    def states(E, added):
        h, before = np.zeros_like(added), np.zeros_like(added)
        for t in range(len(x)):
            h[-1] = E[t] * h[-1] + added[t]
        for t in reversed(range(len(x))):
            before[t] = (h[t] - added[t]) / E[t]
            if t:
                h[t - 1] = before[t]
        return h, before

    return through_states(g, x, dt, A, B, C, D, states)
