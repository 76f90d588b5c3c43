# Attempts: read its own memory through /proc, the first step of a heap scan.
# A pass would be a breach: /proc can be opened.


def attempt():
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(id(attempt))
        return len(memory.read(16)) == 16
