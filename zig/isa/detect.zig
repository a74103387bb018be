//! Which instruction sets this processor and this operating system allow. The only place that asks.

const std = @import("std");
const builtin = @import("builtin");
const levels = @import("levels.zig");

pub const Level = levels.Level;

/// The levels that this build carries.
pub const built: []const Level = levels.of(builtin.cpu.arch);

/// The words of CPUID and XGETBV that decide, so that the decision is a pure function.
pub const X86Features = struct {
    cpuid: levels.Bits = .{},
    xcr0: u64 = 0,

    const osxsave = 1 << 27;
    const xmm_ymm: u64 = 0b110;
    const zmm: u64 = 0b1110_0110;

    fn has(f: X86Features, comptime level: Level) bool {
        const wanted = comptime levels.cpuid(level);
        inline for (comptime std.enums.values(levels.Word)) |word| {
            const bits = @field(wanted, @tagName(word));
            if (@field(f.cpuid, @tagName(word)) & bits != bits) return false;
        }
        const saved = if (level == .avx512) zmm else xmm_ymm;
        return f.cpuid.leaf1_ecx & osxsave != 0 and f.xcr0 & saved == saved;
    }
};

/// A level counts only if the processor reports every extension its object uses and the system saves its registers.
pub fn x86Level(f: X86Features) Level {
    if (f.has(.avx512)) return .avx512;
    return if (f.has(.avx2)) .avx2 else .portable;
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
                .cpuid = .{
                    .leaf1_ecx = leaf1_ecx,
                    .leaf7_ebx = cpuid(7, 0).ebx,
                    .extended1_ecx = if (cpuid(0x8000_0000, 0).eax > 0x8000_0000) cpuid(0x8000_0001, 0).ecx else 0,
                },
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
    const all: X86Features = .{ .cpuid = .{ .leaf1_ecx = 0xffff_ffff, .leaf7_ebx = 0xffff_ffff, .extended1_ecx = 0xffff_ffff }, .xcr0 = 0xe7 };
    try testing.expectEqual(Level.avx512, x86Level(all));
    var f = all;
    f.cpuid.leaf1_ecx &= ~@as(u32, X86Features.osxsave);
    try testing.expectEqual(Level.portable, x86Level(f));
    f = all;
    f.xcr0 = 0b001;
    try testing.expectEqual(Level.portable, x86Level(f));
    f.xcr0 = 7;
    try testing.expectEqual(Level.avx2, x86Level(f));
    try testing.expectEqual(Level.portable, x86Level(.{}));
}

test "detection asks for every extension that a level's object is compiled with" {
    // FMA, SSE3 to 4.2, MOVBE, POPCNT, XSAVE, AVX, F16C, CX16; BMI1, AVX2, BMI2; LAHF and LZCNT.
    const avx2: levels.Bits = .{ .leaf1_ecx = 0x34d8_3201, .leaf7_ebx = 0x0000_0128, .extended1_ecx = 0x21 };
    try testing.expectEqual(avx2, levels.cpuid(.avx2));
    // F, DQ, CD, BW and VL.
    var avx512 = avx2;
    avx512.leaf7_ebx |= 0xd003_0000;
    try testing.expectEqual(avx512, levels.cpuid(.avx512));
    const just: X86Features = .{ .cpuid = .{ .leaf1_ecx = avx512.leaf1_ecx | X86Features.osxsave, .leaf7_ebx = avx512.leaf7_ebx, .extended1_ecx = 0x21 }, .xcr0 = 0xe7 };
    try testing.expectEqual(Level.avx512, x86Level(just));
    inline for (comptime std.enums.values(levels.Word)) |word| {
        const name = @tagName(word);
        for (0..32) |bit| {
            const one = @as(u32, 1) << @intCast(bit);
            var f = just;
            @field(f.cpuid, name) &= ~one;
            const needed = @field(avx2, name) | (if (word == .leaf1_ecx) X86Features.osxsave else 0);
            const want: Level = if (needed & one != 0) .portable else if (@field(avx512, name) & one != 0) .avx2 else .avx512;
            try testing.expectEqual(want, x86Level(f));
        }
    }
}
