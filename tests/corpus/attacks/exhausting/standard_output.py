# Attempts: print 8 MB.
# A pass would be a breach: the grader's memory or log can be filled.


def attempt():
    for _ in range(8):
        print("x" * 1_000_000)
    return True
