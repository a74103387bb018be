//! The crates, one adapter each, all over the same product: operands of any strides, a row-major result.

use rayon::prelude::*;

/// `c[m, n] = a[m, k] b[k, n]`, strides in elements; `c` is row-major and contiguous, and overwritten.
#[derive(Clone, Copy)]
pub struct Product {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: *const f32,
    pub a_rows: isize,
    pub a_columns: isize,
    pub b: *const f32,
    pub b_rows: isize,
    pub b_columns: isize,
    pub c: *mut f32,
}

// SAFETY: products of one batch read shared operands and write results that do not overlap.
unsafe impl Send for Product {}
unsafe impl Sync for Product {}

impl Product {
    /// Product `index` of a batch whose operands lie one behind the other.
    fn in_batch(&self, index: usize) -> Product {
        // SAFETY: the caller of `multiply_batch` owns memory for all products.
        unsafe {
            Product {
                a: self.a.add(index * self.m * self.k),
                b: self.b.add(index * self.k * self.n),
                c: self.c.add(index * self.m * self.n),
                ..*self
            }
        }
    }
}

/// One crate: how it computes a product on `threads` threads.
pub type Multiply = unsafe fn(&Product, threads: usize);

/// Finds a crate that can run on this processor.
pub fn by_name(name: &str) -> Option<Multiply> {
    match name {
        "gemm" => Some(by_gemm),
        "gemmkit" => Some(by_gemmkit),
        "faer" => Some(by_faer),
        "matrixmultiply" => Some(by_matrixmultiply),
        #[cfg(target_arch = "x86_64")]
        "private-gemm-x86" => private_gemm::instructions().map(|_| private_gemm::multiply as Multiply),
        _ => None,
    }
}

/// A batch of products. gemmkit has an entry for it; with the others a program deals whole products to its threads, which at these
/// sizes is faster than splitting each.
///
/// # Safety
/// The operands hold `batch` products, one behind the other.
pub unsafe fn multiply_batch(name: &str, multiply: Multiply, first: &Product, batch: usize, threads: usize) {
    if name == "gemmkit" {
        unsafe { by_gemmkit_batched(first, batch, threads) };
    } else if threads == 1 {
        for index in 0..batch {
            unsafe { multiply(&first.in_batch(index), 1) };
        }
    } else {
        (0..batch).into_par_iter().for_each(|index| unsafe { multiply(&first.in_batch(index), 1) });
    }
}

unsafe fn by_gemm(p: &Product, threads: usize) {
    let parallelism = if threads == 1 { gemm::Parallelism::None } else { gemm::Parallelism::Rayon(threads) };
    let (read_c, conjugate) = (false, false);
    // The crate wants the column stride first, and its alpha scales what c holds.
    unsafe {
        gemm::gemm(
            p.m,
            p.n,
            p.k,
            p.c,
            1,
            p.n as isize,
            read_c,
            p.a,
            p.a_columns,
            p.a_rows,
            p.b,
            p.b_columns,
            p.b_rows,
            0.0f32,
            1.0f32,
            conjugate,
            conjugate,
            conjugate,
            parallelism,
        )
    }
}

fn gemmkit_threads(threads: usize) -> gemmkit::Parallelism {
    if threads == 1 { gemmkit::Parallelism::Serial } else { gemmkit::Parallelism::Rayon(threads) }
}

/// The slices of a batch's operands.
unsafe fn slices<'a>(p: &Product, batch: usize) -> (&'a [f32], &'a [f32], &'a mut [f32]) {
    unsafe {
        (
            std::slice::from_raw_parts(p.a, batch * p.m * p.k),
            std::slice::from_raw_parts(p.b, batch * p.k * p.n),
            std::slice::from_raw_parts_mut(p.c, batch * p.m * p.n),
        )
    }
}

unsafe fn by_gemmkit(p: &Product, threads: usize) {
    let (a, b, c) = unsafe { slices(p, 1) };
    gemmkit::gemm(
        1.0,
        gemmkit::MatRef::new(a, p.m, p.k, p.a_rows, p.a_columns),
        gemmkit::MatRef::new(b, p.k, p.n, p.b_rows, p.b_columns),
        0.0,
        gemmkit::MatMut::from_row_major(c, p.m, p.n),
        gemmkit_threads(threads),
    );
}

unsafe fn by_gemmkit_batched(p: &Product, batch: usize, threads: usize) {
    let (a, b, c) = unsafe { slices(p, batch) };
    gemmkit::gemm_batched(
        batch,
        1.0,
        gemmkit::MatRef::new(a, p.m, p.k, p.a_rows, p.a_columns),
        (p.m * p.k) as isize,
        gemmkit::MatRef::new(b, p.k, p.n, p.b_rows, p.b_columns),
        (p.k * p.n) as isize,
        0.0,
        gemmkit::MatMut::from_row_major(c, p.m, p.n),
        (p.m * p.n) as isize,
        gemmkit_threads(threads),
    );
}

unsafe fn by_faer(p: &Product, threads: usize) {
    let par = if threads == 1 { faer::Par::Seq } else { faer::Par::rayon(threads) };
    unsafe {
        faer::linalg::matmul::matmul(
            faer::MatMut::from_raw_parts_mut(p.c, p.m, p.n, p.n as isize, 1isize),
            faer::Accum::Replace,
            faer::MatRef::from_raw_parts(p.a, p.m, p.k, p.a_rows, p.a_columns),
            faer::MatRef::from_raw_parts(p.b, p.k, p.n, p.b_rows, p.b_columns),
            1.0f32,
            par,
        );
    }
}

/// The crate takes its number of threads from `MATMUL_NUM_THREADS`, once, when the process starts.
unsafe fn by_matrixmultiply(p: &Product, _threads: usize) {
    unsafe {
        matrixmultiply::sgemm(p.m, p.k, p.n, 1.0, p.a, p.a_rows, p.a_columns, p.b, p.b_rows, p.b_columns, 0.0, p.c, p.n as isize, 1);
    }
}

#[cfg(target_arch = "x86_64")]
mod private_gemm {
    use super::Product;
    use private_gemm_x86::{Accum, DType, DstKind, IType, InstrSet, gemm};
    use std::ptr::null;

    /// The widest instruction set of the crate that this processor has.
    pub fn instructions() -> Option<InstrSet> {
        if is_x86_feature_detected!("avx512f") {
            return Some(InstrSet::Avx512);
        }
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(InstrSet::Avx256)
    }

    pub unsafe fn multiply(p: &Product, threads: usize) {
        let Some(instructions) = instructions() else { return };
        let (alpha, conjugate, whole) = (1.0f32, false, DstKind::Full);
        let (no_rows, no_columns, no_diagonal) = (null(), null(), null());
        unsafe {
            gemm(
                DType::F32,
                IType::U64,
                instructions,
                p.m,
                p.n,
                p.k,
                p.c.cast(),
                p.n as isize,
                1,
                no_rows,
                no_columns,
                whole,
                Accum::Replace,
                p.a.cast(),
                p.a_rows,
                p.a_columns,
                conjugate,
                no_diagonal,
                0,
                p.b.cast(),
                p.b_rows,
                p.b_columns,
                conjugate,
                (&raw const alpha).cast(),
                threads,
            );
        }
    }
}
