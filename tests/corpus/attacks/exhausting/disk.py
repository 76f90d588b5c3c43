# Attempts: write 64 MB.
# A pass would be a breach: the disk can be filled.


def attempt():
    with open("@FOLDER@/@MARK@", "wb") as file:
        for _ in range(64):
            file.write(bytes(1_000_000))
    return True
