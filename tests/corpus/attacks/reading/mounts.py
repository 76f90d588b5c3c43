# Attempts: list what is mounted.
# A pass would be a breach: /proc can be opened.


def attempt():
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        return " / " in mounts.read()
