"""The reference autodiff engine: the oracle that decides what is right, written to be read.

Two names meet here that PyTorch and JAX use for different things: `grad(outputs, inputs)` differentiates tensors, as
`torch.autograd.grad` does, and `grad_of(f)` differentiates a function, as `jax.grad` does.
"""

from __future__ import annotations

from autodrill.engine import ops
from autodrill.engine.backend import Backend, DeviceError, backend_named
from autodrill.engine.graph import backward, grad
from autodrill.engine.mode import enable_grad, is_grad_enabled, no_grad
from autodrill.engine.numerical import numerical_jvp, numerical_vjp
from autodrill.engine.ops import *  # noqa: F403 - `ops.__all__` names every operation once; a second list would drift
from autodrill.engine.primitive import Primitive, RuleError, registry
from autodrill.engine.tensor import Tensor
from autodrill.engine.transforms import grad_of, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from autodrill.engine.value import Value

__all__ = [
    "Backend",
    "DeviceError",
    "Primitive",
    "RuleError",
    "Tensor",
    "Value",
    "backend_named",
    "backward",
    "enable_grad",
    "grad",
    "grad_of",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "no_grad",
    "numerical_jvp",
    "numerical_vjp",
    "registry",
    "value_and_grad",
    "vjp",
]
__all__ += ops.__all__
