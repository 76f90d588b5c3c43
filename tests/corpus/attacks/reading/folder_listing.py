# Attempts: list a folder, to learn who else has handed in.
# A pass would be a breach: names on this machine can be read.
import os


def attempt():
    return "secret.txt" in os.listdir("@FOLDER@")
