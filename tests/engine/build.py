"""What most tests of the engine start from: a leaf, and the gradient it collected."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill.engine import Tensor


def leaf(*values: complex) -> Tensor:
    """Return a vector that requires grad."""
    return Tensor(np.array(values), requires_grad=True)


def gradient_of(tensor: Any) -> Any:
    """Return the array in `.grad`, of which there must be one."""
    assert tensor.grad is not None
    return tensor.grad.numpy()
