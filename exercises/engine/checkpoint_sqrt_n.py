# /// autodrill
# title = "Checkpointing a chain in √N memory"
# kind = "program"
# difficulty = "hard"
# minutes = 20
# topics = ["memory", "engine"]
# requires = ["backward_engine"]
# ///
"""A network is a chain of N stages, with N of at least 1. `fs` is a list of N pairs
`(f, vjp)`. `f(a)` computes a stage's output from its input `a`. `vjp(a, g)` takes the
stage's *input* `a` and the gradient `g` of the stage's output, and returns the gradient
of `a`. The array `x` is the input of the chain, and `g` is the gradient of the chain's
output. Return the gradient of `x`.

Activations are large. At most 2·⌈√N⌉ + 3 of the activations made by `f` may be alive
at any time. Call each `f` at most twice and each `vjp` exactly once. Do not
change `x` or `g`.
"""


def checkpoint_sqrt_n(fs, x, g):
    raise NotImplementedError
