# Attempts: have a worker process compute.
# A pass would be a breach: processes can be made.
import multiprocessing


def work(pipe):
    pipe.send("right")


def attempt():
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=work, args=(theirs,))
    worker.start()
    answer = ours.poll(3) and ours.recv()
    worker.join(3)
    return answer == "right"
