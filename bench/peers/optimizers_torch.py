"""PyTorch's optimizers as a peer that takes turns: a server on stdin and stdout, which times its own calls. server.ts describes the protocol; here a
problem is prepared by `prepare OP SIZES FOLDER`, the sizes of all tensors joined by commas, their values one behind the other in file 0, their
gradients in file 1.

usage: optimizers_torch.py THREADS
"""
import os
import sys
import time

import torch

torch.set_grad_enabled(False)
torch.set_num_threads(int(sys.argv[1]))


def read(folder, name, sizes):
    path = os.path.join(folder, name)
    whole = torch.from_file(path, size=os.path.getsize(path) // 4, dtype=torch.float32)
    # Tensors of memory of their own, as a model has them.
    return [part.clone() for part in whole.split(sizes)]


def prepare(op, sizes, folder):
    params, grads = read(folder, "0", sizes), read(folder, "1", sizes)
    for p, g in zip(params, grads):
        p.requires_grad_()
        p.grad = g
    if op == "adam_w":
        optimizer = torch.optim.AdamW(params, lr=1e-3, betas=(0.9, 0.999), weight_decay=0.01, fused=True)
        return optimizer.step, params
    if op == "sgd":
        optimizer = torch.optim.SGD(params, lr=1e-3, momentum=0.9, nesterov=True, fused=True)
        return optimizer.step, params
    if op == "ema":
        plain = [p.detach() for p in params]
        return lambda: torch._foreach_lerp_(plain, grads, 0.001), plain
    if op == "clip":
        limit = [1.0]

        def clip():
            torch.nn.utils.clip_grad_norm_(params, limit[0])
            limit[0] *= 0.99999

        return clip, grads
    if op == "sum_of_squares":
        found = [torch.zeros(())]

        def dot():
            found[0] = torch.dot(grads[0], grads[0])

        return dot, found
    if op == "copy":
        plain = [p.detach() for p in params]
        return lambda: torch._foreach_copy_(plain, grads), plain
    raise ValueError(op)


def settle():
    """Waits until the library's threads sleep, so that they do not spin into the next one's turn."""
    for _ in range(60):
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.001:
            return


problems = {}
count = 0


def answer(line):
    global count
    verb, rest = line.split(" ", 1)
    if verb == "prepare":
        op, sizes, folder = rest.split(" ", 2)
        count += 1
        problems[count] = prepare(op, [int(size) for size in sizes.split(",")], folder)
        return count
    name, _, rest = rest.partition(" ")
    compute, results = problems[int(name)]
    if verb == "time":
        start = time.perf_counter()
        for _ in range(int(rest)):
            compute()
        seconds = time.perf_counter() - start
        if torch.get_num_threads() > 1:
            settle()
        return seconds
    if verb == "result":
        with open(rest, "wb") as file:
            for result in results:
                file.write(result.contiguous().numpy().tobytes())
    elif verb == "drop":
        del problems[int(name)]
    return "ok"


print(torch.__version__, flush=True)
for line in sys.stdin:
    print(answer(line.rstrip("\n")), flush=True)
