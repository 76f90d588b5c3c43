# Attempts: list a folder, to see the other submissions.
# A pass would be a breach: names on this machine can be read.
import os


def attempt():
    return "secret.txt" in os.listdir("@FOLDER@")
