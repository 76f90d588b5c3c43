# /// autodrill
# title = "Checkpointing a chain in √N memory"
# kind = "program"
# difficulty = "hard"
# minutes = 20
# topics = ["memory", "checkpointing", "recomputation"]
# requires = ["backward_engine"]
# ///
"""A network is a chain of N stages, `fs`, a list of pairs `(f, vjp)`: `f(a)` computes a stage's output from its input,
and `vjp(a, g)` pulls the gradient `g` of that output back to the stage's *input* `a`. The input of the chain is `x`, an
array, and `g` is the gradient of its output. Return the gradient of `x`.

An activation is large. At no time may more than 2·⌈√N⌉ + 3 of those that `f` made be alive; and you may call each `f`
twice, no more, and each `vjp` once.
"""


def checkpoint_sqrt_n(fs, x, g):
    raise NotImplementedError
