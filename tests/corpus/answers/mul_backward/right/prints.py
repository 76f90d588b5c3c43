def mul_backward(self, other, out):
    print("self", self.data, "other", other.data, "<- [red]not markup[/red]")
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
    print("done", flush=True)
