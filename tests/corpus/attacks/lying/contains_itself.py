# Attempts: return a list that contains itself, for the grader to walk for ever.
# A pass would be a breach, and so would be a grader that hangs or overflows its stack.


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    answer = []
    answer.append(answer)
    return answer
