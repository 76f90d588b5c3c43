"""The reference autodiff engine: the oracle that grades answers, written to be read.

PyTorch and JAX use the name `grad` for different functions. Here `grad(outputs, inputs)` differentiates tensors, as
`torch.autograd.grad` does, and `grad_of(f)` differentiates a function, as `jax.grad` does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from autodrill.engine import ops
from autodrill.engine.core.backend import Backend, BatchError, DeviceError, Devices, backend_named, register_backend
from autodrill.engine.core.devices import device
from autodrill.engine.core.mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from autodrill.engine.core.primitive import Primitive, RuleError
from autodrill.engine.core.pytree import register_container
from autodrill.engine.methods import Tensor
from autodrill.engine.reverse.backward import backward, grad

if TYPE_CHECKING:
    # Before the operations, of which the condition number has this name too.
    from autodrill.engine.transforms.control_flow import cond, scan, stop_gradient, while_loop

    # isort: split
    from autodrill.engine.checks.finite_differences import numerical_jvp, numerical_vjp
    from autodrill.engine.checks.gradcheck import gradcheck, gradgradcheck
    from autodrill.engine.core.generator import Generator
    from autodrill.engine.core.inference import inference_mode
    from autodrill.engine.core.primitive import registry
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.ops import *  # type: ignore[assignment] # `cond`: see above
    from autodrill.engine.reverse.anomaly import detect_anomaly, trace_nan
    from autodrill.engine.reverse.checkpoint import checkpoint
    from autodrill.engine.reverse.context import Context
    from autodrill.engine.reverse.function import Function, once_differentiable
    from autodrill.engine.reverse.hooks import Handle, saved_tensors_hooks
    from autodrill.engine.scalar import Value
    from autodrill.engine.tracing.recording import tape_of, tape_of_value
    from autodrill.engine.tracing.tape import Tape
    from autodrill.engine.transforms.custom_rules import custom_jvp, custom_vjp
    from autodrill.engine.transforms.grad import grad_of, value_and_grad, vhp
    from autodrill.engine.transforms.jacobians import hessian, jacobian
    from autodrill.engine.transforms.jvp import hvp, jvp, linearize
    from autodrill.engine.transforms.vjp import vjp
    from autodrill.engine.transforms.vmap import vmap

__all__ = [
    "Backend",
    "BatchError",
    "Context",
    "DeviceError",
    "Devices",
    "Function",
    "Generator",
    "Handle",
    "IndexedSlices",
    "Primitive",
    "RuleError",
    "Tape",
    "Tensor",
    "Value",
    "backend_named",
    "backward",
    "checkpoint",
    "cond",
    "custom_jvp",
    "custom_vjp",
    "detect_anomaly",
    "device",
    "enable_grad",
    "grad",
    "grad_of",
    "gradcheck",
    "gradgradcheck",
    "hessian",
    "hvp",
    "inference_mode",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "linearize",
    "no_grad",
    "numerical_jvp",
    "numerical_vjp",
    "once_differentiable",
    "ops",
    "register_backend",
    "register_container",
    "registry",
    "saved_tensors_hooks",
    "scan",
    "set_grad_enabled",
    "stop_gradient",
    "tape_of",
    "tape_of_value",
    "trace_nan",
    "value_and_grad",
    "vhp",
    "vjp",
    "vmap",
    "while_loop",
]

_LATER = {
    "Context": "reverse.context",
    "Function": "reverse.function",
    "Generator": "core.generator",
    "Handle": "reverse.hooks",
    "IndexedSlices": "core.sparse",
    "Tape": "tracing.tape",
    "Value": "scalar",
    "checkpoint": "reverse.checkpoint",
    "cond": "transforms.control_flow",
    "custom_jvp": "transforms.custom_rules",
    "custom_vjp": "transforms.custom_rules",
    "detect_anomaly": "reverse.anomaly",
    "grad_of": "transforms.grad",
    "gradcheck": "checks.gradcheck",
    "gradgradcheck": "checks.gradcheck",
    "hessian": "transforms.jacobians",
    "hvp": "transforms.jvp",
    "inference_mode": "core.inference",
    "jacobian": "transforms.jacobians",
    "jvp": "transforms.jvp",
    "linearize": "transforms.jvp",
    "numerical_jvp": "checks.finite_differences",
    "numerical_vjp": "checks.finite_differences",
    "once_differentiable": "reverse.function",
    "saved_tensors_hooks": "reverse.hooks",
    "scan": "transforms.control_flow",
    "stop_gradient": "transforms.control_flow",
    "tape_of": "tracing.recording",
    "tape_of_value": "tracing.recording",
    "trace_nan": "reverse.anomaly",
    "value_and_grad": "transforms.grad",
    "vhp": "transforms.grad",
    "vjp": "transforms.vjp",
    "vmap": "transforms.vmap",
    "while_loop": "transforms.control_flow",
}
"""The names that are imported on first use, and their modules. The operations are imported on first use too."""

if not TYPE_CHECKING:  # with it a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name == "registry":
            from autodrill.engine.core.primitive import registry as found

            ops.names()  # imports all families
        elif name in _LATER:
            found = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        else:
            try:
                found = getattr(ops, name)
            except AttributeError:
                raise AttributeError(f"module `{__name__}` has no attribute `{name}`") from None
        return globals().setdefault(name, found)

    def __dir__() -> list[str]:
        return sorted({*__all__, *ops.names(), *ops.further_names()})
