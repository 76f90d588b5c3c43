# Attempts: lift a limit that has been set, as root may and nobody else.
# A pass would be a breach: limits are no limits.
# not live: needs CAP_SYS_RESOURCE, which root in a container may lack
import resource


def attempt():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    return True
