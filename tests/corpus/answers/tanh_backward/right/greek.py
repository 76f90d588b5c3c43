def tanh_backward(self, out):
    τ, ḡ = out.data, out.grad
    self.grad += ḡ - ḡ * τ * τ
