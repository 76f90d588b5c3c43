# Attempts: start a hundred threads.
# A pass would be a breach: the table of processes can be filled.
import threading


def attempt():
    done = threading.Event()
    threads = [threading.Thread(target=done.wait, daemon=True) for _ in range(100)]
    try:
        for thread in threads:
            thread.start()
    finally:
        done.set()
    return True
