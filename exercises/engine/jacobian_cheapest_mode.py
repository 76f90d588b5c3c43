# /// autodrill
# title = "A whole Jacobian in the cheaper mode"
# kind = "program"
# difficulty = "medium"
# minutes = 6
# topics = ["modes"]
# requires = ["softmax_jvp"]
# ///
"""A function has `n_in` inputs and `n_out` outputs, and J is its Jacobian at one point.
You are given both products of J with a vector, the JVP and the VJP:

    jvp(v)    J v,     v of shape (n_in,),  the result of shape (n_out,)
    vjp(u)    uᵀ J,    u of shape (n_out,), the result of shape (n_in,)

Each call costs about one evaluation of the function. Return the Jacobian J, of shape
(n_out, n_in), in as few calls as possible.
"""


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    raise NotImplementedError
