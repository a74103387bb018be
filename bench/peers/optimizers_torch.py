"""PyTorch's optimizers as a peer: serve.py is the server, server.ts its client, which describes the protocol. A problem is prepared by
`prepare OP SIZES FOLDER`, the sizes of all tensors joined by commas, their values one behind the other in file 0, their gradients in file 1.

usage: optimizers_torch.py THREADS
"""
import torch

from serve import kept, read, serve

torch.set_grad_enabled(False)


def tensors(folder, name, sizes):
    """Tensors of memory of their own, as a model has them."""
    return [part.clone() for part in read(folder, name).split(sizes)]


def prepare(question):
    op, sizes, folder = question.split(" ", 2)
    sizes = [int(size) for size in sizes.split(",")]
    params, grads = tensors(folder, "0", sizes), tensors(folder, "1", sizes)
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
        return kept(lambda: [torch.dot(grads[0], grads[0])])
    if op == "copy":
        plain = [p.detach() for p in params]
        return lambda: torch._foreach_copy_(plain, grads), plain
    raise ValueError(op)


serve(prepare)
