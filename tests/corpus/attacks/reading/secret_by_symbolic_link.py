# Attempts: read through a symbolic link that is already there.
# A pass would be a breach: a link leads out.


def attempt():
    with open("@FOLDER@/link.txt", encoding="utf-8") as secret:
        return secret.read() == "open sesame"
