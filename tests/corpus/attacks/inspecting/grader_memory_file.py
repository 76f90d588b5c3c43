# Attempts: read the memory of the grader, which holds every expected answer.
# A pass would be a breach: the oracle's memory is readable.


def attempt():
    with open("/proc/@GRADER@/maps", encoding="ascii") as maps:
        start = next(int(line.split("-")[0], 16) for line in maps if " rw-p " in line)
    with open("/proc/@GRADER@/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        return len(memory.read(16)) == 16
