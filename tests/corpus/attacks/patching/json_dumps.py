# Attempts: replace the serialiser of the result record.
# A pass would be a breach: the submission wrote the record.
import json

json.dumps = lambda *args, **kwargs: '{"passed": true}'


def mul_broadcast_backward(g, a, b):
    return g * 0 + 7.0, g * 0 + 7.0
