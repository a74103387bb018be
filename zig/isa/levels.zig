//! The instruction sets that get an object of micro-kernels each, and what the compiler may use in it: the one list that the build compiles from and
//! detection asks for.

const std = @import("std");
const Target = std.Target;

/// Ascending by preference.
pub const Level = enum(u8) { portable, avx2, avx512, neon };

/// The levels of an architecture.
pub fn of(arch: Target.Cpu.Arch) []const Level {
    return switch (arch) {
        .x86_64 => &.{ .portable, .avx2, .avx512 },
        .aarch64 => &.{.neon},
        else => &.{.portable},
    };
}

/// The processor that a level's object is compiled for; null for the architecture's lowest.
pub fn model(level: Level) ?*const Target.Cpu.Model {
    return switch (level) {
        .portable, .neon => null,
        .avx2 => &Target.x86.cpu.x86_64_v3,
        .avx512 => &Target.x86.cpu.x86_64_v4,
    };
}

/// Words of CPUID: ECX of leaf 1, EBX of leaf 7 and ECX of leaf 0x80000001.
pub const Word = enum { leaf1_ecx, leaf7_ebx, extended1_ecx };

/// A bit of CPUID for each word.
pub const Bits = std.enums.EnumFieldStruct(Word, u32, 0);

const Bit = struct { word: Word, bit: u5 };

/// The bit that reports a feature.
fn bitOf(feature: Target.x86.Feature) ?Bit {
    return switch (feature) {
        .sse3 => .{ .word = .leaf1_ecx, .bit = 0 },
        .ssse3 => .{ .word = .leaf1_ecx, .bit = 9 },
        .fma => .{ .word = .leaf1_ecx, .bit = 12 },
        .cx16 => .{ .word = .leaf1_ecx, .bit = 13 },
        .sse4_1 => .{ .word = .leaf1_ecx, .bit = 19 },
        .sse4_2, .crc32 => .{ .word = .leaf1_ecx, .bit = 20 },
        .movbe => .{ .word = .leaf1_ecx, .bit = 22 },
        .popcnt => .{ .word = .leaf1_ecx, .bit = 23 },
        .xsave => .{ .word = .leaf1_ecx, .bit = 26 },
        .avx => .{ .word = .leaf1_ecx, .bit = 28 },
        .f16c => .{ .word = .leaf1_ecx, .bit = 29 },
        .bmi => .{ .word = .leaf7_ebx, .bit = 3 },
        .avx2 => .{ .word = .leaf7_ebx, .bit = 5 },
        .bmi2 => .{ .word = .leaf7_ebx, .bit = 8 },
        .avx512f => .{ .word = .leaf7_ebx, .bit = 16 },
        .avx512dq => .{ .word = .leaf7_ebx, .bit = 17 },
        .avx512cd => .{ .word = .leaf7_ebx, .bit = 28 },
        .avx512bw => .{ .word = .leaf7_ebx, .bit = 30 },
        .avx512vl => .{ .word = .leaf7_ebx, .bit = 31 },
        .sahf => .{ .word = .extended1_ecx, .bit = 0 },
        .lzcnt => .{ .word = .extended1_ecx, .bit = 5 },
        else => null,
    };
}

/// Whether a feature only says which of several instructions is the quicker one.
fn tunes(name: []const u8) bool {
    for ([_][]const u8{ "fast_", "slow_", "false_deps_", "prefer_", "allow_light_", "macrofusion", "idivq_to_divl", "vzeroupper" }) |prefix| {
        if (std.mem.startsWith(u8, name, prefix)) return true;
    }
    return false;
}

fn featuresOf(comptime m: *const Target.Cpu.Model) Target.Cpu.Feature.Set {
    var set = m.features;
    set.populateDependencies(&Target.x86.all_features);
    return set;
}

/// The bits of CPUID that have to be set for a level: those of all that its object may use beyond what every x86-64 has. A feature of the model that is neither
/// known here nor a matter of speed does not compile.
pub fn cpuid(comptime level: Level) Bits {
    return comptime bits: {
        @setEvalBranchQuota(200_000);
        const lowest = featuresOf(&Target.x86.cpu.x86_64);
        const all = featuresOf(model(level).?);
        var found: Bits = .{};
        for (std.enums.values(Target.x86.Feature)) |feature| {
            const index = @backingInt(feature);
            if (!all.isEnabled(index) or lowest.isEnabled(index)) continue;
            if (bitOf(feature)) |b| {
                @field(found, @tagName(b.word)) |= @as(u32, 1) << b.bit;
            } else if (!tunes(@tagName(feature))) @compileError("detection has no bit for " ++ @tagName(feature));
        }
        break :bits found;
    };
}
