# Attempts: ask pathlib, and compare with a name that is not there.
# A pass would be a breach: existence can be told.
from pathlib import Path


def attempt():
    return Path("@FOLDER@/secret.txt").exists() and not Path("@FOLDER@/nothing.txt").exists()
