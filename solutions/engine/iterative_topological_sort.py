"""A recursive topological sort acts on a node twice. When it enters the node, it visits the inputs. When it leaves the
node, it appends the node to the order. A plain stack of nodes records only that a node must be entered.

So push each node that must be entered. On entering a node, push it again with the mark "leave", and push its inputs
above this entry. When the marked entry is at the top again, everything that was above it is done, including all of the
node's inputs.

Several consumers may push a node before it is entered for the first time. So the test for visited nodes must run when a
node comes off the stack.

A higher `sys.setrecursionlimit` is no alternative. The users of an engine choose how deep its graphs are, and a limit
that is high enough is not safe everywhere. Up to Python 3.10 every Python call uses the C stack. In 3.11, calls that
pass through C still use it, such as the calls that `map` makes. Overflowing the C stack kills the process instead of
raising an exception.

Cost: every edge pushes one entry and every node one more, so the time is O(nodes + edges). The stack is a list on the
heap and holds at most O(nodes + edges) entries at once.

PyTorch: the engine uses Kahn's algorithm. A first walk finds how many consumers will send each node a gradient, and a
node runs when all of these gradients have arrived. Of the nodes that are ready, the one created last runs first.
Freeing a long graph would recurse as well, with one destructor calling the next. So PyTorch collects the nodes in a
list and frees them one after another.

Asked next:

- What does your function do with a cycle? → The function returns a wrong order. A node that is met again counts as
  visited and is skipped, so it comes after one of its consumers. To detect a cycle, record when the walk enters a node
  and when it leaves the node. If the walk meets a node that it has entered but not left, there is a cycle. A recorded
  graph has no cycle, because a node's inputs exist before the node does.
- How would you sort by Kahn's algorithm? → You count each node's consumers in one walk, start from the root, and
  release an input when its count reaches 0. The order starts with the root, as backward needs it, and you may choose
  which ready node runs next. If there is a cycle, some counts never reach 0, or the root has a consumer.
- The stack may hold an entry for every edge. How can you make the stack shorter? → Keep pairs of a node and an iterator
  over its inputs. Take the next input from the top pair, and push a new pair if the input is new. If no input is left,
  pop the pair and append its node. Then the stack is a single path, with at most one entry per node.
- What else recurses on a chain of 50,000 nodes? → `copy.deepcopy` and `pickle` of the root recurse, and both raise
  RecursionError. A `__repr__` that shows a node's inputs would recurse too.
"""

import numpy as np

from autodrill.drills import mistake, scenario, shared

HINTS = (
    (
        "What does the recursive version do after its loop over the inputs? How does it still know the node at "
        "that point?"
    ),
    "Push each node twice: first with the mark `enter`, then with the mark `leave`, below the node's inputs.",
    (
        "Keep pairs `(node, leaving)` on the stack. On entering a node, push it again with `leaving` set, then "
        "push its inputs. On leaving a node, append it to the order."
    ),
)


topological = shared(__file__, "../_topological")
expected, drive, judge = topological.expected, topological.drive, topological.judge


@scenario(50_000, note="a chain of 50,000 nodes", because="each node needs only one visit")
def chain(rng, size):
    nodes = np.arange(size)
    return topological.shuffled(rng, np.stack([nodes[1:], nodes[:-1]], axis=1), np.zeros(size))


# Diagnosis compares no case that has a bound. This case has no bound, so it identifies a recursive walk.
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
    "a node may be appended as soon as it comes off the stack",
    "A walk meets a node twice: on entering it and on leaving it. Which of the two meetings does your stack record?",
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
    "the distance from the root orders the nodes",
    "A node may be near the root by one path and far by another. Which path counts?",
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
    "a node may be marked as visited when it is pushed",
    "A second consumer reaches a node that is still on the stack. Which of the two consumers must come after the node?",
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
    "the list must be in the order of reverse mode",
    "Read the task again: at which end of the list must the root be?",
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


@mistake(
    "no-visited",
    "every path must be walked",
    "Start from a leaf v and repeat v = v + v thirty times. How many visits does your walk make?",
)
def iterative_topological_sort(root):
    walk, stack = [], [root]
    while stack:
        node = stack.pop()
        walk.append(node)
        stack.extend(node._prev)
    return list({id(node): node for node in reversed(walk)}.values())


@mistake(
    "marks-nodes",
    "the walk may store its visited marks on the nodes",
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
    "looking again at nodes seen before costs nothing",
    "Take a node with 100,000 inputs, or a chain of 50,000 nodes. How many nodes does each step look at again?",
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


@mistake(
    "distances-corrected",
    "a distance from the root may be corrected each time a longer path is found",
    "Let each node of a chain use the two nodes before it. How many times does your walk correct a node's distance?",
)
def iterative_topological_sort(root):
    distance, nodes, todo = {id(root): 0}, {id(root): root}, [root]
    while todo:
        node = todo.pop()
        for source in node._prev:
            if distance.get(id(source), -1) <= distance[id(node)]:
                distance[id(source)] = distance[id(node)] + 1
                nodes[id(source)] = source
                todo.append(source)
    return [nodes[key] for key in sorted(nodes, key=lambda key: -distance[key])]


def released(root, distinct, each_time, take=-1):
    """Return the order in which the consumers release the nodes, the newest first (-1) or the oldest (0)."""
    nodes, waiting, stack = {}, {id(root): 0}, [root]
    while stack:
        node = stack.pop()
        if id(node) not in nodes:
            nodes[id(node)] = node
            for source in distinct(node._prev):
                waiting[id(source)] = waiting.get(id(source), 0) + 1
                stack.append(source)
    order, ready = [], [root]
    while ready:
        node = ready.pop(take)
        order.append(node)
        for source in each_time(node._prev):
            waiting[id(source)] -= 1
            if waiting[id(source)] == 0:
                ready.append(source)
    return order[::-1]


def once_each(sources):
    return list({id(source): source for source in sources}.values())


@mistake(
    "repeated-input-released-twice",
    "a consumer that uses a node twice counts once before the walk, and twice in the walk",
    "Let v = u + u. How many uses of u does your code count? By how much does v lower this count?",
)
def iterative_topological_sort(root):
    return released(root, once_each, list)


@mistake(
    "repeated-input-released-twice-oldest-first",
    "a consumer that uses a node twice counts once before the walk, and twice in the walk",
    "Let v = u + u. How many uses of u does your code count? By how much does v lower this count?",
)
def iterative_topological_sort(root):
    return released(root, once_each, list, take=0)


@mistake(
    "repeated-input-never-released",
    "a consumer that uses a node twice counts twice before the walk, and once in the walk",
    "Let v = u + u. How many uses of u does your code count? By how much does v lower this count?",
)
def iterative_topological_sort(root):
    return released(root, list, once_each)


@mistake(
    "inputs-once",
    "a node waits for each input once, but each use of an input counts as one input",
    "Let v use u twice, and use w. For how many inputs does v wait? How many are left when u is done?",
)
def iterative_topological_sort(root):
    nodes, missing, users, work = {id(root): root}, {}, {}, [root]
    while work:
        node = work.pop()
        missing[id(node)] = len(once_each(node._prev))
        for source in node._prev:
            users.setdefault(id(source), []).append(node)
            if id(source) not in nodes:
                nodes[id(source)] = source
                work.append(source)
    order, ready = [], [node for node in nodes.values() if not missing[id(node)]]
    while ready:
        order.append(ready.pop())
        for user in users.get(id(order[-1]), ()):
            missing[id(user)] -= 1
            if missing[id(user)] == 0:
                ready.append(user)
    return order
