//! Which instruction sets this processor and this operating system allow. The only place that asks.

const std = @import("std");
const builtin = @import("builtin");

/// Ascending by preference. One object of micro-kernels is built for each level of the target's architecture.
pub const Level = enum(u8) { portable, avx2, avx512, neon };

/// The levels that this build carries.
pub const built: []const Level = switch (builtin.cpu.arch) {
    .x86_64 => &.{ .portable, .avx2, .avx512 },
    .aarch64 => &.{.neon},
    else => &.{.portable},
};

/// The words of CPUID and XGETBV that decide, so that the decision is a pure function.
pub const X86Features = struct {
    leaf1_ecx: u32 = 0,
    leaf7_ebx: u32 = 0,
    xcr0: u64 = 0,

    const fma = 1 << 12;
    const osxsave = 1 << 27;
    const avx = 1 << 28;
    const avx2 = 1 << 5;
    const bmi1 = 1 << 3;
    const bmi2 = 1 << 8;
    // F, DQ, CD, BW, VL: what x86-64-v4 code may use.
    const avx512 = (1 << 16) | (1 << 17) | (1 << 28) | (1 << 30) | (1 << 31);
    const f16c = 1 << 29;
    const movbe = 1 << 22;
    const xmm_ymm: u64 = 0b110;
    const zmm: u64 = 0b1110_0110;
};

/// A level counts only if the processor reports every extension its object uses and the system saves its registers.
pub fn x86Level(f: X86Features) Level {
    const X = X86Features;
    const leaf1 = X.fma | X.osxsave | X.avx | X.f16c | X.movbe;
    if (f.leaf1_ecx & leaf1 != leaf1 or f.xcr0 & X.xmm_ymm != X.xmm_ymm) return .portable;
    const leaf7 = X.avx2 | X.bmi1 | X.bmi2;
    if (f.leaf7_ebx & leaf7 != leaf7) return .portable;
    if (f.leaf7_ebx & X.avx512 != X.avx512 or f.xcr0 & X.zmm != X.zmm) return .avx2;
    return .avx512;
}

pub const Cpuid = struct { eax: u32, ebx: u32, ecx: u32, edx: u32 };

pub fn cpuid(leaf: u32, sub: u32) Cpuid {
    var eax: u32 = undefined;
    var ebx: u32 = undefined;
    var ecx: u32 = undefined;
    var edx: u32 = undefined;
    asm volatile ("cpuid"
        : [a] "={eax}" (eax),
          [b] "={ebx}" (ebx),
          [c] "={ecx}" (ecx),
          [d] "={edx}" (edx),
        : [leaf] "{eax}" (leaf),
          [sub] "{ecx}" (sub),
    );
    return .{ .eax = eax, .ebx = ebx, .ecx = ecx, .edx = edx };
}

fn xgetbv() u64 {
    var low: u32 = undefined;
    var high: u32 = undefined;
    asm volatile ("xgetbv"
        : [a] "={eax}" (low),
          [d] "={edx}" (high),
        : [c] "{ecx}" (@as(u32, 0)),
    );
    return @as(u64, high) << 32 | low;
}

/// The best level of this machine.
pub fn best() Level {
    switch (builtin.cpu.arch) {
        .x86_64 => {
            if (cpuid(0, 0).eax < 7) return .portable;
            const leaf1_ecx = cpuid(1, 0).ecx;
            return x86Level(.{
                .leaf1_ecx = leaf1_ecx,
                .leaf7_ebx = cpuid(7, 0).ebx,
                .xcr0 = if (leaf1_ecx & X86Features.osxsave != 0) xgetbv() else 0,
            });
        },
        .aarch64 => return .neon,
        else => return .portable,
    }
}

/// Whether this machine can run `level`: every built level up to the best one.
pub fn usable(level: Level) bool {
    const top = best();
    for (built) |l| {
        if (l == level) return @backingInt(l) <= @backingInt(top);
    }
    return false;
}

const testing = std.testing;

test "detection asks the system as well as the processor" {
    const all: X86Features = .{ .leaf1_ecx = 0xffff_ffff, .leaf7_ebx = 0xffff_ffff, .xcr0 = 0xe7 };
    try testing.expectEqual(Level.avx512, x86Level(all));
    var f = all;
    f.leaf1_ecx &= ~@as(u32, X86Features.osxsave);
    try testing.expectEqual(Level.portable, x86Level(f));
    f = all;
    f.xcr0 = 0b001;
    try testing.expectEqual(Level.portable, x86Level(f));
    f.xcr0 = 7;
    try testing.expectEqual(Level.avx2, x86Level(f));
    f = all;
    f.leaf1_ecx &= ~@as(u32, X86Features.fma);
    try testing.expectEqual(Level.portable, x86Level(f));
    f = all;
    f.leaf1_ecx &= ~@as(u32, X86Features.f16c);
    try testing.expectEqual(Level.portable, x86Level(f));
    f = all;
    f.leaf7_ebx &= ~@as(u32, 1 << 31);
    try testing.expectEqual(Level.avx2, x86Level(f));
}
