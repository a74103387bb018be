"""PyTorch's scaled_dot_product_attention as a peer: serve.py is the server, server.ts its client, which describes the protocol. A problem is prepared by
`prepare KIND CAUSAL BATCH HEADS KV_HEADS QUERIES KEYS WIDTH FOLDER`.

usage: attention_torch.py THREADS
"""
import torch
from torch.nn.functional import scaled_dot_product_attention

from serve import kept, read, serve


def heads_of(folder, name, batch, heads, time, width):
    """Memory of [batch, time, heads, width], as a model's projection leaves it."""
    return read(folder, name, batch, time, heads, width).transpose(1, 2)


def prepare(question):
    kind, causal, *sizes, folder = question.split(" ", 8)
    batch, heads, kv_heads, queries, keys, width = (int(size) for size in sizes)
    q = heads_of(folder, "0", batch, heads, queries, width)
    k, v = (heads_of(folder, name, batch, kv_heads, keys, width) for name in ("1", "2"))
    options = {"is_causal": causal == "true", "enable_gqa": heads != kv_heads}
    if kind == "forward":
        def forward():
            with torch.no_grad():
                return [scaled_dot_product_attention(q, k, v, **options)]

        return kept(forward)
    dy = heads_of(folder, "3", batch, heads, queries, width)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    y = scaled_dot_product_attention(*inputs, **options)
    return kept(lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True))


serve(prepare)
