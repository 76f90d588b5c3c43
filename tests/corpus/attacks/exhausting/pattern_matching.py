# Attempts: match a regular expression that backtracks exponentially.
# A pass would be a breach: the time limit does not hold.
import re


def attempt():
    return re.fullmatch(r"(a|a)*b", "a" * 28) is None
