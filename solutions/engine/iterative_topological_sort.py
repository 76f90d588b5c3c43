"""A recursive walk does something when it enters a node (look at its inputs) and something when it leaves it (append it
to the order). A stack of nodes alone only knows entering. So a node is put on the stack to be entered, and when it is
entered, once more with a mark that says "leave", *below* its inputs; when that comes up again, everything above it is
done, and with it all of the node's inputs.

A node may be pushed by several consumers before it is entered for the first time, so the question whether it was
visited is asked when it comes off the stack.

`sys.setrecursionlimit` is no way out: whoever uses the engine chooses the depth, and a limit that is high enough is not
safe everywhere: where calls use the C stack (all of them up to Python 3.10, in 3.11 those that pass through C, such as
`map`), overflowing it kills the process instead of raising.

Cost: every edge pushes one entry and every node one more, so O(nodes + edges) in time, and at most as many entries at
once, on the heap.

PyTorch: it counts instead: a first walk finds how many consumers each node will hear from, and a node is run when none
of them is left (Kahn's algorithm); of the nodes that are ready the one that was created last comes first. Freeing a
long graph would recurse as well, destructor within destructor, so nodes are collected in a list and freed one after
another.

Asked next:

- What does your function do with a cycle? → It answers, and wrongly: a node met again has been visited and is skipped,
  so it ends up behind one of its consumers. Tell entered from left, and meeting a node that is entered but not left is
  a cycle. A recorded graph has none, as a node's inputs exist before it does.
- What changes with Kahn's algorithm? → Count each node's consumers in one walk, start from the root, and release an
  input when its count reaches 0. The order comes root first, ready for backward, and whichever of the ready nodes is
  best may go next; a cycle shows as counts that never reach 0, or as a root that has a consumer.
- The stack may hold an entry for every edge. Can it be kept shorter? → Keep pairs of a node and an iterator over its
  inputs. Take the next input from the top one and push it if it is new; if there is none, pop and append. Then the
  stack is a single path, at most one entry a node.
- What else recurses on a chain of 50,000 nodes? → `copy.deepcopy` and `pickle` of the root: both raise RecursionError.
  So would a `__repr__` that shows a node's inputs.
"""

import numpy as np

from autodrill.drills import mistake, scenario, shared

HINTS = (
    "What does the recursive version do after its loop over the inputs, and how does it still know of the node then?",
    "Put each node on the stack twice, with a mark: once to be entered, once, below its inputs, to be left.",
    "Keep pairs `(node, leaving)`: on entering push the node again, as leaving, then its inputs; on leaving append.",
)


topological = shared(__file__, "../_topological")
expected, drive, judge = topological.expected, topological.drive, topological.judge


@scenario(50_000, note="a chain of 50,000 nodes", seconds=2.0, because="each node needs one visit")
def chain(rng, size):
    nodes = np.arange(size)
    return {"edges": np.stack([nodes[1:], nodes[:-1]], axis=1), "data": np.zeros(size)}


# The mistake of recursing is told from others by a case that is not put to the right alone.
@scenario(1_500, note="a chain of 1,500 nodes")
def short_chain(rng, size):
    return chain.make(rng, size)


CASES = [*topological.GRAPHS, short_chain, chain]


def iterative_topological_sort(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


@mistake(
    "recursive",
    "Python's own stack is deep enough",
    "How deep does Python recurse, and how many steps may a recurrent network have?",
)
def iterative_topological_sort(root):
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order


@mistake(
    "stack-without-leave",
    "coming off the stack is the moment to append a node",
    "A node is met twice in a walk: when it is entered and when it is left. Which of the two does your stack know?",
)
def iterative_topological_sort(root):
    order, visited, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if id(node) not in visited:
            visited.add(id(node))
            order.append(node)
            stack.extend(node._prev)
    return order[::-1]


@mistake(
    "queue",
    "distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which one counts?",
)
def iterative_topological_sort(root):
    order, visited, queue = [], {id(root)}, [root]
    for node in queue:
        order.append(node)
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                queue.append(source)
    return order[::-1]


@mistake(
    "visited-when-pushed",
    "a node may be marked when it is put on the stack",
    "A node that waits on the stack is pushed by a second consumer. Which of the two consumers must wait for it?",
)
def iterative_topological_sort(root):
    order, visited, stack = [], {id(root)}, [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
            continue
        stack.append((node, True))
        for source in node._prev:
            if id(source) not in visited:
                visited.add(id(source))
                stack.append((source, False))
    return order


@mistake(
    "root-first",
    "the order of the list is the order of reverse mode",
    "Read the task again: which end of the list does the root stand at?",
)
def iterative_topological_sort(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order[::-1]


@mistake("no-visited", "every path must be walked", "Count the visits in a chain of v = v + v.")
def iterative_topological_sort(root):
    walk, stack = [], [root]
    while stack:
        node = stack.pop()
        walk.append(node)
        stack.extend(node._prev)
    return list({id(node): node for node in reversed(walk)}.values())


@mistake(
    "marks-nodes",
    "a node may carry the mark that it was visited",
    "What does backward find in `.grad` after your walk, and what does your next walk find there?",
)
def iterative_topological_sort(root):
    order, stack = [], [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif node.grad is not None:
            node.grad = None
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order


@mistake(
    "looks-again",
    "looking once more at what was seen costs nothing",
    "A node has 40,000 inputs, or a list 50,000 nodes. How many of them does each step look at again?",
)
def iterative_topological_sort(root):
    order, done, stack = [], set(), [root]
    while stack:
        node = stack[-1]
        waiting = [source for source in node._prev if id(source) not in done]
        if waiting:
            stack.append(waiting[0])
        else:
            stack.pop()
            if id(node) not in done:
                done.add(id(node))
                order.append(node)
    return order
