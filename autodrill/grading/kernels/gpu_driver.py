"""GPU driver: launches a kernel in the candidate's process, which receives this file as a scenario.

The process is spawned and never forked, because a CUDA context does not survive a fork. `PACKAGES`, defined before
this text, is the folder that cupy is imported from. The process could not find it otherwise.
"""

import os
import sys
from typing import Any

import numpy as np  # noqa: TID253  it runs where NumPy is

PACKAGES: str

os.environ["CUPY_CACHE_IN_MEMORY"] = "1"
sys.path.append(PACKAGES)  # noqa: F821  it is defined before this text
import cupy  # noqa: E402, TID253  it can be found only now

_compiled: dict[str, Any] = {}

cupy.zeros(1)  # creates the context, so that no launch waits for it


def drive(
    candidate: Any,
    launch: tuple[tuple[int, ...], tuple[int, ...], int],
    results: tuple[int, ...],
    bare: tuple[int, ...],  # noqa: ARG001  only the simulated device uses it
    *arguments: Any,
) -> Any:
    """Launch the kernel once, and return the arrays it has written to, as `simulator_driver.drive` does.

    Args:
        candidate: Returns the kernel's text and name, and of each parameter its dtype and whether it is a pointer.
        launch: Grid, block, and bytes of dynamic shared memory.
        results: The indexes of the arguments to return.
        bare: Those of them that are not initialized.
        arguments: The kernel's arguments.
    """
    text, name, types = candidate()
    if text not in _compiled:
        module = cupy.RawModule(code=text, options=("-std=c++17",), name_expressions=(name,))
        _compiled[text] = module.get_function(name)
    own = [
        cupy.asarray(np.array(a, dtype, order="C", ndmin=1)) if pointer else np.dtype(dtype).type(a)
        for a, (dtype, pointer) in zip(arguments, types, strict=True)
    ]
    grid, block, dynamic = launch
    _compiled[text](grid, block, tuple(own), shared_mem=dynamic)
    cupy.cuda.runtime.deviceSynchronize()
    back = tuple(cupy.asnumpy(own[i]).reshape(np.shape(arguments[i])) for i in results)
    return back if len(back) > 1 else back[0]
