//! Products of matrices against sums in the order of their definition, with every instruction set that the processor has.

#[path = "simd/levels.rs"]
mod levels;

use std::panic::{AssertUnwindSafe, catch_unwind};
use tensor_kernels::gemm::{Band, Matrix, Product, WORK, gemm, gemm_band, gemm_symmetric, symmetrize};
use tensor_kernels::math::Real;
use tensor_kernels::simd::{self, Level};

trait Number: Product + Into<f64> {
    const EPSILON: f64;
    fn of(x: f64) -> Self;
}
impl Number for f64 {
    const EPSILON: f64 = f64::EPSILON;
    fn of(x: f64) -> f64 {
        x
    }
}
impl Number for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    fn of(x: f64) -> f32 {
        x as f32
    }
}

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
    /// From −1 to 1.
    fn number(&mut self) -> f64 {
        self.below(1 << 20) as f64 / (1 << 19) as f64 - 1.0
    }
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug)]
enum Layout {
    ByRows,
    ByColumns,
    /// No stride is 1.
    Sparse,
}
use Layout::{ByColumns, ByRows, Sparse};
const LAYOUTS: [Layout; 3] = [ByRows, ByColumns, Sparse];

/// A matrix, and NaN around its elements, between them if `gap`.
fn matrix<T: Number>(
    random: &mut Random,
    m: usize,
    n: usize,
    layout: Layout,
    gap: usize,
) -> (Vec<T>, Matrix) {
    let offset = if gap > 0 { random.below(9) } else { 0 };
    let at = match layout {
        ByRows => Matrix::new(offset, n + gap, 1),
        ByColumns => Matrix::new(offset, 1, m + gap),
        Sparse => Matrix::new(offset, 2, 2 * m + 3 + gap),
    };
    let mut all =
        vec![T::NAN; offset + n.saturating_sub(1) * at.cols + m.saturating_sub(1) * at.rows + 1 + gap];
    for i in 0..m {
        for j in 0..n {
            all[index(at, i, j)] = T::of(random.number());
        }
    }
    (all, at)
}

fn index(at: Matrix, i: usize, j: usize) -> usize {
    at.offset + i * at.rows + j * at.cols
}

/// The elements of a product that are computed, by the diagonal that bounds them.
#[derive(Clone, Copy, Debug)]
enum Part {
    All,
    From(isize),
    UpTo(isize),
}

impl Part {
    fn has(self, i: usize, j: usize) -> bool {
        let diagonal = j as isize - i as isize;
        match self {
            Part::All => true,
            Part::From(least) => diagonal >= least,
            Part::UpTo(most) => diagonal <= most,
        }
    }
    /// Most often about the main diagonal, else any that a matrix has, and some that it has not.
    fn random(random: &mut Random, (m, n, _): (usize, usize, usize)) -> Part {
        let near = random.below(5) as isize - 2;
        let far = random.below(m + n + 3) as isize - m as isize - 1;
        let diagonal = [0, near, far][random.below(3)];
        [Part::From(diagonal), Part::UpTo(diagonal)][random.below(2)]
    }
}

#[derive(Debug)]
struct Case {
    part: Part,
    sizes: (usize, usize, usize),
    layouts: [Layout; 3],
    gap: usize,
    accumulate: bool,
    scale: f64,
}

/// Compares one product with its definition, and what lies around it with what was there.
fn check<T: Number>(random: &mut Random, case: &Case, work: &mut [T]) {
    let &Case { part, sizes: (m, n, k), layouts, gap, accumulate, scale } = case;
    let (a, a_at) = matrix::<T>(random, m, k, layouts[0], gap);
    let (b, b_at) = matrix::<T>(random, k, n, layouts[1], gap);
    let (mut c, c_at) = matrix::<T>(random, m, n, layouts[2], gap);
    let old = c.clone();
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        if !accumulate && part.has(i, j) {
            c[index(c_at, i, j)] = T::NAN;
        }
    }
    let sizes = (m, n, k);
    let band = match part {
        Part::All => None,
        Part::From(least) => Some(Band::from(least)),
        Part::UpTo(most) => Some(Band::up_to(most)),
    };
    match band {
        None => gemm(sizes, &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::of(scale), work),
        Some(band) => {
            gemm_band(band, sizes, &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::of(scale), work);
        }
    }
    let mut seen = c.clone();
    for i in 0..m {
        for j in 0..n {
            let place = index(c_at, i, j);
            seen[place] = T::NAN;
            if !part.has(i, j) {
                let (found, before): (f64, f64) = (c[place].into(), old[place].into());
                assert_eq!(found.to_bits(), before.to_bits(), "not to be written at {i}, {j}: {case:?}");
                continue;
            }
            let before = if accumulate { old[place].into() } else { 0.0 };
            let (mut sum, mut size) = (0.0, 0.0);
            for p in 0..k {
                let (x, y): (f64, f64) = (a[index(a_at, i, p)].into(), b[index(b_at, p, j)].into());
                sum += x * y;
                size += (x * y).abs();
            }
            let expected = before + scale * sum;
            let bound = (k as f64 + 4.0) * T::EPSILON * (before.abs() + (scale * size).abs());
            let found: f64 = c[place].into();
            assert!((found - expected).abs() <= bound, "{found} for {expected} at {i}, {j}: {case:?}");
        }
    }
    assert!(seen.iter().all(|&x| x.into().is_nan()), "written outside: {case:?}");
}

/// Sizes where paths change, and about the sizes of the blocks.
const LARGE: [(usize, usize, usize); 16] = [
    (1, 300, 700),
    (300, 1, 700),
    (1, 3, 9000),
    (3, 2, 4099),
    (5, 257, 300),
    (17, 97, 257),
    (97, 49, 513),
    (257, 7, 33),
    (98, 961, 5),
    (95, 970, 258),
    (250, 247, 300),
    (487, 500, 40),
    (193, 23, 260),
    (260, 260, 31),
    (257, 10, 784),
    (16, 1000, 300),
];

const SMALL: [usize; 10] = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17];

fn check_all<T: Number>() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut work = vec![T::NAN; WORK];
    let scales = [1.0, -1.0, 0.75];
    for round in 0..6000 {
        let most = [6, 20, 70][round % 3];
        let sizes = (random.below(most), random.below(most), random.below(most));
        let case = Case {
            part: if round < 3000 { Part::All } else { Part::random(&mut random, sizes) },
            sizes,
            layouts: [LAYOUTS[random.below(3)], LAYOUTS[random.below(3)], LAYOUTS[random.below(3)]],
            gap: [0, 0, 1, 5][random.below(4)],
            accumulate: random.below(2) == 0,
            scale: scales[random.below(3)],
        };
        check(&mut random, &case, &mut work);
    }
    // All small sizes about the lengths of vectors and the end of what counts as small.
    for (m, n, k) in SMALL.iter().flat_map(|&m| SMALL.iter().flat_map(move |&n| SMALL.map(|k| (m, n, k)))) {
        for layouts in 0..16 {
            let layout = |bit: usize| if layouts >> bit & 1 == 0 { ByRows } else { ByColumns };
            let case = Case {
                part: if layouts < 8 { Part::All } else { Part::random(&mut random, (m, n, k)) },
                sizes: (m, n, k),
                layouts: [layout(0), layout(1), layout(2)],
                gap: random.below(2),
                accumulate: random.below(2) == 0,
                scale: 0.75,
            };
            check(&mut random, &case, &mut work);
        }
    }
    for sizes in LARGE {
        for layouts in [[ByRows; 3], [ByRows, ByColumns, ByRows], [ByColumns, ByRows, ByRows], [Sparse; 3]] {
            for part in [Part::All, Part::From(0), Part::UpTo(0), Part::random(&mut random, sizes)] {
                let accumulate = random.below(2) == 0;
                check(&mut random, &Case { part, sizes, layouts, gap: 2, accumulate, scale: 1.0 }, &mut work);
            }
        }
    }
}

#[test]
fn a_triangle_out_of_range() {
    symmetrize::<f64>(0, 0, &mut [], Matrix::new(0, 0, 1));
    let mut short = vec![1.0; 80];
    let run = || symmetrize(9, 1, &mut short, Matrix::new(0, 9, 1));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let run = || symmetrize(3, 0, &mut short, Matrix::new(0, 3, 1));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(short.iter().all(|x| *x == 1.0));
}

/// Sizes about those of tiles: what is above the diagonal stays as it is, and is what is below, but for blocks on the diagonal.
fn check_symmetrize<T: Number>() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for n in (0..20).chain([31, 32, 33, 64, 71]) {
        for (layout, block) in LAYOUTS.into_iter().flat_map(|l| [1, 2, 3, 8, 10].map(|b| (l, b))) {
            let (mut c, at) = matrix::<T>(&mut random, n, n, layout, 3);
            let mut expected = c.clone();
            for (i, j) in (0..n).flat_map(|i| (0..i / block * block).map(move |j| (i, j))) {
                expected[index(at, i, j)] = c[index(at, j, i)];
            }
            symmetrize(n, block, &mut c, at);
            let bits = |c: &[T]| c.iter().map(|x| Into::<f64>::into(*x).to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&c), bits(&expected), "{n} rows, blocks of {block}, {layout:?}");
        }
    }
}

/// Half of a product, on both sides: above the diagonal the sums of their definition, below it the same bits, and nothing else is written.
fn check_symmetric<T: Number>() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut work = vec![T::NAN; WORK];
    for n in (0..26).chain([31, 32, 33, 40, 50, 71]) {
        for (k, accumulate) in
            [0, 1, 2, 5, 31, 32, 33, 2000].into_iter().flat_map(|k| [(k, false), (k, true)])
        {
            let layouts: [Layout; 3] = std::array::from_fn(|_| LAYOUTS[random.below(3)]);
            let gap = [0, 0, 3][random.below(3)];
            let (a, a_at) = matrix::<T>(&mut random, n, k, layouts[0], gap);
            let (b, b_at) = matrix::<T>(&mut random, k, n, layouts[1], gap);
            let (mut c, c_at) = matrix::<T>(&mut random, n, n, layouts[2], gap);
            let old = c.clone();
            gemm_symmetric((n, k), &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::of(0.75), &mut work);
            let mut seen = c.clone();
            for (i, j) in (0..n).flat_map(|i| (i..n).map(move |j| (i, j))) {
                let place = index(c_at, i, j);
                let before: f64 = if accumulate { old[place].into() } else { 0.0 };
                let term = |p: usize| -> f64 {
                    let (x, y): (f64, f64) = (a[index(a_at, i, p)].into(), b[index(b_at, p, j)].into());
                    x * y
                };
                let expected = before + 0.75 * (0..k).map(term).sum::<f64>();
                let size = before.abs() + (0..k).map(|p| term(p).abs()).sum::<f64>();
                let (found, across): (f64, f64) = (c[place].into(), c[index(c_at, j, i)].into());
                let close = (found - expected).abs() <= (k as f64 + 4.0) * T::EPSILON * size;
                assert!(close, "{found} for {expected} at {i}, {j} of {n}, {k} {layouts:?} {accumulate}");
                assert_eq!(
                    found.to_bits(),
                    across.to_bits(),
                    "{i}, {j} of {n}, {k} {layouts:?} {accumulate}"
                );
                (seen[place], seen[index(c_at, j, i)]) = (T::NAN, T::NAN);
            }
            assert!(seen.iter().all(|&x| x.into().is_nan()), "written outside: {n}, {k} {layouts:?}");
        }
    }
    let (at, mut c) = (Matrix::new(0, 20, 1), vec![T::of(5.0); 400]);
    for short in 0..3 {
        let lens: [usize; 3] = std::array::from_fn(|x| 400 - usize::from(x == short));
        let (a, b) = (vec![T::ONE; lens[0]], vec![T::ONE; lens[1]]);
        let c = &mut c[..lens[2]];
        let run = || gemm_symmetric((20, 20), &a, at, &b, at, c, at, false, T::ONE, &mut work);
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
    assert!(c.iter().all(|x| (*x).into() == 5.0));
}

/// The same bits, whatever was in the memory before and wherever the operands begin.
fn check_bits<T: Number>() {
    for (m, n, k) in [(5, 7, 9), (33, 41, 300), (1, 50, 20), (50, 1, 20), (100, 300, 40)] {
        let mut random = Random(88172645463325252);
        let (a, at_a) = matrix::<T>(&mut random, m, k, ByRows, 0);
        let (b, at_b) = matrix::<T>(&mut random, k, n, ByRows, 0);
        let product = |shift: usize, dirt: T| {
            let moved = |x: &[T]| [vec![dirt; shift], x.to_vec()].concat();
            let at = |x: Matrix| Matrix { offset: x.offset + shift, ..x };
            let (mut c, mut work) = (vec![dirt; m * n + shift], vec![dirt; WORK]);
            let (a, b, c_at) = (moved(&a), moved(&b), Matrix::new(shift, n, 1));
            gemm((m, n, k), &a, at(at_a), &b, at(at_b), &mut c, c_at, false, T::ONE, &mut work);
            c[shift..].iter().map(|&x| x.into().to_bits()).collect::<Vec<u64>>()
        };
        assert_eq!(product(0, T::ZERO), product(3, T::NAN));
    }
}

/// Each operand too short by one element.
fn check_ranges() {
    let at = Matrix::new(0, 9, 1);
    for short in 0..3 {
        let lens: Vec<usize> = (0..3).map(|x| 81 - usize::from(x == short)).collect();
        let (a, b, mut c) = (vec![1.0; lens[0]], vec![1.0; lens[1]], vec![5.0; lens[2]]);
        let mut work = vec![0.0; WORK];
        let run = || gemm((9, 9, 9), &a, at, &b, at, &mut c, at, false, 1.0, &mut work);
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        assert!(c.iter().all(|&x| x == 5.0));
    }
    let far = Matrix::new(0, usize::MAX, 1);
    let mut work = vec![0.0; WORK];
    let run = || gemm((2, 1, 1), &[1.0; 9], far, &[1.0], at, &mut [0.0; 99], at, false, 1.0, &mut work);
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

/// The same product again and again while the instruction set changes: most likely within one of them.
fn check_change(level: Level) {
    let (m, n, k) = (97, 301, 300);
    let mut random = Random(2463534242);
    let (a, a_at) = matrix::<f64>(&mut random, m, k, ByRows, 0);
    let (b, b_at) = matrix::<f64>(&mut random, k, n, ByRows, 0);
    let mut work = vec![f64::NAN; WORK];
    let mut product = || {
        let mut c = vec![f64::NAN; m * n];
        gemm((m, n, k), &a, a_at, &b, b_at, &mut c, Matrix::new(0, n, 1), false, 1.0, &mut work);
        c
    };
    std::thread::scope(|threads| {
        let products = threads.spawn(move || {
            let expected = product();
            let mut after = 0;
            while after < 2 {
                after += usize::from(simd::level() <= level);
                let near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-12 * k as f64;
                assert!(product().iter().zip(&expected).all(near));
            }
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        levels::limit(level);
        products.join().expect("all are the same product");
    });
}

/// One test, since the instruction set is the whole program's and only goes down.
#[test]
fn products_of_every_shape_with_every_instruction_set() {
    for level in levels::levels() {
        check_change(level);
        check_symmetrize::<f64>();
        check_symmetrize::<f32>();
        check_symmetric::<f64>();
        check_symmetric::<f32>();
        check_all::<f64>();
        check_all::<f32>();
        check_bits::<f64>();
        check_bits::<f32>();
        check_ranges();
    }
}

/// Infinities and NaN of the factors come out, and only where they belong.
#[test]
fn what_is_not_finite() {
    let (n, mut work) = (11, vec![0.0; WORK]);
    let at = Matrix::new(0, n, 1);
    let mut a = vec![1.0; n * n];
    a[3 * n + 10] = f64::INFINITY;
    let mut b = vec![1.0; n * n];
    b[10 * n + 5] = 0.0;
    let mut c = vec![0.0; n * n];
    gemm((n, n, n), &a, at, &b, at, &mut c, at, true, 1.0, &mut work);
    for i in 0..n {
        for j in 0..n {
            let x = c[i * n + j];
            let right = match (i, j) {
                (3, 5) => x.is_nan(),
                (3, _) => x == f64::INFINITY,
                (_, 5) => x == 10.0,
                _ => x == 11.0,
            };
            assert!(right, "{x} at {i}, {j}");
        }
    }
    assert_eq!(Real::max(c[0], 1.0), 11.0);
}
