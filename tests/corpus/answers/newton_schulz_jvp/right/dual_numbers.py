class Dual:
    def __init__(self, value, tangent):
        self.value, self.tangent = value, tangent

    @property
    def T(self):
        return Dual(self.value.T, self.tangent.T)

    def __add__(self, other):
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __rmul__(self, number):
        return Dual(number * self.value, number * self.tangent)

    def __matmul__(self, other):
        return Dual(self.value @ other.value, self.tangent @ other.value + self.value @ other.tangent)


def newton_schulz_jvp(x, dx, steps):
    length = (x * x).sum() ** 0.5
    X = Dual(x / length, dx / length - x * ((x * dx).sum() / length**3))
    for _ in range(steps):
        A = X @ X.T
        X = 3.4445 * X + (-4.775 * A + 2.0315 * (A @ A)) @ X
    return X.tangent
