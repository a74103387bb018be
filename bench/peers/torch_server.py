"""PyTorch as a peer of products, experts' products and row-wise ops. serve.py is the server, server.ts its client, which describes the protocol.

usage: torch_server.py THREADS
"""
import os

import torch

from serve import kept, read, serve

torch.set_grad_enabled(False)


def prepare_product(layout, m, n, k, batch, folder):
    """The fastest routine that writes to a given tensor, and its result."""
    a = read(folder, "0", batch, k, m).transpose(1, 2) if layout[0] == "T" else read(folder, "0", batch, m, k)
    b = read(folder, "1", batch, n, k).transpose(1, 2) if layout[1] == "T" else read(folder, "1", batch, k, n)
    out = torch.empty(batch, m, n)
    if batch > 1:
        return (lambda: torch.bmm(a, b, out=out)), [out]
    a, b, out = a[0], b[0], out[0]
    if n == 1:
        x, y = b[:, 0].contiguous(), out[:, 0]
        return (lambda: torch.mv(a, x, out=y)), [out]
    if m == 1:
        x, y, t = a[0].contiguous(), out[0], b.T
        return (lambda: torch.mv(t, x, out=y)), [out]
    if k == 1:
        x, y = a[:, 0].contiguous(), b[0].contiguous()
        return (lambda: torch.outer(x, y, out=out)), [out]
    return (lambda: torch.mm(a, b, out=out)), [out]


def prepare_linear_backward(m, n, k, folder):
    dy, x, weight = read(folder, "0", m, n), read(folder, "1", m, k), read(folder, "2", n, k)
    dx, dw, db = torch.empty(m, k), torch.empty(n, k), torch.empty(n)
    dy_t = dy.T
    if m == 1:
        dy_row, x_row, weight_t, dx_row = dy[0], x[0], weight.T, dx[0]

        def one_row():
            torch.mv(weight_t, dy_row, out=dx_row)
            torch.outer(dy_row, x_row, out=dw)
            db.copy_(dy_row)

        return one_row, [dx, dw, db]

    def rows():
        torch.mm(dy, weight, out=dx)
        torch.mm(dy_t, x, out=dw)
        torch.sum(dy, 0, out=db)

    return rows, [dx, dw, db]


def prepare_grouped(part, way, m, n, k, experts, folder):
    """One of the products of experts: forward, dx or dw, as a loop over the experts or by torch._grouped_mm, which allocates its result."""
    x, weight, dy = read(folder, "0", m, k), read(folder, "1", experts, n, k), read(folder, "2", m, n)
    borders = [int(offset) for offset in read(folder, "3", experts + 1)]
    ranges = list(zip(borders, borders[1:]))
    weight_t, dy_t = weight.transpose(1, 2), dy.T
    if way == "grouped_mm":
        offsets = torch.tensor(borders[1:], dtype=torch.int32)
        a, b = {"forward": (x, weight_t), "dx": (dy, weight), "dw": (dy_t, x)}[part]
        return kept(lambda: [torch._grouped_mm(a, b, offs=offsets)])
    out = torch.empty(*{"forward": (m, n), "dx": (m, k), "dw": (experts, n, k)}[part])
    each = []
    for e, (begin, end) in enumerate(ranges):
        rows = slice(begin, end)
        each.append({
            "forward": (x[rows], weight_t[e], out[rows]),
            "dx": (dy[rows], weight[e], out[rows]),
            "dw": (dy_t[:, rows], x[rows], out[e]),
        }[part])

    def one_by_one():
        for a, b, c in each:
            torch.mm(a, b, out=c)

    return one_by_one, [out]


def prepare_rows(op, rows, cols, folder):
    """A row-wise op by the routine that writes to given tensors, where there is one; its results."""
    inputs = [read(folder, name.removesuffix(".f64"), rows, cols) for name in sorted(os.listdir(folder))]
    x, y, z = (inputs + [None, None, None])[:3]
    out, other = torch.empty_like(x), torch.empty_like(x)
    weight = (1 + torch.arange(cols) % 1024 / 1024).to(x.dtype)
    aten = torch.ops.aten
    found = [out]
    if op == "copy":
        return (lambda: out.copy_(x)), found
    if op == "softmax":
        return (lambda: aten._softmax.out(x, -1, False, out=out)), found
    if op == "softmax_backward":
        return (lambda: aten._softmax_backward_data.out(y, x, -1, x.dtype, grad_input=out)), found
    if op == "layer_norm":
        return kept(lambda: [torch.nn.functional.layer_norm(x, [cols], weight, weight)])
    if op == "layer_norm_backward":
        _, mean, rstd = aten.native_layer_norm(x, [cols], weight, weight, 1e-5)
        return kept(lambda: aten.native_layer_norm_backward(y, x, [cols], mean, rstd, weight, weight, [True, True, True]))
    if op == "gelu":
        return (lambda: aten.gelu.out(x, out=out)), found
    if op == "gelu_backward":
        return (lambda: aten.gelu_backward.grad_input(y, x, grad_input=out)), found
    if op == "geglu":
        return (lambda: torch.mul(aten.gelu.out(x, out=other), y, out=out)), found
    if op == "geglu_backward":
        activated = torch.nn.functional.gelu(x)  # kept from the forward pass

        def backward():
            torch.mul(z, activated, out=other)
            aten.gelu_backward.grad_input(torch.mul(z, y, out=out), x, grad_input=out)

        return backward, [out, other]
    if op == "log_softmax":
        return (lambda: aten._log_softmax.out(x, -1, False, out=out)), found
    if op == "log_softmax_backward":
        return (lambda: aten._log_softmax_backward_data.out(y, x, -1, x.dtype, out=out)), found
    if op == "layer_norm_of_sum":
        return kept(lambda: [torch.nn.functional.layer_norm(torch.add(x, y, out=out), [cols], weight, weight), out])
    if op == "rms_norm":
        return kept(lambda: [torch.nn.functional.rms_norm(x, [cols], weight, 1e-5)])
    if op == "rms_norm_backward":
        # There is no kernel of its own on the CPU: what autograd composes, without the forward pass.
        with torch.enable_grad():
            z, w = x.requires_grad_(), weight.requires_grad_()
            normed = torch.nn.functional.rms_norm(z, [cols], w, 1e-5)
        return kept(lambda: torch.autograd.grad(normed, [z, w], y, retain_graph=True))
    if op == "silu":
        return (lambda: aten.silu.out(x, out=out)), found
    if op == "tanh":
        return (lambda: torch.tanh(x, out=out)), found
    if op == "swiglu":
        return (lambda: torch.mul(aten.silu.out(x, out=other), y, out=out)), found
    if op == "dropout":
        return kept(lambda: [torch.nn.functional.dropout(x, 0.1)])
    if op == "mse":
        return kept(lambda: [torch.nn.functional.mse_loss(x, y)])
    if op in ("cross_entropy", "cross_entropy_step"):
        labels, one = torch.arange(rows) * 7919 % cols, torch.ones((), dtype=x.dtype)
        mean, ignored = 1, -100

        def forward():
            logarithms = aten._log_softmax(x, -1, False)
            return logarithms, *aten.nll_loss_forward(logarithms, labels, None, mean, ignored)

        def step():
            # What autograd calls.
            logarithms, _, count = forward()
            picked = aten.nll_loss_backward(one, logarithms, labels, None, mean, ignored, count)
            return [aten._log_softmax_backward_data(picked, logarithms, -1, x.dtype)]

        return kept(step if op == "cross_entropy_step" else lambda: [forward()[1]])
    if op == "sum_of_squares":
        flat = x.view(-1)
        return kept(lambda: [torch.dot(flat, flat)])
    raise ValueError(op)


def prepare(question):
    kind, rest = question.split(" ", 1)
    if kind == "rows":
        op, rows, cols, folder = rest.split(" ", 3)
        return prepare_rows(op, int(rows), int(cols), folder)
    layout, m, n, k, batch, folder = rest.split(" ", 5)
    m, n, k, batch = int(m), int(n), int(k), int(batch)
    if kind == "product":
        return prepare_product(layout, m, n, k, batch, folder)
    if kind.startswith("grouped_"):
        return prepare_grouped(kind.removeprefix("grouped_"), layout, m, n, k, batch, folder)
    return prepare_linear_backward(m, n, k, folder)


serve(prepare)
