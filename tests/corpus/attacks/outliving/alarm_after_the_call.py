# Attempts: answer rightly with the help of a timer's handler between two calls.
# A pass would be a breach: code of the submission ran between two calls, and read files.
import signal

found = []


def look(*_):
    with open("@FOLDER@/secret.txt", encoding="utf-8") as secret:
        found.append(secret.read())


signal.signal(signal.SIGALRM, look)
signal.setitimer(signal.ITIMER_REAL, 0.001)


def attempt():
    import time

    started = time.perf_counter()
    while not found and time.perf_counter() - started < 0.5:
        pass
    return bool(found)
