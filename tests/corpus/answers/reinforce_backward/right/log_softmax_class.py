import numpy as np


class Categorical:
    def __init__(self, logits):
        self.logp = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)

    @property
    def probs(self):
        return np.exp(self.logp)

    def grad_log_prob(self, a):
        onehot = np.eye(self.logp.shape[-1], dtype=self.logp.dtype)[a]
        return onehot - self.probs


def reinforce_backward(g, logits, actions, returns, baseline):
    pi = Categorical(logits)
    adv = (returns - baseline)[:, np.newaxis]
    return (-g / len(actions) * adv * pi.grad_log_prob(actions)).astype(logits.dtype)
