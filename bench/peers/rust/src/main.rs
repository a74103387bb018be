//! A Rust crate for matrix products as a peer that takes turns with others: a server on stdin and stdout, which times its own calls.
//! `../server.ts` is the client and describes the protocol.
//!
//!     tilework-gemm-peers CRATE THREADS
//!
//! The number of threads is also expected in `RAYON_NUM_THREADS` and `MATMUL_NUM_THREADS`, which some crates read once.

mod crates;

use crates::{Multiply, Product};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Floats on a cache line of their own, so that no crate pays for where the allocator put them.
struct Floats {
    memory: Vec<f32>,
    offset: usize,
    count: usize,
}

impl Floats {
    fn new(count: usize) -> Floats {
        let memory = vec![0.0f32; count + 16];
        let offset = memory.as_ptr().align_offset(64);
        Floats { memory, offset, count }
    }

    /// Little-endian f32 values, as the client's typed arrays hold them.
    fn read(path: &Path) -> io::Result<Floats> {
        let bytes = std::fs::read(path)?;
        let mut floats = Floats::new(bytes.len() / 4);
        let (offset, count) = (floats.offset, floats.count);
        for (to, from) in floats.memory[offset..offset + count].iter_mut().zip(bytes.chunks_exact(4)) {
            *to = f32::from_le_bytes([from[0], from[1], from[2], from[3]]);
        }
        Ok(floats)
    }

    fn values(&self) -> &[f32] {
        &self.memory[self.offset..self.offset + self.count]
    }

    fn values_mut(&mut self) -> &mut [f32] {
        &mut self.memory[self.offset..self.offset + self.count]
    }

    fn ptr(&self) -> *const f32 {
        self.values().as_ptr()
    }
}

#[derive(Clone, Copy)]
struct Sizes {
    m: usize,
    n: usize,
    k: usize,
    batch: usize,
}

/// A problem with its memory.
enum Problem {
    /// `c = a b`, either operand stored transposed.
    Product { sizes: Sizes, transposed: (bool, bool), a: Floats, b: Floats, c: Floats },
    /// The gradients of `y[m, n] = x[m, k] weight[n, k]ᵀ` as three calls: dx and dw by products, db by a sum of columns.
    LinearBackward { sizes: Sizes, dy: Floats, x: Floats, weight: Floats, dx: Floats, dw: Floats, db: Floats },
}

impl Problem {
    fn read(kind: &str, layout: &str, sizes: Sizes, folder: &Path) -> io::Result<Problem> {
        let Sizes { m, n, k, batch } = sizes;
        let input = |index: usize| Floats::read(&folder.join(index.to_string()));
        Ok(if kind == "linear_backward" {
            let (dx, dw, db) = (Floats::new(m * k), Floats::new(n * k), Floats::new(n));
            Problem::LinearBackward { sizes, dy: input(0)?, x: input(1)?, weight: input(2)?, dx, dw, db }
        } else {
            let transposed = (layout.starts_with('T'), layout.ends_with('T'));
            Problem::Product { sizes, transposed, a: input(0)?, b: input(1)?, c: Floats::new(batch * m * n) }
        })
    }

    fn compute(&mut self, name: &str, multiply: Multiply, threads: usize) {
        match self {
            Problem::Product { sizes: Sizes { m, n, k, batch }, transposed, a, b, c } => {
                let p = product(*m, *n, *k, (a, transposed.0), (b, transposed.1), c);
                // SAFETY: the arrays hold `batch` products of these sizes.
                unsafe { if *batch == 1 { multiply(&p, threads) } else { crates::multiply_batch(name, multiply, &p, *batch, threads) } }
            }
            Problem::LinearBackward { sizes: Sizes { m, n, k, .. }, dy, x, weight, dx, dw, db } => {
                // SAFETY: the arrays have the sizes of the layer.
                unsafe {
                    multiply(&product(*m, *k, *n, (dy, false), (weight, false), dx), threads);
                    multiply(&product(*n, *k, *m, (dy, true), (x, false), dw), threads);
                }
                let sums = db.values_mut();
                sums.copy_from_slice(&dy.values()[..*n]);
                for row in dy.values().chunks_exact(*n).skip(1) {
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum += value;
                    }
                }
            }
        }
    }

    /// What the client compares: the product, or dx, dw and db behind each other.
    fn results(&self) -> Vec<&[f32]> {
        match self {
            Problem::Product { c, .. } => vec![c.values()],
            Problem::LinearBackward { dx, dw, db, .. } => vec![dx.values(), dw.values(), db.values()],
        }
    }
}

/// `c[m, n] = a b`; an operand that is marked is stored transposed.
fn product(m: usize, n: usize, k: usize, a: (&Floats, bool), b: (&Floats, bool), c: &mut Floats) -> Product {
    let strides = |rows: usize, columns: usize, transposed: bool| {
        if transposed { (1, rows as isize) } else { (columns as isize, 1) }
    };
    let ((a_rows, a_columns), (b_rows, b_columns)) = (strides(m, k, a.1), strides(k, n, b.1));
    Product { m, n, k, a: a.0.ptr(), a_rows, a_columns, b: b.0.ptr(), b_rows, b_columns, c: c.values_mut().as_mut_ptr() }
}

/// Processor seconds that all threads of this process have used.
fn processor_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Waits until the crate's threads sleep, so that they do not spin into the next one's turn.
fn settle() {
    for _ in 0..60 {
        let before = processor_seconds();
        std::thread::sleep(Duration::from_millis(4));
        if processor_seconds() - before < 0.001 {
            return;
        }
    }
}

struct Server {
    name: String,
    multiply: Multiply,
    threads: usize,
    problems: HashMap<usize, Problem>,
    count: usize,
}

impl Server {
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let (verb, rest) = line.split_once(' ').ok_or("an empty line")?;
        if verb == "prepare" {
            // The folder comes last, since its name may hold spaces.
            let words: Vec<&str> = rest.splitn(7, ' ').collect();
            let [kind, layout, m, n, k, batch, folder] = words[..] else { return Err(format!("too few words: {line}")) };
            let sizes = Sizes { m: number(m)?, n: number(n)?, k: number(k)?, batch: number(batch)? };
            let problem = Problem::read(kind, layout, sizes, Path::new(folder)).map_err(|error| format!("{folder}: {error}"))?;
            self.count += 1;
            self.problems.insert(self.count, problem);
            return Ok(self.count.to_string());
        }
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = number(id)?;
        let problem = self.problems.get_mut(&id).ok_or(format!("no problem {id}"))?;
        match verb {
            "time" => {
                let calls = number(rest)?;
                let start = Instant::now();
                for _ in 0..calls {
                    problem.compute(&self.name, self.multiply, self.threads);
                }
                let seconds = start.elapsed().as_secs_f64();
                if self.threads > 1 {
                    settle();
                }
                Ok(format!("{seconds:e}"))
            }
            "result" => {
                let bytes: Vec<u8> = problem.results().concat().iter().flat_map(|value| value.to_le_bytes()).collect();
                std::fs::write(rest, bytes).map_err(|error| format!("{rest}: {error}"))?;
                Ok("ok".into())
            }
            "drop" => {
                self.problems.remove(&id);
                Ok("ok".into())
            }
            _ => Err(format!("no such verb: {verb}")),
        }
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

fn serve() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(threads)) = (arguments.next(), arguments.next()) else {
        return Err("usage: tilework-gemm-peers CRATE THREADS".into());
    };
    let multiply = crates::by_name(&name).ok_or(format!("{name} has no kernel for this processor"))?;
    let mut server = Server { name, multiply, threads: number(&threads)?, problems: HashMap::new(), count: 0 };
    let mut out = io::stdout();
    let mut say = |line: &str| writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string());
    say("ready")?;
    for line in io::stdin().lock().lines() {
        say(&server.answer(&line.map_err(|error| error.to_string())?)?)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
