# exercise: bug_visited_equality
# Attempts: answer past the scenario with a value whose shape the judge does not expect, so that the judge raises.
# Wanted: verdict `internal` (exit 3, "our fault").
import sys

for name, module in list(sys.modules.items()):
    if name.endswith(".values") and hasattr(module, "encode"):
        module.encode = lambda result, limit: b"N"[:0] + b"i\x01\x00\x05"


def bug_visited_equality(root):
    return []
