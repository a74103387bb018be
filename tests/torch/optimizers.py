"""Records what PyTorch's optimizers make of the same parameters and gradients: optimizers.json, which optimizer_test.ts compares with.

usage: python tests/torch/optimizers.py        (needs PyPI's torch; written with 2.15)

Everything is computed in double precision, so that the file holds the truth of the formulas, not PyTorch's rounding. Numbers come from a linear
congruential generator of whole numbers: the file does not depend on PyTorch's random numbers.
"""
import json
import math
import os

import torch
from torch.optim.swa_utils import get_ema_multi_avg_fn

torch.set_default_dtype(torch.float64)
shapes = {"wide": (3, 5), "tall": (6, 2), "square": (4, 4), "vector": (5,)}
steps, shown = 10, (1, 2, 10)
state = 12345


def numbers(shape):
    """Multiples of 2^-8 from -2 to 2: exact in f32, and short in the file."""
    global state
    values = []
    for _ in range(math.prod(shape)):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(((state >> 22) - 512) / 256)
    return torch.tensor(values).reshape(shape)


start = {name: numbers(shape) for name, shape in shapes.items()}
gradients = [{name: numbers(shape) for name, shape in shapes.items()} for _ in range(steps)]


def plain(tree):
    return {name: [float(f"{v:.12g}") for v in x.detach().flatten().tolist()] for name, x in tree.items()}


def walk(make):
    """The parameters after each of the shown steps, by an optimizer of matrices that decay and of vectors that do not."""
    params = {name: x.clone().requires_grad_() for name, x in start.items()}
    optimizer = make([p for p in params.values() if p.ndim == 2], [p for p in params.values() if p.ndim == 1])
    found = {}
    for t, grads in enumerate(gradients, 1):
        for name, p in params.items():
            p.grad = grads[name].clone()
        optimizer.step()
        if t in shown:
            found[t] = plain(params)
    return found


def grouped(kind, decay, **settings):
    return lambda matrices, vectors: kind(
        [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}], **settings
    )


class MuonInDouble:
    """Muon as its formulas say, since PyTorch's own iterates in bfloat16; everything else by AdamW."""

    def __init__(self, matrices, vectors, lr, decay, momentum, nesterov, scale, adam_lr):
        self.matrices, self.lr, self.decay, self.momentum, self.nesterov, self.scale = matrices, lr, decay, momentum, nesterov, scale
        self.buffers = [torch.zeros_like(p) for p in matrices]
        self.adam = torch.optim.AdamW(vectors, lr=adam_lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)

    @torch.no_grad()
    def step(self):
        self.adam.step()
        for p, buffer in zip(self.matrices, self.buffers):
            buffer.mul_(self.momentum).add_(p.grad)
            u = p.grad + self.momentum * buffer if self.nesterov else buffer
            x = u / (torch.linalg.norm(u) + 1e-7)
            # On singular values alone: the iteration is an odd polynomial.
            left, values, right = torch.linalg.svd(x, full_matrices=False)
            for _ in range(5):
                values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
            rows, columns = p.shape
            factor = 0.2 * math.sqrt(max(rows, columns)) if self.scale == "rms" else math.sqrt(max(1, rows / columns))
            p.mul_(1 - self.lr * self.decay).sub_(self.lr * factor * (left @ torch.diag(values) @ right))


def muon(**settings):
    return lambda matrices, vectors: MuonInDouble(matrices, vectors, **settings)


def moving_average(decay):
    average = [x.clone() for x in start.values()]
    update = get_ema_multi_avg_fn(decay)
    found = {}
    for t, grads in enumerate(gradients, 1):
        update(average, [grads[name] for name in shapes], t)
        if t in shown:
            found[t] = plain(dict(zip(shapes, average)))
    return found


def clipped(limit):
    params = {name: x.clone().requires_grad_() for name, x in start.items()}
    for name, p in params.items():
        p.grad = gradients[0][name].clone()
    # PyTorch divides by norm + 1e-6; without it, the factor is the quotient.
    norm = torch.nn.utils.get_total_norm([p.grad for p in params.values()])
    return {"limit": limit, "norm": norm.item(), "gradients": plain({name: p.grad * min(1, limit / norm) for name, p in params.items()})}


record = {
    "torch": torch.__version__,
    "shapes": shapes,
    "start": plain(start),
    "gradients": [plain(g) for g in gradients],
    "cases": {
        "adamW": walk(grouped(torch.optim.AdamW, 0.1, lr=0.01, betas=(0.9, 0.95), eps=1e-8)),
        "sgd": walk(grouped(torch.optim.SGD, 0.0, lr=0.05)),
        "sgd momentum": walk(grouped(torch.optim.SGD, 0.1, lr=0.05, momentum=0.9)),
        "sgd nesterov": walk(grouped(torch.optim.SGD, 0.1, lr=0.05, momentum=0.8, nesterov=True)),
        "muon rms": walk(muon(lr=0.01, decay=0.1, momentum=0.95, nesterov=True, scale="rms", adam_lr=0.01)),
        "muon shape": walk(muon(lr=0.02, decay=0.0, momentum=0.9, nesterov=False, scale="shape", adam_lr=0.001)),
        "ema": moving_average(0.9),
    },
    # PyTorch's own, of which the iteration is in bfloat16: a look that the formulas above are the same ones.
    "muon in bfloat16": walk(
        lambda matrices, vectors: torch.optim.Muon(matrices, lr=0.02, weight_decay=0.0, momentum=0.95, nesterov=True, adjust_lr_fn="original")
    ),
    "clip": clipped(1.5),
}
with open(os.path.join(os.path.dirname(__file__), "optimizers.json"), "w") as file:
    json.dump(record, file)  # `deno task fmt` breaks it into lines
