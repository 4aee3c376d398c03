//! Every entry point that safe code can reach, with lengths, places and strides at the edge: it does what its definition says, or panics and writes
//! nothing.
//!
//! | entry | by |
//! | --- | --- |
//! | `lines` | `check_lines` |
//! | `Lane`: `load`, `load_part`, `load_back`, `gather`, `gather_by`, and the stores of these; `cells`, `get`, `set` | `memory::vector` |
//! | `Lane`: `gather_four`, `scatter_four` | `memory::fours` |
//! | `Lane`: `gather_eight`, `scatter_eight`, `store_eight` | `memory::eights` |
//! | `get_far`, `put_far` | `memory::far` |
//! | `Lane`: all that takes no slice, `firsts` at any count; `Lanes::transposed` | `simd.rs`, `simd/lanes.rs` |
//! | `Lanes::few` and `Lanes::masked` at any count, `Lanes::whole`, `Lanes::whole_of_masked`, `Few`, `Remainder` | `All::run` here, `simd/remainder.rs` |
//! | `add_sums`, `correlate`, `symmetrize_square` | `memory::sums`, `memory::correlations`, `memory::squares` |
//! | `gemm`, `gemm_band`, `gemm_symmetric`, `symmetrize`, with any `Matrix` | `products::all`; values `gemm.rs` |
//! | `gemm::threads`: `gemm`, `gemm_band`, `gemm_symmetric`, also of so much work that they are cut | `products::all` |
//! | `parallel`: `count`, `tasks`, `Rows`, `Sums`, `Scratch`, `run` | `parallel::parts` |
//! | `math::Real` | `accuracy.rs`, `math/tests.rs` |
//! | `dispatch1`, `outlined1` and their like, `level`, `limit`, `isa_name` | each of these tests, at each level |
//!
//! Slices are allocations of their own size, so that valgrind sees what lies outside. What is expected is computed without overflow, in `i128`.

#[path = "simd/levels.rs"]
mod levels;
#[path = "edges/memory.rs"]
mod memory;
#[allow(dead_code)]
#[path = "simd/numbers.rs"]
mod numbers;
#[path = "edges/parallel.rs"]
mod parallel;
#[path = "edges/products.rs"]
mod products;

use numbers::Number;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use tensor_kernels::lines::{LINE, lines};
use tensor_kernels::simd::{Few, Kernel1, Lane, Lanes, Remainder, dispatch1};

/// What was not as expected.
type Faults = Vec<String>;

struct All;

impl<T: Number> Kernel1<T, &mut Faults> for All {
    type Out = ();
    fn run<I: Lanes<T>>(isa: I, faults: &mut Faults) {
        memory::vector::<T, I, I::Scalar>(isa, faults);
        memory::vector::<T, I, I::Vector>(isa, faults);
        memory::vector::<T, I, I::Wide>(isa, faults);
        memory::vector::<T, I, I::Body>(isa, faults);
        memory::vector::<T, I, I::Large>(isa, faults);
        let counts = [0, 1, 2, 7, 8, 9, 15, 16, 17, usize::MAX];
        // One lane is as many as any.
        for &count in if I::Remainder::WIDTH == 1 { &counts[..1] } else { &counts } {
            memory::vector::<T, I::Few, I::Remainder>(isa.few(count), faults);
        }
        // Nor is a scalar masked.
        for &count in if I::Part::WIDTH == 1 { &[] } else { &counts[..] } {
            memory::vector::<T, Few<I>, Remainder<I::Part, I>>(isa.masked(count), faults);
        }
        memory::squares::<T, I>(isa, faults);
    }
}

/// Places, lengths and strides that matter about a number.
fn about(n: usize) -> Vec<usize> {
    let far = [1 << 32, usize::MAX / 8, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX - n, usize::MAX];
    let mut all: Vec<usize> =
        [0, 1, 2, n / 2, n.saturating_sub(1), n, n + 1].into_iter().chain(far).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// All pairs.
fn pairs(a: &[usize], b: &[usize]) -> Vec<(usize, usize)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

/// A slice of its own, of small whole numbers: sums of their products are exact.
fn small<T: Number>(len: usize, seed: usize) -> Box<[T]> {
    (0..len).map(|k| T::of(((k * 7 + seed * 5) % 13) as f64 - 6.0)).collect()
}

fn bits<T: Number>(all: &[T]) -> Vec<u64> {
    all.iter().map(|x| x.same()).collect()
}

/// The result, or none where it panics. (The test has taken the hook that would tell.)
fn quietly<R>(f: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(f)).ok()
}

/// The beginning of a line and as many elements as are asked for, or a panic; where there are enough, no panic.
fn check_lines<T: Number>(faults: &mut Faults) {
    for len in (0..20).chain([LINE - 1, LINE, LINE + 1, 2 * LINE]) {
        for asked in about(len).into_iter().chain([len.saturating_sub(LINE)]) {
            let mut all = small::<T>(len, 1);
            let end = all.as_ptr_range().end;
            let found = quietly(|| {
                let (first, rest) = lines(&mut all, asked);
                let aligned = asked == 0 || (first.as_ptr() as usize).is_multiple_of(LINE);
                aligned && first.len() == asked && rest.as_ptr_range().end == end
            });
            if !found.unwrap_or(asked > 0 && len < asked.saturating_add(LINE)) {
                faults.push(format!("{asked} elements in lines of {len}"));
            }
        }
    }
}

/// A test of its own binary alone: `limit` is for the whole process, and so is the hook.
#[test]
fn right_or_a_panic() {
    let mut faults = Vec::new();
    let hook = std::panic::take_hook();
    static LAST: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|panic| LAST.lock().unwrap().clone_from(&panic.to_string())));
    let ran = quietly(|| {
        check_lines::<f64>(&mut faults);
        check_lines::<f32>(&mut faults);
        parallel::parts(&mut faults);
        for level in levels::levels() {
            levels::limit(level);
            memory::far::<f64>(&mut faults);
            memory::far::<f32>(&mut faults);
            dispatch1::<All, f64, _>(&mut faults);
            dispatch1::<All, f32, _>(&mut faults);
            products::all::<f64>(&mut faults);
            products::all::<f32>(&mut faults);
        }
    });
    std::panic::set_hook(hook);
    assert!(ran.is_some(), "out of place: {}; before it {faults:#?}", LAST.lock().unwrap());
    assert!(faults.is_empty(), "{} faults, the first: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}
