"""Records what PyTorch computes, for tests/torch_test.ts: values and gradients of each op, AdamW over ten steps, and one training step
of the example's model, dense and with a mixture of experts, all on the CPU in f64 unless an entry says otherwise.

Inputs are not recorded: both sides make them from a seed by whole-number arithmetic, multiples of 2^-12 from -2 to 2, which f32 holds
exactly. To add an op, add one entry to `ops` and one line to the table of torch_test.ts under the same name, and run

    python tests/torch/record.py tests/torch/answers.json

with a Python that can import torch (PyPI's `torch`).
"""
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)


def numbers(count, seed):
    """The inputs of torch_test.ts: a linear congruential generator."""
    state, out = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append(((state >> 18) - 8192) / 4096)
    return out


def make(shape, seed):
    return torch.tensor(numbers(math.prod(shape), seed), dtype=torch.float64).reshape(shape)


def flat(x):
    """Fifteen digits: a part in 1e15, where the comparison asks for one in 1e12."""
    return [float(f"{v:.15g}") for v in x.detach().double().flatten().tolist()]


def whole(values, shape=None):
    """An input of labels or ids, which is recorded and has no gradient."""
    return torch.tensor(values, dtype=torch.int64).reshape(shape or [len(values)])


def heads(x, count):
    """[batch, time, count · width] as [batch, count, time, width]."""
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def future(queries, keys):
    """What a query may not see: query i sees the keys up to i + (keys − queries)."""
    return torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)


def near(count, window):
    """What each of so many positions sees of the last `window` ones."""
    ones = torch.ones(count, count, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


def turned(x, positions):
    """Rotary embedding of halves, in complex numbers: element i and i + width/2 are one, times e^(i · position · 10000^(-2i/width))."""
    half = x.shape[-1] // 2
    angles = positions.double()[:, None] * 10000.0 ** (-torch.arange(half).double() / half)
    y = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([y.real, y.imag], -1)


def experts(x, weight, bias):
    """The layer of each expert on its own rows: 2, none, and 4."""
    return torch.cat([F.linear(rows, w, b) for rows, w, b in zip(x.split([2, 0, 4]), weight, bias)])


def packed(q, k, v, queries, keys, **options):
    """Attention of each sequence on its own, of so many queries and keys."""
    parts = [x.split(sizes, 2) for x, sizes in ((q, queries), (k, keys), (v, keys))]
    masks = [~future(*sizes) for sizes in zip(queries, keys)]
    return torch.cat([F.scaled_dot_product_attention(*part, attn_mask=mask, **options) for *part, mask in zip(*parts, masks)], 2)


def choose(logits, k):
    """The experts with a row's k largest logits. Near a tie, rounding would choose, on each side in its own way."""
    values, chosen = logits.topk(k + 1)
    assert (values[:, :-1] - values[:, 1:]).min() > 0.001, "two logits are nearly equal: choose another seed"
    return chosen[:, :k]


def scores(logits, score):
    """What a router's logits become, not yet divided by a sum in the case of sigmoid."""
    return logits.softmax(-1) if score == "softmax" else logits.sigmoid()


def route(logits, k, score="softmax", normalize=True):
    """The weights of a row's k experts."""
    weights = scores(logits, score).gather(-1, choose(logits, k))
    return weights / weights.sum(-1, keepdim=True) if normalize else weights


def loads(logits, k):
    """How many rows chose each expert."""
    return choose(logits, k).flatten().bincount(minlength=logits.shape[-1])


def balance_loss(logits, k, score="softmax"):
    """experts · Σ_e (part of the choices) · (mean probability)."""
    p = scores(logits, score)
    parts = loads(logits, k).double() / (k * len(logits))  # whole numbers would be divided in f32
    return logits.shape[-1] * (parts * (p / p.sum(-1, keepdim=True)).mean(0)).sum()


def z_loss(logits):
    """The mean square of the logarithm of Σ_e exp(logit)."""
    return logits.logsumexp(-1).square().mean()


def geglu(h):
    """Of twice the columns, the gates first."""
    gate, up = h.chunk(2, -1)
    return F.gelu(gate) * up


def mixture(x, logits, k, up, down, activation=geglu, score="softmax"):
    """Σ over a row's k experts of weight · down(activation(up(x))), expert by expert; up and down are all experts' weights, and biases if any."""
    chosen, weights = choose(logits, k), route(logits, k, score)
    y = torch.zeros_like(x)
    for expert in range(logits.shape[-1]):
        rows, slots = (chosen == expert).nonzero(as_tuple=True)
        hidden = activation(F.linear(x.index_select(0, rows), *(p[expert] for p in up)))
        answer = F.linear(hidden, *(p[expert] for p in down))
        y = y.index_add(0, rows, answer * weights[rows, slots, None])
    return y


def biased_mixture(x, router, *p):
    """Experts with biases, a router of sigmoid scores, and the router's two losses."""
    logits = F.linear(x, router)
    return mixture(x, logits, 2, p[:2], p[2:], F.silu, "sigmoid"), balance_loss(logits, 2, "sigmoid"), z_loss(logits)


def by_expert(choices):
    """The choices of rows by two experts each, in the order of the experts."""
    return choices.flatten().argsort(stable=True)


LABELS = whole([3, 0, -100, 6, 6, -100, 1])
CHOICES = whole([3, 0, 0, 3, 1, 3, 0, 1], [4, 2])
IDS = whole([4, 0, 4, 2, 1, 4], [2, 3])

# Name: the inputs, shapes of floats or whole numbers, and the function; a tuple of results is compared one by one.
ops = {
    "add": ([[3, 1, 4], [2, 1]], lambda a, b: a + b),
    "mul": ([[3, 1, 4], [2, 1]], lambda a, b: a * b),
    "scale": ([[3, 5]], lambda x: -1.75 * x),
    "matmul": ([[5, 7], [7, 3]], lambda a, b: a @ b),
    "matmul, both transposed, alpha": ([[7, 5], [3, 7]], lambda a, b: 0.3 * (a.T @ b.T)),
    "matmul, batch by matrix": ([[2, 3, 4], [4, 5]], lambda a, b: a @ b),
    "matmul, batches broadcast": ([[2, 1, 3, 4], [3, 4, 2]], lambda a, b: a @ b),
    "matmul, depth over a block": ([[2, 300], [300, 3]], lambda a, b: a @ b),
    "linear": ([[2, 3, 5], [4, 5], [4]], F.linear),
    "linear without bias": ([[6, 5], [4, 5]], F.linear),
    "layerNorm": ([[4, 9], [9], [9]], lambda x, weight, bias: F.layer_norm(x, [9], weight, bias)),
    "layerNorm without bias, eps": ([[2, 3, 17], [17]], lambda x, weight: F.layer_norm(x, [17], weight, None, 0.1)),
    "softmax": ([[3, 17]], lambda x: torch.softmax(x, -1)),
    "softmax, scaled, causal": ([[2, 3, 5]], lambda x: torch.softmax((0.3 * x).masked_fill(future(3, 5), -torch.inf), -1)),
    "softmax, scaled, added mask": ([[2, 3, 5]], lambda x: torch.softmax(0.3 * x + make([3, 5], 78), -1)),
    "logSoftmax": ([[3, 17]], lambda x: F.log_softmax(3 * x, -1)),
    "rmsNorm": ([[2, 3, 17], [17]], lambda x, weight: F.rms_norm(x, [17], weight, 1e-5)),
    "layerNorm of a sum": ([[4, 9], [4, 9], [9], [9]], lambda x, residual, *p: (F.layer_norm(x + residual, [9], *p), x + residual)),
    "sigmoid": ([[3, 17]], lambda x: torch.sigmoid(3 * x)),
    "tanh": ([[3, 17]], torch.tanh),
    "swiglu": ([[3, 17], [3, 17]], lambda gate, up: F.silu(gate) * up),
    "mse": ([[3, 7], [3, 7]], F.mse_loss),
    "gelu": ([[3, 17]], lambda x: F.gelu(3 * x)),
    "gelu, tanh form": ([[3, 17]], lambda x: F.gelu(3 * x, approximate="tanh")),
    "geglu": ([[3, 17], [3, 17]], lambda gate, up: F.gelu(gate) * up),
    "silu": ([[3, 17]], lambda x: F.silu(3 * x)),
    "relu": ([[3, 17]], F.relu),
    "embedding": ([IDS, [5, 3]], F.embedding),
    "crossEntropy": ([[7, 9], LABELS], lambda x, labels: F.cross_entropy(x, labels)),
    "crossEntropy, another label ignored": ([[7, 9], LABELS.clamp(0)], lambda x, labels: F.cross_entropy(3 * x, labels, ignore_index=6)),
    "crossEntropy, leading axes": ([[2, 3, 5], IDS], lambda x, labels: F.cross_entropy(x.flatten(0, 1), labels.flatten())),
    "crossEntropy, several blocks of classes": (
        [[1, 2, 1100], whole([1099, 0], [1, 2])],
        lambda x, labels: F.cross_entropy(x.flatten(0, 1), labels.flatten()),
    ),
    "linearCrossEntropy": ([[7, 4], [9, 4], [9], LABELS], lambda x, weight, bias, labels: F.cross_entropy(F.linear(x, weight, bias), labels)),
    "linearCrossEntropy without bias, another label ignored, leading axes": (
        [[2, 3, 4], [5, 4], IDS],
        lambda x, weight, labels: F.cross_entropy(F.linear(x, weight).flatten(0, 1), labels.flatten(), ignore_index=2),
    ),
    "attention": ([[2, 3, 4, 5], [2, 3, 6, 5], [2, 3, 6, 5]], F.scaled_dot_product_attention),
    "attention, causal": ([[1, 2, 7, 4]] * 3, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
    "attention, scaled": ([[1, 2, 3, 4]] * 3, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.7)),
    "attention, heads that share keys, added mask": (
        [[2, 4, 3, 5], [2, 2, 6, 5], [2, 2, 6, 5]],
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=make([3, 6], 77), enable_gqa=True),
    ),
    "attention, hidden keys": (
        [[1, 2, 3, 4]] * 3,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor([[1, 0, 1], [0, 1, 0], [1, 1, 0]]).bool()),
    ),
    "attention, causal, window": ([[1, 2, 7, 4]] * 3, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=near(7, 3))),
    "attention, packed sequences, causal": ([[1, 2, 6, 4]] * 3, lambda q, k, v: packed(q, k, v, [2, 0, 4], [2, 0, 4])),
    "attention, packed sequences with more keys, heads that share keys, causal": (
        [[1, 4, 5, 3], [1, 2, 8, 3], [1, 2, 8, 3]],
        lambda q, k, v: packed(q, k, v, [2, 3], [5, 3], enable_gqa=True),
    ),
    "rotary": ([[2, 2, 3, 6]], lambda x: turned(x, torch.arange(3) + 5)),
    "rotary, neighbours": ([[2, 2, 3, 6]], lambda x: turned(x.unflatten(-1, (3, 2)).mT.flatten(-2), torch.arange(3)).unflatten(-1, (2, 3)).mT.flatten(-2)),
    "groupedLinear": ([[6, 5], [3, 4, 5], [3, 4]], experts),
    "route": ([[6, 5]], lambda x: route(x, 2)),
    "route, not normalized": ([[6, 5]], lambda x: route(x, 3, normalize=False)),
    "route, sigmoid": ([[6, 5]], lambda x: route(x, 3, "sigmoid")),
    "route, sigmoid, not normalized": ([[6, 5]], lambda x: route(x, 2, "sigmoid", normalize=False)),
    "gatherRows": ([CHOICES, [4, 3]], lambda choices, x: x.index_select(0, by_expert(choices) // 2)),
    "combineRows": (
        [CHOICES, [8, 3], [4, 2]],
        lambda choices, h, w: torch.zeros(4, 3).double().index_add(0, by_expert(choices) // 2, h * w.flatten()[by_expert(choices), None]),
    ),
    "loadBalanceLoss": ([[6, 5]], lambda x: balance_loss(x, 2)),
    "loadBalanceLoss, sigmoid": ([[6, 5]], lambda x: balance_loss(x, 2, "sigmoid")),
    "routerZLoss": ([[6, 5]], lambda x: z_loss(2 * x)),
    "moe, sigmoid, silu, biases": ([[6, 4], [4, 4], [4, 3, 4], [4, 3], [4, 4, 3], [4, 4]], biased_mixture),
    "sum": ([[3, 4]], lambda x: x.sum()),
    "sum over an axis": ([[3, 4, 2]], lambda x: x.sum(1)),
    "mean": ([[3, 4]], lambda x: x.mean()),
    "mean over an axis, kept": ([[3, 4, 2]], lambda x: x.mean(0, keepdim=True)),
    "reshape of transpose": ([[3, 4, 2]], lambda x: x.permute(2, 0, 1).reshape(6, 4)),
    "slice": ([[3, 5]], lambda x: x[:, 1:4]),
    "split": ([[3, 5]], lambda x: x.split([2, 3], 1)),
    "concat": ([[3, 2], [3, 4]], lambda a, b: torch.cat([a, b], 1)),
}


def record_op(name, inputs, function):
    seed = sum(name.encode()) * 97
    tensors, described = [], []
    for i, each in enumerate(inputs):
        if isinstance(each, torch.Tensor):
            tensors.append(each)
            described.append({"shape": list(each.shape), "whole": each.flatten().tolist()})
        else:
            tensors.append(make(each, seed + i).requires_grad_())
            described.append({"shape": each, "seed": seed + i})
    results = function(*tensors)
    results = results if isinstance(results, tuple) else (results,)
    # The gradient of Σ ⟨result, cotangent⟩.
    loss = sum((y * make(y.shape, seed + 50 + i)).sum() for i, y in enumerate(results))
    loss.backward()
    return {
        "inputs": described,
        "results": [{"shape": list(y.shape), "values": flat(y), "cotangent": seed + 50 + i} for i, y in enumerate(results)],
        "gradients": [flat(x.grad) if x.requires_grad else None for x in tensors],
    }


def record_adamw():
    """Ten steps of a matrix, which decays, and a vector, which does not."""
    shapes = [[3, 4], [5]]
    params = [make(shape, 7000 + i).requires_grad_() for i, shape in enumerate(shapes)]
    settings = {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-6}
    groups = [{"params": params[:1], "weight_decay": 0.1}, {"params": params[1:], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, **settings)
    steps = []
    for step in range(10):
        for i, p in enumerate(params):
            p.grad = make(p.shape, 7100 + 10 * step + i)
        optimizer.step()
        steps.append([flat(p) for p in params])
    return {"shapes": shapes, "seeds": [7000, 7100], "decay": 0.1, **settings, "steps": steps}


def parameters(c):
    """The model's parameters, in the order of the example's tree, from seeds in that order."""
    seed = c["seed"]

    def some(*shape, around=0.0):
        nonlocal seed
        seed += 1
        return (make(shape, seed) / 4 + around).requires_grad_()

    def norm():
        return {"weight": some(c["width"], around=1.0), "bias": some(c["width"])}

    def layer(inputs, outputs, bias=True):
        return {"weight": some(outputs, inputs), **({"bias": some(outputs)} if bias else {})}

    width, hidden, of_experts = c["width"], c["hidden"], [c["experts"]] if c["experts"] else []
    return {
        "token": {"weight": some(c["vocab"], width)},
        "position": {"weight": some(c["context"], width)},
        "blocks": [{
            "norm1": norm(),
            "qkv": layer(width, 3 * width),
            "out": layer(width, width),
            "norm2": norm(),
            **({"router": layer(width, c["experts"], bias=False)} if c["experts"] else {}),
            "up": {"weight": some(*of_experts, 2 * hidden, width)},
            "down": {"weight": some(*of_experts, width, hidden)},
        } for _ in range(c["layers"])],
        "norm": norm(),
    }


def model_losses(p, ids, following, c):
    """
    The example's model: pre-norm blocks, GEGLU or a mixture of GEGLU experts, output tied to the embedding. Returns what training makes small, mean
    cross-entropy and a hundredth of each block's balance loss; the mean cross-entropy; and of each mixture where each expert's rows end.
    """
    norm = lambda x, n: F.layer_norm(x, [c["width"]], n["weight"], n["bias"])
    balance, offsets = 0, []
    x = F.embedding(ids, p["token"]["weight"]) + p["position"]["weight"][:ids.shape[1]]
    for b in p["blocks"]:
        q, k, v = (heads(t, c["heads"]) for t in F.linear(norm(x, b["norm1"]), b["qkv"]["weight"], b["qkv"]["bias"]).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)
        x = x + F.linear(y, b["out"]["weight"], b["out"]["bias"])
        h = norm(x, b["norm2"]).flatten(0, 1)
        up, down = b["up"]["weight"], b["down"]["weight"]
        if c["experts"]:
            logits = F.linear(h, b["router"]["weight"])
            balance = balance + balance_loss(logits, c["topK"])
            offsets.append([0, *loads(logits, c["topK"]).cumsum(0).tolist()])
            y = mixture(h, logits, c["topK"], [up], [down])
        else:
            y = F.linear(geglu(F.linear(h, up)), down)
        x = x + y.reshape(x.shape)
    loss = F.cross_entropy((norm(x, p["norm"]) @ p["token"]["weight"].T).flatten(0, 1), following.flatten())
    return loss + 0.01 * balance, loss, offsets


def leaves(tree, path=""):
    """Paths and tensors, in order."""
    if isinstance(tree, torch.Tensor):
        yield path, tree
        return
    for key, value in (enumerate(tree) if isinstance(tree, list) else tree.items()):
        yield from leaves(value, f"{path}.{key}" if path else str(key))


SIZES = {"vocab": 19, "context": 6, "width": 8, "heads": 2, "layers": 2}
# One expert of the second block gets one row and another none; no two logits that matter are within 0.03.
models = {
    "dense": {**SIZES, "hidden": 12, "experts": 0, "topK": 0, "batch": 3, "seed": 8000},
    "experts": {**SIZES, "hidden": 6, "experts": 4, "topK": 2, "batch": 2, "seed": 9700},
}


def record_step(c):
    """Losses and gradients; then clipping to a norm of 1, and one step of AdamW on what has two axes or more, decaying."""
    p = parameters(c)
    text = lambda seed: [int((v + 2) / 4 * c["vocab"]) for v in numbers(c["batch"] * c["context"], seed)]
    ids, following = text(c["seed"] + 1001), text(c["seed"] + 1002)
    shape = [c["batch"], c["context"]]
    objective, loss, offsets = model_losses(p, whole(ids, shape), whole(following, shape), c)
    objective.backward()
    named = list(leaves(p))
    gradients = {path: flat(x.grad) for path, x in named}
    norm = torch.nn.utils.clip_grad_norm_([x for _, x in named], 1.0)
    settings = {"lr": 0.01, "betas": (0.9, 0.95)}
    decay = [[x for _, x in named if x.dim() > 1], [x for _, x in named if x.dim() == 1]]
    torch.optim.AdamW([{"params": decay[0], "weight_decay": 0.1}, {"params": decay[1], "weight_decay": 0.0}], **settings).step()
    return {
        "config": c,
        "ids": ids,
        "following": following,
        "objective": objective.item(),
        "loss": loss.item(),
        "offsets": offsets,
        "norm": norm.item(),
        "decay": 0.1,
        **settings,
        "gradients": gradients,
        "stepped": {path: flat(x) for path, x in named},
    }


def main(path):
    groups = {
        "ops": {name: record_op(name, *entry) for name, entry in ops.items()},
        "models": {name: record_step(c) for name, c in models.items()},
    }
    # A line for each entry: a change of one shows as a change of one.
    lines = lambda entries: ",\n".join(f"{json.dumps(key)}:{value}" for key, value in entries.items())
    compact = lambda value: json.dumps(value, separators=(",", ":"))
    written = {key: f"{{\n{lines({name: compact(value) for name, value in group.items()})}\n}}" for key, group in groups.items()}
    written |= {"torch": compact(torch.__version__.split("+")[0]), "adamW": compact(record_adamw())}
    with open(path, "w") as file:
        file.write(f"{{{lines(written)}}}\n")


main(sys.argv[1])
