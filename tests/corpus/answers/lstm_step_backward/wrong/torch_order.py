import numpy as np
def lstm_step_backward(gh, gc, x, h, c, W):
    sig = lambda a: 1 / (1 + np.exp(-a))
    D, H = x.shape[1], h.shape[1]
    xh = np.hstack([x, h]); z = xh.dot(W)
    i, f, u, o = sig(z[:, :H]), sig(z[:, H:2*H]), np.tanh(z[:, 2*H:3*H]), sig(z[:, 3*H:])
    c2 = f * c + i * u; tc = np.tanh(c2)
    dc2 = gc + gh * o * (1 - tc * tc)
    dz = np.hstack([dc2 * u * i * (1 - i), dc2 * c * f * (1 - f), dc2 * i * (1 - u * u), gh * tc * o * (1 - o)])
    dxh = dz.dot(W.T)
    return dxh[:, :D].copy(), dxh[:, D:].copy(), dc2 * f, xh.T.dot(dz)
