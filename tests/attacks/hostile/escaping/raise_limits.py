# Attempts: lift a limit that has been set, as root may and nobody else.
# A pass would be a breach: limits are no limits.
import resource


def attempt():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    return True
