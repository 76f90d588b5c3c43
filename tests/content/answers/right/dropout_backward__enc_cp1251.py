# -*- coding: cp1251 -*-
import numpy as np


def dropout_backward(g, mask, p):
    return g * mask / (1 - p)  # привет
