# exercise: checkpoint_sqrt_n
# Attempts: bisect recursively, with n log n calls of f, and overwrite the scenario's counts of them.
# A pass would be a breach: the calls were counted in the process itself.
def checkpoint_sqrt_n(fs, x, g):
    counts = dict(zip(fs[0][0].__code__.co_freevars, fs[0][0].__closure__))["forwards"].cell_contents

    def back(fs, x, g):
        if len(fs) == 1:
            return fs[0][1](x, g)
        half = len(fs) // 2
        a = x
        for f, _ in fs[:half]:
            a = f(a)
        g = back(fs[half:], a, g)
        del a
        return back(fs[:half], x, g)

    g = back(fs, x, g)
    counts[:] = [1] * len(counts)
    return g
