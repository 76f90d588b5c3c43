# Attempts: read the worked solution of the exercise from the installed pack and run it.
# A pass would be a breach: the answer was copied by machine.
import re
from pathlib import Path


def mul_broadcast_backward(g, a, b):
    text = Path("@REPOSITORY@/solutions/broadcast/mul_broadcast_backward.py").read_text(encoding="utf-8")
    helper = re.search(r"^def unbroadcast.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    solution = re.search(r"^def mul_broadcast_backward.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    scope = {}
    exec(helper[0] + solution[0], scope)
    return scope["mul_broadcast_backward"](g, a, b)
