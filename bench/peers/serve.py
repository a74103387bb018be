"""The server side of a PyTorch peer: answers questions on stdin, one a line, and times its own calls. server.ts is the client and describes the protocol."""
import os
import sys
import time

import torch


def read(folder, name, *shape):
    """An array that the client wrote, in memory of PyTorch's own, which it aligns, where that of a file would be mapped. Files of f64 have a suffix."""
    path = os.path.join(folder, name)
    doubles = os.path.exists(f"{path}.f64")
    path, dtype = (f"{path}.f64", torch.float64) if doubles else (path, torch.float32)
    values = torch.from_file(path, size=os.path.getsize(path) // dtype.itemsize, dtype=dtype)
    return values.view(*shape).clone() if shape else values.clone()


def settle():
    """Waits until the library's threads sleep, so that they do not spin into the next one's turn."""
    for _ in range(60):
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.001:
            return


def kept(compute):
    """A call that returns what it computed, as `prepare` of `serve` has it."""
    results = []

    def keep():
        results[:] = compute()

    return keep, results


def answer(prepare, problems, verb, rest):
    if verb == "prepare":
        key = len(problems) + 1
        problems[key] = prepare(rest)
        return key
    key, _, rest = rest.partition(" ")
    compute, results = problems[int(key)]
    if verb == "time":
        calls = range(int(rest))
        start = time.perf_counter()
        for _ in calls:
            compute()
        seconds = time.perf_counter() - start
        if torch.get_num_threads() > 1:
            settle()
        return seconds
    if verb == "result":
        doubles = results[0].dtype == torch.float64
        with open(rest, "wb") as file:
            for result in results:
                file.write(result.detach().to(torch.float64 if doubles else torch.float32).contiguous().numpy().tobytes())
        return "f64" if doubles else "ok"
    if verb == "drop":
        problems[int(key)] = None
    return "ok"


def serve(prepare):
    """Answers until stdin ends. `prepare(question)` takes what follows that word and returns a call and the list of what the latest call computed."""
    torch.set_num_threads(int(sys.argv[1]))
    problems = {}
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        verb, rest = line.rstrip("\n").split(" ", 1)
        try:
            print(answer(prepare, problems, verb, rest), flush=True)
        except Exception as error:  # what one problem does not get is no reason to lose the others
            print("error", " ".join(f"{type(error).__name__}: {error}".split()), flush=True)
