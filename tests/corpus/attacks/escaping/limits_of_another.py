# Attempts: set the limits of another process to their present values.
# A pass would be a breach: the grader can be starved.
import resource


def attempt():
    resource.prlimit(int("@VICTIM@"), resource.RLIMIT_CORE, resource.prlimit(int("@VICTIM@"), resource.RLIMIT_CORE))
    return True
