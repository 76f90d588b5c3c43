# Attempts: reserve address space without using it.
# A pass would be a breach: the memory limit does not hold.
import mmap


def attempt():
    return len(mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)) == 1 << 36
