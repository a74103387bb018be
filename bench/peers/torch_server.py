"""PyTorch as a peer that takes turns with others: a server on stdin and stdout, one JSON object a line each way.

{"op": "prepare", "m", "n", "k", "layout", "threads", "a", "b"}   a and b: base64 of little-endian f32  -> {"id"}
{"op": "time", "id", "calls"}                                     runs the product calls times          -> {"seconds"}
{"op": "result", "id"}                                            the latest product                    -> {"c"}
{"op": "drop", "id"}                                                                                    -> {}
"""
import base64
import json
import sys
import time

import torch

torch.set_grad_enabled(False)
products = {}
count = 0


def matrix(text, rows, columns):
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float32).view(rows, columns)


def settle():
    """Waits until the library's threads sleep, so that they do not spin into the next one's turn."""
    for _ in range(60):
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.001:
            return


def answer(q):
    global count
    if q["op"] == "prepare":
        m, n, k = q["m"], q["n"], q["k"]
        a = matrix(q["a"], k, m).T if q["layout"][0] == "T" else matrix(q["a"], m, k)
        b = matrix(q["b"], n, k).T if q["layout"][1] == "T" else matrix(q["b"], k, n)
        count += 1
        products[count] = (q["threads"], a, b, torch.empty(m, n))
        return {"id": count}
    if q["op"] == "time":
        threads, a, b, out = products[q["id"]]
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        calls = range(q["calls"])
        start = time.perf_counter()
        for _ in calls:
            torch.mm(a, b, out=out)
        seconds = time.perf_counter() - start
        if threads > 1:
            settle()
        return {"seconds": seconds}
    if q["op"] == "result":
        return {"c": base64.b64encode(products[q["id"]][3].numpy().tobytes()).decode()}
    del products[q["id"]]
    return {}


print(json.dumps({"torch": torch.__version__}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
