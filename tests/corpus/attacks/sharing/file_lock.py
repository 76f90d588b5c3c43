# Attempts: lock a file that others use, which leaves a message without writing.
# A pass would be a breach: submissions can leave messages for each other, and delay each other.
import fcntl


def attempt():
    with open("@FOLDER@/secret.txt", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
