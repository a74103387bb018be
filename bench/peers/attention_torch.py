"""PyTorch's scaled_dot_product_attention as a peer that takes turns: a server on stdin and stdout, which times its own calls. server.ts describes the
protocol; here a problem is prepared by `prepare KIND CAUSAL BATCH HEADS KV_HEADS QUERIES KEYS WIDTH FOLDER`.

usage: attention_torch.py THREADS
"""
import os
import sys
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

torch.set_num_threads(int(sys.argv[1]))


def read(folder, name, batch, heads, time, width):
    path = os.path.join(folder, name)
    # Memory of [batch, time, heads, width], as a model's projection leaves it; a copy, because PyTorch aligns memory of its own and maps the file's.
    return torch.from_file(path, size=os.path.getsize(path) // 4, dtype=torch.float32).view(batch, time, heads, width).clone().transpose(1, 2)


def prepare(kind, causal, batch, heads, kv_heads, queries, keys, width, folder):
    q = read(folder, "0", batch, heads, queries, width)
    k, v = (read(folder, name, batch, kv_heads, keys, width) for name in ("1", "2"))
    options = {"is_causal": causal, "enable_gqa": heads != kv_heads}
    if kind == "forward":
        def compute():
            with torch.no_grad():
                return [scaled_dot_product_attention(q, k, v, **options)]
        return compute
    dy = read(folder, "3", batch, heads, queries, width)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    y = scaled_dot_product_attention(*inputs, **options)
    return lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)


def settle():
    """Waits until the library's threads sleep, so that they do not spin into the next one's turn."""
    for _ in range(60):
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.001:
            return


problems = {}
results = {}
count = 0


def answer(line):
    global count
    verb, rest = line.split(" ", 1)
    if verb == "prepare":
        kind, causal, *sizes = rest.split(" ", 8)
        count += 1
        problems[count] = prepare(kind, causal == "true", *(int(size) for size in sizes[:-1]), sizes[-1])
        return count
    name, _, rest = rest.partition(" ")
    key = int(name)
    if verb == "time":
        start = time.perf_counter()
        for _ in range(int(rest)):
            results[key] = problems[key]()
        seconds = time.perf_counter() - start
        if torch.get_num_threads() > 1:
            settle()
        return seconds
    if verb == "result":
        with open(rest, "wb") as file:
            for result in results[key]:
                file.write(result.contiguous().numpy().tobytes())
    elif verb == "drop":
        del problems[key]
        results.pop(key, None)
    return "ok"


print(torch.__version__, flush=True)
for line in sys.stdin:
    print(answer(line.rstrip("\n")), flush=True)
