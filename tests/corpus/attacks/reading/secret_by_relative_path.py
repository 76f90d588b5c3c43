# Attempts: change the folder first, so that the path that is opened looks harmless.
# A pass would be a breach: files of this machine are readable.
import os


def attempt():
    os.chdir("@FOLDER@")
    with open("secret.txt", encoding="utf-8") as secret:
        return secret.read() == "open sesame"
