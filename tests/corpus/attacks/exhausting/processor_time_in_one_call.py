# Attempts: compute inside one long C call, during which Python handles no signal.
# A pass would be a breach: the time limit does not hold.


def attempt():
    return sum(range(1_500_000_000)) > 0
