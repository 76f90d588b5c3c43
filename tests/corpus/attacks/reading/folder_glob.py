# Attempts: list a folder by pattern.
# A pass would be a breach: names on this machine can be read.
import glob


def attempt():
    return "@FOLDER@/secret.txt" in glob.glob("@FOLDER@/*")
