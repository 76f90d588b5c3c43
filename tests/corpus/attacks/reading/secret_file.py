# Attempts: open a file by its path.
# A pass would be a breach: files of this machine are readable.


def attempt():
    with open("@FOLDER@/secret.txt", encoding="utf-8") as secret:
        return secret.read() == "open sesame"
