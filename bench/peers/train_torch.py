"""The demo's model in PyTorch, eager, on the CPU: trains on random bytes and prints one JSON line with tokens a second.

A byte-level decoder: context 128, width 128, 4 heads, 4 pre-norm layers, output tied to the embedding; batch 16, AdamW (fused), gradients
clipped to norm 1. The feed-forward is a mixture of 4 GEGLU experts of hidden 256, of which each byte takes the 2 that a softmax router likes best,
or with --dense one GEGLU of hidden 512. PyTorch's fused attention and fused AdamW are its fastest ways here.

usage: train_torch.py [--threads N] [--steps N] [--dense] [--compile]
"""
import argparse
import json
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCAB, CONTEXT, WIDTH, HEADS, LAYERS, HIDDEN, BATCH = 256, 128, 128, 4, 4, 512, 16
EXPERTS, TOP_K, EXPERT_HIDDEN = 4, 2, 256
WARM_UP = 3

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--dense", action="store_true")
parser.add_argument("--compile", action="store_true")
args = parser.parse_args()
torch.set_num_threads(args.threads)
torch.manual_seed(0)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_up = nn.Linear(WIDTH, 2 * HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, -1)
        return self.down(F.gelu(gate) * up)


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.gate_up = nn.Parameter(torch.empty(EXPERTS, 2 * EXPERT_HIDDEN, WIDTH))
        self.down = nn.Parameter(torch.empty(EXPERTS, WIDTH, EXPERT_HIDDEN))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, WIDTH)
        weights, experts = self.router(x).softmax(-1).topk(TOP_K, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        experts = experts.reshape(-1)
        order = experts.argsort(stable=True)
        rows = order // TOP_K
        results = []
        for expert, part in enumerate(x[rows].split(experts.bincount(minlength=EXPERTS).tolist())):
            gate, up = (part @ self.gate_up[expert].T).chunk(2, -1)
            results.append((F.gelu(gate) * up) @ self.down[expert].T)
        y = torch.cat(results) * weights.reshape(-1)[order, None]
        return torch.zeros_like(x).index_add(0, rows, y).reshape(shape)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.ff = FeedForward() if args.dense else Experts()

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, tokens, WIDTH)
        x = x + self.proj(y)
        return x + self.ff(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x, targets):
        h = self.tokens(x) + self.positions.weight
        for block in self.blocks:
            h = block(h)
        return F.cross_entropy((self.norm(h) @ self.tokens.weight.T).view(-1, VOCAB), targets.reshape(-1))


model = Model()
for parameter in model.parameters():
    if parameter.dim() > 1:
        nn.init.normal_(parameter, std=0.02)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
run = torch.compile(model) if args.compile else model
data = torch.randint(0, 96, (BATCH, CONTEXT + 1))
times = []
for step in range(WARM_UP + args.steps):
    start = time.perf_counter()
    loss = run(data[:, :-1], data[:, 1:])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    times.append(time.perf_counter() - start)
timed = times[WARM_UP:]
tokens = BATCH * CONTEXT
print(json.dumps({
    "torch": torch.__version__,
    "threads": args.threads,
    "model": "dense" if args.dense else "experts",
    "compiled": args.compile,
    "steps": args.steps,
    "parameters": sum(p.numel() for p in model.parameters()),
    "tokens_per_second": round(tokens * len(timed) / sum(timed)),
    "tokens_per_second_median": round(tokens / statistics.median(timed)),
    "last_loss": round(loss.item(), 4),
}))
