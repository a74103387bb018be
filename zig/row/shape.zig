//! What row-wise ops ask of the shapes of their tensors.

const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;
const Tensor = tensor.Tensor;
const Rows = tensor.Rows;

/// The rows of a tensor that will be written: no two of them may share memory.
pub fn written(t: *const Tensor) Error!Rows {
    const r = try t.rows();
    if (r.rows > 1 and r.cols > 0 and r.stride < r.cols) return error.Overlap;
    return r;
}

/// The rows of tensors of one shape. Where each is free of gaps they are one long row, so that short rows cost nothing.
pub fn flattened(comptime count: usize, tensors: [count]*const Tensor) Error![count]Rows {
    var all: [count]Rows = undefined;
    var dense = true;
    for (&all, tensors) |*r, t| {
        if (!t.sameShape(tensors[0])) return error.ShapeMismatch;
        r.* = try t.rows();
        dense = dense and (r.rows <= 1 or r.stride == r.cols);
    }
    if (dense) {
        const n = tensors[0].count();
        all = @splat(.{ .rows = @intFromBool(n > 0), .cols = n, .stride = n });
    }
    return all;
}
