"""PyTorch's names of operations that have a name of NumPy's here. Each alias is the operation itself.

The parameters have NumPy's names; `core.primitive` accepts PyTorch's `dim` and `keepdim`.
"""

from __future__ import annotations

from autodrill.engine.ops.activation import sigmoid
from autodrill.engine.ops.arrange import repeat, unstack
from autodrill.engine.ops.contraction import matvec, outer
from autodrill.engine.ops.cumulative import trapezoid
from autodrill.engine.ops.elementary import arctan2
from autodrill.engine.ops.elementwise import (
    divide,
    maximum,
    minimum,
    multiply,
    negative,
    positive,
    power,
    subtract,
)
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.joining import vstack
from autodrill.engine.ops.linalg import matmul
from autodrill.engine.ops.parts import absolute, conj
from autodrill.engine.ops.reduce import max, min  # noqa: A004 - NumPy's names
from autodrill.engine.ops.rounding import remainder, trunc
from autodrill.engine.ops.shape import concatenate, expand_dims, moveaxis, swapaxes, transpose
from autodrill.engine.ops.solving import inv, pinv
from autodrill.engine.ops.special import digamma, gammaln, multigammaln
from autodrill.engine.ops.trigonometric import arccos, arccosh, arcsin, arcsinh, arctan, arctanh

# fmt: off
__all__ = [
    "abs", "acos", "acosh", "amax", "amin", "asin", "asinh", "atan", "atan2", "atanh", "bmm", "cat", "clamp_max",
    "clamp_min", "clone", "concat", "conj_physical", "div", "expit", "fix", "ger", "inverse", "lgamma", "mm", "mod",
    "movedim", "mul", "mv", "mvlgamma", "neg", "permute", "pinverse", "pow", "psi", "repeat_interleave", "row_stack",
    "sub", "swapdims", "take_along_dim", "trapz", "true_divide", "unbind", "unsqueeze",
]
# fmt: on

abs = absolute
acos, acosh, asin, asinh, atan, atan2, atanh = arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh
amax, amin = max, min
bmm = mm = matmul
mv = matvec
ger = outer
cat = concat = concatenate
clamp_min, clamp_max = maximum, minimum
clone = positive
conj_physical = conj
div = true_divide = divide
mul, neg, sub, pow = multiply, negative, subtract, power
mod = remainder
fix = trunc
expit = sigmoid
lgamma, mvlgamma, psi = gammaln, multigammaln, digamma
inverse, pinverse = inv, pinv
movedim, swapdims, permute = moveaxis, swapaxes, transpose
repeat_interleave = repeat
row_stack = vstack
take_along_dim = take_along_axis
trapz = trapezoid
unbind = unstack
unsqueeze = expand_dims
