//! Calls every entry of the C boundary with arguments of all kinds, and after each call looks at all memory of tensors: an entry may
//! end with a result or an error, never in a signal, and may change nothing but the outputs of a call that went well.
//!
//!     fuzz --calls N --seed S        a run; N calls, 1000000 without it
//!     fuzz --seed S --only CALL      makes the one call again, and what came before it in its round, in this process: for a debugger
//!
//! Calls are made in rounds, each in a process of its own that this one watches: if one crashes or hangs, the round is made again up
//! to that call, which is written out instead of being made. What a round does follows from the seed and its number alone.

const std = @import("std");
const guarded = @import("fuzz/guarded.zig");
const round = @import("fuzz/round.zig");
const detect = @import("isa/detect.zig");

/// memory.zig takes it in place of the system's.
pub const Memory = guarded.Memory;

pub const std_options: std.Options = .{ .signal_stack_size = null };

const round_len = 20_000;
/// Rounds between two that use a GPU.
const gpu_every = 16;
const jobs_max = 64;
const hang_seconds = 20;
const ended_found = 9;

const Options = struct {
    calls: u64 = 1_000_000,
    seconds: u64 = 0,
    seed: u64 = 1,
    only: ?u64 = null,
    jobs: u64 = 1,
    gpu: bool = true,
    keep_going: bool = false,
};

const Job = struct { pid: std.c.pid_t = 0, round: u64 = 0, begun: u64 = 0, since: u64 = 0, shared: *round.Shared = undefined };

extern "c" fn prctl(option: c_int, ...) c_int;

pub fn main(init: std.process.Init.Minimal) u8 {
    const options = parse(init.args) orelse return 2;
    if (options.only) |call| return again(options, call);
    return run(options);
}

const option_names = "--calls N, --seconds N, --seed S, --only CALL, --jobs N, --no-gpu and --keep-going";

fn parse(args: std.process.Args) ?Options {
    var options: Options = .{};
    var words = args.iterate();
    _ = words.skip();
    while (words.next()) |word| {
        if (std.mem.eql(u8, word, "--no-gpu")) {
            options.gpu = false;
            continue;
        }
        if (std.mem.eql(u8, word, "--keep-going")) {
            options.keep_going = true;
            continue;
        }
        const number = std.fmt.parseInt(u64, words.next() orelse "", 0) catch {
            std.debug.print("fuzz: {s} wants a number\n", .{word});
            return null;
        };
        if (std.mem.eql(u8, word, "--calls")) {
            options.calls = number;
        } else if (std.mem.eql(u8, word, "--seconds")) {
            options.seconds = number;
            options.calls = std.math.maxInt(u64);
        } else if (std.mem.eql(u8, word, "--seed")) {
            options.seed = number;
        } else if (std.mem.eql(u8, word, "--only")) {
            options.only = number;
        } else if (std.mem.eql(u8, word, "--jobs")) {
            options.jobs = std.math.clamp(number, 1, jobs_max);
        } else {
            std.debug.print("fuzz: there is no option {s}; there are " ++ option_names ++ "\n", .{word});
            return null;
        }
    }
    return options;
}

fn withGpu(options: Options, number: u64) bool {
    return options.gpu and number % gpu_every == gpu_every - 1;
}

/// Memory that processes share.
fn shared() *round.Shared {
    const both: std.posix.PROT = .{ .READ = true, .WRITE = true };
    const bytes = std.posix.mmap(null, @sizeOf(round.Shared), both, .{ .TYPE = .SHARED, .ANONYMOUS = true }, -1, 0);
    const s: *round.Shared = @ptrCast(@alignCast((bytes catch @panic("no memory for the counts")).ptr));
    s.* = .{};
    return s;
}

var the_round: round.Round = undefined;

/// Makes the calls of a round up to `count`, the last one described where that is asked for.
fn make(options: Options, number: u64, to: *round.Shared, count: u64, last: enum { made, described, made_and_described }) u8 {
    the_round.init(to, options.seed, number, withGpu(options, number)) catch return 1;
    for (0..count) |i| {
        const is_last = i + 1 == count;
        if (is_last and last == .described) {
            the_round.describe(i);
            return 0;
        }
        the_round.step(i, is_last and last == .made_and_described) catch return ended_found;
    }
    return 0;
}

fn again(options: Options, call: u64) u8 {
    const to = shared();
    const code = make(options, call / round_len, to, call % round_len + 1, .made_and_described);
    if (code != 0) std.debug.print("fuzz: {s}\n", .{to.message[0..to.message_len]});
    return @intFromBool(code != 0);
}

/// A process that makes a round.
fn start(options: Options, job: *Job, number: u64, count: u64, describe: bool) void {
    job.shared.begun.store(0, .release);
    job.shared.message_len = 0;
    const pid = std.c.fork();
    if (pid < 0) @panic("no process for a round");
    if (pid == 0) {
        // Where this one is ended, so is the round.
        if (@import("builtin").os.tag == .linux) _ = prctl(1, @as(c_ulong, 9));
        std.c._exit(make(options, number, job.shared, count, if (describe) .described else .made));
    }
    job.pid = pid;
    job.round = number;
    job.begun = 0;
    job.since = now();
}

fn run(options: Options) u8 {
    var jobs: [jobs_max]Job = @splat(.{});
    for (jobs[0..options.jobs]) |*job| job.shared = shared();
    const begun = now();
    std.debug.print("fuzz: {d} entries, seed {d}, instruction sets", .{ round.entries.len, options.seed });
    for (detect.built) |level| if (detect.usable(level)) std.debug.print(" {s}", .{@tagName(level)});
    std.debug.print("\n", .{});
    const rounds = std.math.divCeil(u64, options.calls, round_len) catch unreachable;
    var next: u64 = 0;
    var failures: u64 = 0;
    var ended: u64 = 0;
    while (true) {
        const late = options.seconds > 0 and now() - begun > options.seconds * std.time.ns_per_s;
        const stops = late or (failures > 0 and !options.keep_going);
        var running: usize = 0;
        for (jobs[0..options.jobs]) |*job| {
            if (job.pid != 0) failures += look(options, job);
            if (job.pid == 0 and !stops and next < rounds) {
                start(options, job, next, @min(round_len, options.calls - next * round_len), false);
                next += 1;
                if (next % 50 == 0) std.debug.print("fuzz: {d} calls, {d} s\n", .{ next * round_len, (now() - begun) / std.time.ns_per_s });
            }
            if (job.pid != 0) running += 1;
        }
        if (running == 0) break;
        _ = std.c.nanosleep(&.{ .sec = 0, .nsec = std.time.ns_per_ms }, null);
    }
    for (jobs[0..options.jobs]) |*job| ended += total(job.shared);
    table(jobs[0..options.jobs]);
    const seconds = (now() - begun) / std.time.ns_per_s;
    std.debug.print("fuzz: {d} calls in {d} s with seed {d}, {d} failed\n", .{ ended, seconds, options.seed, failures });
    return @intFromBool(failures > 0);
}

/// Looks whether a round ended; answers 1 where it found a fault.
fn look(options: Options, job: *Job) u64 {
    var status: c_int = 0;
    if (std.c.waitpid(job.pid, &status, 1) == 0) {
        const at = job.shared.begun.load(.acquire);
        if (at != job.begun) {
            job.begun = at;
            job.since = now();
        }
        if (now() - job.since < hang_seconds * std.time.ns_per_s) return 0;
        // The handler of a fault writes out where the process is; if it cannot, it is ended.
        _ = std.c.kill(job.pid, .SEGV);
        for (0..50) |_| {
            if (std.c.waitpid(job.pid, &status, 1) != 0) return found(options, job, "hangs");
            _ = std.c.nanosleep(&.{ .sec = 0, .nsec = 100 * std.time.ns_per_ms }, null);
        }
        _ = std.c.kill(job.pid, .KILL);
        _ = std.c.waitpid(job.pid, &status, 0);
        return found(options, job, "hangs");
    }
    const word: u32 = @bitCast(status);
    var buffer: [64]u8 = undefined;
    if (word & 0x7f != 0) return found(options, job, std.fmt.bufPrint(&buffer, "ends with signal {d}", .{word & 0x7f}) catch unreachable);
    const code = word >> 8 & 0xff;
    job.pid = 0;
    if (code == 0) return 0;
    if (code == ended_found) return found(options, job, job.shared.message[0..job.shared.message_len]);
    return found(options, job, std.fmt.bufPrint(&buffer, "ends with code {d}", .{code}) catch unreachable);
}

/// Tells what is wrong, and makes the round again as far as the call, which is described.
fn found(options: Options, job: *Job, text: []const u8) u64 {
    const begun = job.shared.begun.load(.acquire);
    const call = job.round * round_len + begun -| 1;
    std.debug.print("\nfuzz: call {d}, tw_{s}: {s}\n", .{ call, round.entries[job.shared.entry.load(.acquire)].name, text });
    var other: Job = .{ .shared = shared() };
    start(options, &other, job.round, begun, true);
    var status: c_int = 0;
    _ = std.c.waitpid(other.pid, &status, 0);
    std.debug.print("again: deno task fuzz --seed {d} --only {d}\n", .{ options.seed, call });
    std.posix.munmap(@alignCast(std.mem.asBytes(other.shared)));
    job.pid = 0;
    return 1;
}

fn total(s: *const round.Shared) u64 {
    var n: u64 = 0;
    for (s.counts) |counts| for (counts) |count| {
        n += count;
    };
    return n;
}

fn table(jobs: []const Job) void {
    std.debug.print("\n{s:<32} {s:>9} {s:>9} {s:>9} {s:>9} {s:>11}\n", .{ "entry", "calls", "ok", "explained", "refused", "longest ms" });
    var sum: [3]u64 = @splat(0);
    for (&round.entries, 0..) |*entry, i| {
        var counts: [3]u64 = @splat(0);
        var longest: u64 = 0;
        for (jobs) |job| {
            for (&counts, job.shared.counts[i]) |*to, count| to.* += count;
            longest = @max(longest, job.shared.longest_ns[i]);
        }
        for (&sum, counts) |*to, count| to.* += count;
        row(entry.name, counts, longest);
    }
    row("all", sum, 0);
}

fn row(name: []const u8, counts: [3]u64, longest: u64) void {
    const calls = counts[0] + counts[1] + counts[2];
    const of: f64 = @floatFromInt(@max(1, calls));
    std.debug.print("{s:<32} {d:>9} {d:>8.1}% {d:>8.1}% {d:>8.1}% {d:>11.1}\n", .{
        name,
        calls,
        100 * @as(f64, @floatFromInt(counts[0])) / of,
        100 * @as(f64, @floatFromInt(counts[1])) / of,
        100 * @as(f64, @floatFromInt(counts[2])) / of,
        @as(f64, @floatFromInt(longest)) / std.time.ns_per_ms,
    });
}

fn now() u64 {
    var time: std.c.timespec = undefined;
    _ = std.c.clock_gettime(.MONOTONIC, &time);
    return @as(u64, @intCast(time.sec)) * std.time.ns_per_s + @as(u64, @intCast(time.nsec));
}
