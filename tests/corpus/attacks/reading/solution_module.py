# Attempts: import the solution by its path.
# A pass would be a breach: the answer key is importable.
import importlib.util
import sys


def mul_broadcast_backward(g, a, b):
    sys.path.insert(0, "@REPOSITORY@")
    path = "@REPOSITORY@/solutions/broadcast/mul_broadcast_backward.py"
    spec = importlib.util.spec_from_file_location("key", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.unbroadcast(g * b, a.shape), module.unbroadcast(g * a, b.shape)
