def add_backward(self, other, out):
    def give(node, amount):
        if node.grad == 0:
            node.grad = amount
        else:
            node.grad += amount

    give(self, out.grad)
    give(other, out.grad)
