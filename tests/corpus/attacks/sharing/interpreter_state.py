# Attempts: leave a mark in the interpreter for the next submission; the harness grades this file twice.
# A pass would be a breach: two submissions shared an interpreter.
import sys

was_there = hasattr(sys, "autodrill_attack")
sys.autodrill_attack = True


def attempt():
    return was_there
