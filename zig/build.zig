//! Builds the shared library and its tests. Steps: install (default), test, valgrind, race, fuzz, gen, fake, cross.

const std = @import("std");
const levels = @import("isa/levels.zig");

pub fn build(b: *std.Build) void {
    // Zig keeps what this function made for the next build, with the environment of the tests in it: TILEWORK_TEST and the like would be those of the first run.
    b.graph.poisonCache();

    const target = b.standardTargetOptions(.{ .default_target = baseline(b.graph.host.result) });
    const optimize = b.option(std.builtin.Optimize, "optimize", "Mode of the library (default: fast)") orelse .fast;

    const entries = b.option(std.builtin.Optimize, "entries", "Mode of the library's part that is no micro-kernel; debug builds in seconds (default: as optimize)");
    const symbols = b.option(bool, "symbols", "Keep symbols, for a profiler (default: no)") orelse false;
    b.installArtifact(library(b, target, optimize, entries orelse optimize, symbols));

    const test_step = b.step("test", "Run every unit test once per instruction set");
    const tests = unitTests(b, target, optimize, false);
    for (levels.of(target.result.cpu.arch)) |level| {
        const run = b.addRunArtifact(tests);
        run.setEnvironmentVariable("TILEWORK_ISA", @tagName(level));
        run.has_side_effects = true;
        test_step.dependOn(&run.step);
    }

    const valgrind_step = b.step("valgrind", "Run the unit tests under valgrind, with the AVX2 kernels");
    const valgrind = b.addSystemCommand(&.{ "valgrind", "--quiet", "--error-exitcode=9", "--leak-check=no", "--fair-sched=yes" });
    // For a frame larger than a page the debug back end reads a word one page below the stack pointer, whatever `stack_check` says: no stray read.
    valgrind.addArg("--ignore-range-below-sp=4096-4093");
    valgrind.addArtifactArg(tests);
    valgrind.setEnvironmentVariable("TILEWORK_ISA", "avx2");
    valgrind.setEnvironmentVariable("TILEWORK_VALGRIND", "1");
    valgrind.has_side_effects = true;
    valgrind_step.dependOn(&valgrind.step);

    const race_step = b.step("race", "Run the unit tests under the thread sanitizer, with the AVX2 kernels");
    const race = b.addRunArtifact(unitTests(b, target, optimize, true));
    race.setEnvironmentVariable("TILEWORK_ISA", "avx2");
    race.has_side_effects = true;
    race_step.dependOn(&race.step);

    const fuzz = b.addInstallArtifact(fuzzer(b, target, optimize, entries orelse .safe), .{});
    b.step("fuzz", "Build the fuzzer of the C boundary, which scripts/fuzz.ts runs").dependOn(&fuzz.step);

    const gen = b.addExecutable(.{
        .name = "gen_symbols",
        .root_module = b.createModule(.{ .root_source_file = b.path("gen_symbols.zig"), .target = b.graph.host, .optimize = .debug, .link_libc = true }),
    });
    gen.root_module.addImport("shaders", shaders(b));
    const update = b.addUpdateSourceFiles();
    update.addCopyFileToSource(b.addRunArtifact(gen).captureStdOut(.{}), "../ffi/symbols.gen.ts");
    b.step("gen", "Rewrite ffi/symbols.gen.ts from the Zig signatures").dependOn(&update.step);

    const fake = b.addLibrary(.{
        .name = "fake_vulkan",
        .linkage = .dynamic,
        .root_module = b.createModule(.{ .root_source_file = b.path("fake_vulkan.zig"), .target = target, .optimize = .debug, .link_libc = true, .pic = true }),
    });
    b.step("fake", "Build a Vulkan loader that fails on demand, for tests").dependOn(&b.addInstallArtifact(fake, .{}).step);

    const cross = b.step("cross", "Build the library for every supported platform into zig-out/<platform>");
    for (platforms) |p| {
        const query = std.Target.Query.parse(.{ .arch_os_abi = p.triple, .cpu_features = "baseline" }) catch unreachable;
        const lib = library(b, b.resolveTargetQuery(query), optimize, optimize, false);
        cross.dependOn(&b.addInstallArtifact(lib, .{ .dest_dir = .{ .override = .{ .custom = p.name } }, .implib_dir = .disabled }).step);
    }
}

const Platform = struct { name: []const u8, triple: []const u8 };

/// glibc 2.17 is the floor of most distributions still in use.
const platforms = [_]Platform{
    .{ .name = "linux-x64", .triple = "x86_64-linux-gnu.2.17" },
    .{ .name = "linux-x64-musl", .triple = "x86_64-linux-musl" },
    .{ .name = "linux-arm64", .triple = "aarch64-linux-gnu.2.17" },
    .{ .name = "linux-arm64-musl", .triple = "aarch64-linux-musl" },
    .{ .name = "darwin-x64", .triple = "x86_64-macos.11.0" },
    .{ .name = "darwin-arm64", .triple = "aarch64-macos.11.0" },
    .{ .name = "win32-x64", .triple = "x86_64-windows-gnu" },
    .{ .name = "win32-arm64", .triple = "aarch64-windows-gnu" },
};

/// The host's system with the lowest processor of its architecture: instruction sets are chosen at run time.
fn baseline(host: std.Target) std.Target.Query {
    return switch (host.os.tag) {
        .linux => .{
            .cpu_arch = host.cpu.arch,
            .cpu_model = .baseline,
            .os_tag = .linux,
            .abi = host.abi,
            .glibc_version = if (host.abi.isGnu()) .{ .major = 2, .minor = 17, .patch = 0 } else null,
        },
        else => .{ .cpu_model = .baseline },
    };
}

fn kernels(b: *std.Build, into: *std.Build.Module, target: std.Build.ResolvedTarget, optimize: std.builtin.Optimize, symbols: bool, race: bool) void {
    for (levels.of(target.result.cpu.arch)) |level| {
        var query = target.query;
        if (levels.model(level)) |model| query.cpu_model = .{ .explicit = model };
        // Micro-kernels call nothing but memcpy and its like: those of one Linux serve the others, and are compiled once for all.
        if (target.result.os.tag == .linux) {
            query.abi = .gnu;
            query.glibc_version = .{ .major = 2, .minor = 17, .patch = 0 };
        }
        for ([_][]const u8{ "product_kernels", "op_kernels" }) |root| {
            const object = b.addObject(.{
                .name = b.fmt("{s}_{s}", .{ root, @tagName(level) }),
                .use_llvm = true,
                .root_module = b.createModule(.{
                    .root_source_file = b.path(b.fmt("{s}.zig", .{root})),
                    .target = b.resolveTargetQuery(query),
                    .optimize = if (optimize == .fast and level == .portable and std.mem.eql(u8, root, "op_kernels")) .small else optimize,
                    .pic = true,
                    .strip = !symbols,
                    .unwind_tables = .none,
                    .link_libc = true,
                    .sanitize_thread = race,
                }),
            });
            // A kernel that only the tests reach is left out of the library.
            object.link_function_sections = true;
            into.addObject(object);
        }
    }
}

fn library(
    b: *std.Build,
    target: std.Build.ResolvedTarget,
    optimize: std.builtin.Optimize,
    entries: std.builtin.Optimize,
    symbols: bool,
) *std.Build.Step.Compile {
    const module = b.createModule(.{
        .root_source_file = b.path("lib.zig"),
        .target = target,
        .optimize = entries,
        .link_libc = true,
        .strip = !symbols,
        .pic = true,
    });
    module.addImport("shaders", shaders(b));
    kernels(b, module, target, optimize, symbols, false);
    const lib = b.addLibrary(.{ .name = "tilework", .linkage = .dynamic, .use_llvm = if (entries == .debug) null else true, .root_module = module });
    lib.link_gc_sections = true;
    return lib;
}

/// The kernels are those that ship; the rest is built with its checks, which find what would pass unseen without them.
fn fuzzer(b: *std.Build, target: std.Build.ResolvedTarget, optimize: std.builtin.Optimize, entries: std.builtin.Optimize) *std.Build.Step.Compile {
    const module = b.createModule(.{ .root_source_file = b.path("fuzz.zig"), .target = target, .optimize = entries, .link_libc = true });
    module.addImport("shaders", shaders(b));
    kernels(b, module, target, optimize, false, false);
    return b.addExecutable(.{ .name = "fuzz", .use_llvm = if (entries == .debug) null else true, .root_module = module });
}

/// The compiled shaders with their table, beside the folder of the sources.
fn shaders(b: *std.Build) *std.Build.Module {
    return b.createModule(.{ .root_source_file = b.path("../shaders/generated/table.zig") });
}

/// With `race` everything is built for the thread sanitizer, the kernels too: else a job that reads what another has not yet written would go unseen.
fn unitTests(b: *std.Build, target: std.Build.ResolvedTarget, optimize: std.builtin.Optimize, race: bool) *std.Build.Step.Compile {
    const module = b.createModule(.{
        .root_source_file = b.path("tests.zig"),
        .target = target,
        .optimize = .debug,
        .link_libc = true,
        .valgrind = !race,
        .sanitize_thread = race,
    });
    module.addImport("shaders", shaders(b));
    kernels(b, module, target, optimize, race, race);
    return b.addTest(.{
        .name = "unit",
        .use_llvm = if (race) true else null,
        .root_module = module,
        .test_runner = .{ .path = b.path("test_runner.zig"), .mode = .simple },
    });
}
