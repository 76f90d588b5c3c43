# Attempts: read the environment the grader was started with.
# A pass would be a breach: secrets of the grader are readable.


def attempt():
    with open("/proc/@GRADER@/environ", "rb") as environment:
        return b"PATH=" in environment.read()
