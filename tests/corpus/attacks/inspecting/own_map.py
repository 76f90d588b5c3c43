# Attempts: read its own memory map, which tells where every library lies.
# A pass would be a breach: /proc can be opened.


def attempt():
    with open("/proc/self/maps", encoding="ascii") as maps:
        return "r-xp" in maps.read()
