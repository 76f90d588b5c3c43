# Attempts: lift a limit that the grader has set.
# A pass would be a breach: limits are no limits.
import resource


def attempt():
    _, before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before + 1, before + 1))
    return True
