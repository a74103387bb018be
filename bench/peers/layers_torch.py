"""PyTorch's plain ways of what group `layers` measures: serve.py is the server, server.ts its client, which describes the protocol. A problem is prepared
by `prepare OP ROWS WIDTH CLASSES HIDDEN EXPERTS FOLDER`; layers.ts tells the inputs of each op.

usage: layers_torch.py THREADS
"""
import torch
import torch.nn.functional as F

from serve import kept, read, serve

SLOTS = 2


def order_of(chosen, experts):
    """Borders between the experts, what stands at each place, and the place of each row and slot, of experts by row and slot."""
    flat = chosen.view(-1)
    order = flat.argsort(stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(len(order))
    offsets = F.pad(flat.bincount(minlength=experts).cumsum(0), (1, 0))
    return offsets, order, places.view(chosen.shape)


def linear_cross_entropy(rows, width, classes, folder):
    x, weight = read(folder, "0", rows, width).requires_grad_(), read(folder, "1", classes, width).requires_grad_()
    targets = torch.arange(rows) * 7919 % classes

    def step():
        loss = F.cross_entropy(F.linear(x, weight), targets)
        return [loss, *torch.autograd.grad(loss, [x, weight])]

    return kept(step)


def mixture(rows, width, hidden, experts, folder):
    """A loop over the experts, on the rows of each."""
    shapes = [(rows, width), (experts, width), (experts, 2 * hidden, width), (experts, width, hidden)]
    inputs = [read(folder, str(i), *shape).requires_grad_() for i, shape in enumerate(shapes)]
    x, router, up, down = inputs
    dy = read(folder, "4", rows, width)

    def step():
        weights, chosen = F.linear(x, router).softmax(-1).topk(SLOTS, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        order = chosen.view(-1).argsort(stable=True)
        of_row = order // SLOTS
        answers = []
        for e, part in enumerate(x[of_row].split(chosen.view(-1).bincount(minlength=experts).tolist())):
            gate, value = F.linear(part, up[e]).chunk(2, -1)
            answers.append(F.linear(F.gelu(gate) * value, down[e]))
        y = torch.zeros_like(x).index_add(0, of_row, torch.cat(answers) * weights.view(-1)[order, None])
        loss = (y * dy).sum()
        return [loss, *torch.autograd.grad(loss, inputs)]

    return kept(step)


def route(rows, experts, folder):
    logits = read(folder, "0", rows, experts)

    def best():
        weights, chosen = logits.softmax(-1).topk(SLOTS, -1)
        return [chosen, weights / weights.sum(-1, keepdim=True)]

    return kept(best)


def row_step(op, rows, width, experts, folder):
    chosen = read(folder, "0", rows, SLOTS).long()
    if op == "expert_order":
        return kept(lambda: order_of(chosen, experts))
    _, order, places = order_of(chosen, experts)
    of_row = order // SLOTS
    if op == "gather_rows":
        x = read(folder, "1", rows, width)
        return kept(lambda: [x.index_select(0, of_row)])
    h = read(folder, "1", rows * SLOTS, width)
    # Sums of rows, weighted or not, are what embedding_bag computes in one pass; index_add takes several.
    if op == "gather_rows_backward":
        return kept(lambda: [F.embedding_bag(places, h, mode="sum")])
    weights = read(folder, "2", rows, SLOTS)
    if op == "combine_rows":
        return kept(lambda: [F.embedding_bag(places, h, mode="sum", per_sample_weights=weights)])
    dy = read(folder, "3", rows, width)

    def backward():
        g = dy.index_select(0, of_row)
        dots = torch.linalg.vecdot(g, h)
        return [g * weights.view(-1)[order, None], dots[places]]

    return kept(backward)


def prepare(question):
    op, *sizes, folder = question.split(" ", 6)
    rows, width, classes, hidden, experts = (int(size) for size in sizes)
    if op == "linear_cross_entropy":
        return linear_cross_entropy(rows, width, classes, folder)
    if op == "moe":
        return mixture(rows, width, hidden, experts, folder)
    if op == "route":
        return route(rows, experts, folder)
    return row_step(op, rows, width, experts, folder)


serve(prepare)
