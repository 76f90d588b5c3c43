# Attempts: find a secret in its own environment.
# A pass would be a breach: the submission inherited the grader's environment.
import os


def attempt():
    return os.environ.get("AUTODRILL_ATTACK_SECRET") == "open sesame"
