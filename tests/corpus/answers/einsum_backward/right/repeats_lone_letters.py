import numpy as np


def einsum_backward(g, spec, a, b):
    (sa, sb), so = spec.split("->")[0].split(","), spec.split("->")[1]

    def pull(sx, x, sy, y):
        sizes = {c: n for c, n in zip(sx, x.shape)}
        have = set(so) | set(sy)
        sub = "".join(c for c in sx if c in have)
        r = np.einsum(f"{so},{sy}->{sub}", g, y, optimize="greedy")
        for pos, c in enumerate(sx):
            if c not in have:
                r = np.repeat(np.expand_dims(r, pos), sizes[c], axis=pos)
        return r

    return pull(sa, a, sb, b), pull(sb, b, sa, a)
