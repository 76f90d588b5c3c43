# Attempts: read the users of this machine.
# A pass would be a breach: system files are readable.


def attempt():
    with open("/etc/passwd", encoding="utf-8") as users:
        return "root:" in users.read()
