//! Tensors of ids or labels: i32 or u32 without gaps, read as the bits of u32.

const Device = @import("../device.zig").Device;
const status = @import("../status.zig");
const tensor = @import("../tensor.zig");
const Error = status.Error;

pub const Labels = struct {
    bits: []const u32,
    signed: bool,

    pub fn of(t: *const tensor.Tensor) Error!Labels {
        if (t.dtype != .i32 and t.dtype != .u32) return error.DtypeMismatch;
        if (!t.contiguous()) return error.LayoutMismatch;
        return .{ .bits = t.ptr(u32)[0..t.count()], .signed = t.dtype == .i32 };
    }

    pub fn value(l: Labels, i: usize) i64 {
        return if (l.signed) @as(i32, @bitCast(l.bits[i])) else l.bits[i];
    }

    /// The bits that stand for a number, or null where no label can equal it.
    pub fn bitsOf(l: Labels, number: f64) ?u32 {
        const low: f64 = if (l.signed) -2147483648 else 0;
        const high: f64 = if (l.signed) 2147483647 else 4294967295;
        if (!(number >= low and number <= high) or number != @trunc(number)) return null;
        return if (l.signed) @bitCast(@as(i32, @intFromFloat(number))) else @intFromFloat(number);
    }

    /// As `check`; where the call is only explained, or the labels lie on a GPU, they may not be computed yet, and all count as kept.
    pub fn checkOn(l: Labels, d: *const Device, count: usize, ignored: ?u32) Error!usize {
        return if (d.sees()) l.check(count, ignored) else l.bits.len;
    }

    /// The number of labels, from 0 on, that name one of `count` things, as unsigned numbers.
    pub fn limit(l: Labels, count: usize) usize {
        // As unsigned numbers negative labels are too large for any count that an i32 can name.
        return if (l.signed) @min(count, 1 << 31) else count;
    }

    /// Fails with the first label that is neither in 0..count nor `ignored`; answers how many are not ignored.
    pub fn check(l: Labels, count: usize, ignored: ?u32) Error!usize {
        const end = l.limit(count);
        var kept: usize = 0;
        for (l.bits, 0..) |b, i| {
            if (ignored != null and b == ignored.?) continue;
            if (b >= end) return status.outOfRange(i, l.value(i));
            kept += 1;
        }
        return kept;
    }
};
