"""Simulator driver: launches a compiled kernel in the candidate's process, which receives this file as a scenario.

A finding of `device.cpp` is raised as integers only. The parent process makes the message.
"""

import ctypes
from typing import Any

import numpy as np  # noqa: TID253  it runs where NumPy is


class Buffer(ctypes.Structure):
    """The struct of the same name in device.cpp."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_uint64),
        ("item", ctypes.c_uint64),
        ("bare", ctypes.c_int32),
        ("kept", ctypes.c_int32),
    )


class Finding(ctypes.Structure):
    """The struct of the same name in device.cpp."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("buffer", ctypes.c_int32),
        ("element", ctypes.c_int64),
        ("block", ctypes.c_int32),
        ("thread", ctypes.c_int32),
        ("other_block", ctypes.c_int32),
        ("other_thread", ctypes.c_int32),
        ("at", ctypes.c_int64),
        ("count", ctypes.c_int64),
    )


class DeviceError(Exception):
    """A finding of the simulated device."""


def drive(
    candidate: Any,
    launch: tuple[Any, ...],
    results: tuple[int, ...],
    bare: tuple[int, ...],
    *arguments: Any,
) -> Any:
    """Launch the kernel once, and return the arrays it has written to.

    Args:
        candidate: Returns the path of the compiled kernel, and of each parameter its dtype, whether it is a pointer
            and whether it points to const.
        launch: Grid, block, and bytes of dynamic shared memory. A fourth element asks for the traffic instead of the
            arrays: the fields of `Traffic` in device_traffic.h.
        results: The indexes of the arguments to return.
        bare: Those of them that are not initialized.
        arguments: The kernel's arguments.
    """
    path, types = candidate()
    own = [np.array(a, dtype, order="C", ndmin=1) for a, (dtype, _, _) in zip(arguments, types, strict=True)]
    which = (ctypes.c_int32 * len(own))(*[-1] * len(own))
    values = (ctypes.c_void_p * len(own))(*(array.ctypes.data for array in own))
    arrays = [i for i, (_, pointer, _) in enumerate(types) if pointer]
    buffers = (Buffer * max(1, len(arrays)))()
    for place, i in enumerate(arrays):
        which[i] = place
        buffers[place] = Buffer(own[i].ctypes.data, own[i].nbytes, own[i].itemsize, i in bare, types[i][2])
    grid, block = ((ctypes.c_uint32 * 3)(*axes) for axes in launch[:2])
    dynamic, found = ctypes.c_uint64(launch[2]), Finding()
    traffic = np.zeros(9, np.int64)
    counted = ctypes.c_void_p(traffic.ctypes.data if len(launch) > 3 else None)
    run = ctypes.CDLL(path).device_launch
    if run(grid, block, dynamic, values, which, len(own), buffers, len(arrays), ctypes.byref(found), counted):
        raise MemoryError("the simulated device has no room for this launch")
    if found.kind:
        size = own[arrays[found.buffer]].size if found.buffer >= 0 else 0
        where = (found.block, found.thread, found.other_block, found.other_thread, found.at, found.count)
        raise DeviceError(" ".join(map(str, (found.kind, found.buffer, size, found.element, *where))))
    if len(launch) > 3:
        return traffic
    back = tuple(own[i].reshape(np.shape(arguments[i])) for i in results)
    return back if len(back) > 1 else back[0]
