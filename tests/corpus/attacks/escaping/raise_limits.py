# Attempts: raise a limit, which only root may do.
# A pass would be a breach: limits can be raised.
# not live: needs CAP_SYS_RESOURCE, which root in a container may lack
import resource


def attempt():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    return True
