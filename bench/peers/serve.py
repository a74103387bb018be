"""The server side of a PyTorch peer: answers questions on stdin, one a line, and times its own calls. server.ts is the client and describes the protocol."""
import os
import sys
import time

import torch


def read(folder, name, *shape):
    """An array that the client wrote: f32, in memory of PyTorch's own, which it aligns, where that of a file would be mapped."""
    path = os.path.join(folder, name)
    values = torch.from_file(path, size=os.path.getsize(path) // 4, dtype=torch.float32)
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


def serve(prepare):
    """Answers until stdin ends. `prepare(question)` takes what follows that word and returns a call and the list of what the latest call computed."""
    torch.set_num_threads(int(sys.argv[1]))
    problems = {}
    count = 0
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        verb, rest = line.rstrip("\n").split(" ", 1)
        answer = "ok"
        if verb == "prepare":
            count += 1
            problems[count] = prepare(rest)
            answer = count
        else:
            key, _, rest = rest.partition(" ")
            compute, results = problems[int(key)]
            if verb == "time":
                calls = range(int(rest))
                start = time.perf_counter()
                for _ in calls:
                    compute()
                answer = time.perf_counter() - start
                if torch.get_num_threads() > 1:
                    settle()
            elif verb == "result":
                with open(rest, "wb") as file:
                    for result in results:
                        file.write(result.detach().float().contiguous().numpy().tobytes())
            elif verb == "drop":
                del problems[int(key)]
        print(answer, flush=True)
