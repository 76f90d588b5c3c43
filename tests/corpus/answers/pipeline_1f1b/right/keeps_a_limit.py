def pipeline_1f1b(stage, stages, micro_batches):
    """Run a forward whenever the limit of kept micro-batches allows one, and a backward otherwise."""
    limit = stages - stage
    order, forwards, backwards = [], 0, 0
    while backwards < micro_batches:
        if forwards < micro_batches and forwards - backwards < limit:
            order.append(("F", forwards))
            forwards += 1
        else:
            order.append(("B", backwards))
            backwards += 1
    return order
