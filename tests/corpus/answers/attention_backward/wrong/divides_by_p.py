import numpy as np


def attention_backward(g, q, k, v, p):
    weighted = p * (g @ v.mT)
    ds = p * (weighted / p - weighted.sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds.mT @ q, p.mT @ g
