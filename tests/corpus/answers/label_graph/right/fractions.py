from fractions import Fraction


def label_graph(x, y):
    X, Y = Fraction(x), Fraction(y)
    return {k: float(v) for k, v in dict(b=Fraction(1), a=X, x=2 * X + Y, y=X).items()}
