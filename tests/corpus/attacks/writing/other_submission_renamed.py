# Attempts: put another student's file under one's own name.
# A pass would be a breach: submissions can be exchanged.
import os


def attempt():
    os.rename("@FOLDER@/victim.txt", "@FOLDER@/@MARK@")
    return True
