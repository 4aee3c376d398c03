//! Products, bands, symmetric products and matrices that are symmetrized.

use super::numbers::next;
use super::{Faults, Number, bits, quietly, small};
use tensor_kernels::gemm::{
    Band, Matrix, Product, WORK, gemm, gemm_band, gemm_symmetric, symmetrize, threads,
};

/// Where an element is, without overflow.
fn place(at: Matrix, i: usize, j: usize) -> i128 {
    at.offset as i128 + i as i128 * at.rows as i128 + j as i128 * at.cols as i128
}

/// Whether there is a matrix of `m` rows and `n` columns; of none, wherever it is.
fn fits(at: Matrix, (m, n): (usize, usize), len: usize) -> bool {
    m == 0 || n == 0 || place(at, m - 1, n - 1) < len as i128
}

/// Whether all its elements have places of their own.
fn apart(at: Matrix, (m, n): (usize, usize)) -> bool {
    let mut all: Vec<i128> = (0..m).flat_map(|i| (0..n).map(move |j| place(at, i, j))).collect();
    all.sort_unstable();
    all.windows(2).all(|two| two[0] < two[1])
}

fn pick<X: Copy>(state: &mut u64, of: &[X]) -> X {
    of[next(state) as usize % of.len()]
}

/// A matrix: most often in rows or columns, now and then with a stride or an offset of any kind; and a length, most often as long as it needs.
fn matrix(state: &mut u64, (m, n): (usize, usize)) -> (Matrix, usize) {
    const FAR: [usize; 6] = [0, 1 << 14, 1 << 32, usize::MAX / 2, usize::MAX - 1, usize::MAX];
    let gap = pick(state, &[0, 0, 1, 3]);
    let mut at = match next(state) % 3 {
        0 => Matrix::new(0, n + gap, 1),
        1 => Matrix::new(0, 1, m + gap),
        _ => Matrix::new(0, 2, 2 * m + gap),
    };
    at.offset = pick(state, &[0, 0, 1, 5]);
    let needs = if m == 0 || n == 0 { 0 } else { place(at, m - 1, n - 1) + 1 };
    let len = pick(state, &[needs, needs, needs, needs + 1, needs - 1, 0]).max(0) as usize;
    match next(state) % 16 {
        0 => at.rows = pick(state, &FAR),
        1 => at.cols = pick(state, &FAR),
        2 => at.offset = pick(state, &[len, len.saturating_sub(1), len + 1, usize::MAX, usize::MAX / 2]),
        3 => (at.rows, at.cols) = (pick(state, &FAR), pick(state, &FAR)),
        _ => {}
    }
    (at, len)
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Gemm,
    From(isize),
    UpTo(isize),
    Symmetric,
    Symmetrize(usize),
}

impl Call {
    fn any(state: &mut u64) -> Call {
        let diagonal = pick(state, &[0, 1, -1, 9, -9, isize::MAX, isize::MIN, isize::MAX / 4]);
        pick(
            state,
            &[
                Call::Gemm,
                Call::Gemm,
                Call::From(diagonal),
                Call::UpTo(diagonal),
                Call::Symmetric,
                Call::Symmetrize(1),
                Call::Symmetrize(3),
                Call::Symmetrize(0),
                Call::Symmetrize(usize::MAX),
            ],
        )
    }

    fn has(self, i: usize, j: usize) -> bool {
        let diagonal = j as isize - i as isize;
        match self {
            Call::Gemm => true,
            Call::From(least) => diagonal >= least,
            Call::UpTo(most) => diagonal <= most,
            Call::Symmetric => diagonal >= 0,
            Call::Symmetrize(_) => false,
        }
    }
}

/// See [`gemm()`].
type Whole<T> = fn((usize, usize, usize), &[T], Matrix, &[T], Matrix, &mut [T], Matrix, bool, T, &mut [T]);
/// See [`gemm_band`].
type Banded<T> =
    fn(Band, (usize, usize, usize), &[T], Matrix, &[T], Matrix, &mut [T], Matrix, bool, T, &mut [T]);
/// See [`gemm_symmetric`].
type Halved<T> = fn((usize, usize), &[T], Matrix, &[T], Matrix, &mut [T], Matrix, bool, T, &mut [T]);

/// Of so much work that it is cut: by rows, by rows of a part of the columns, and by terms, alone or with others.
const LARGE: [(usize, usize, usize); 5] =
    [(300, 290, 250), (1100, 70, 160), (70, 1100, 160), (9, 8, 300_000), (40, 41, 20_000)];

/// Products of small whole numbers, which are exact, against their definition.
pub fn all<T: Number + Product>(faults: &mut Faults) {
    let mut state = 99;
    let mut work: Box<[T]> = vec![T::NAN; WORK].into();
    for round in 0..8000 {
        let call = Call::any(&mut state);
        let most = if round % 8 == 0 { 40 } else { 10 };
        let mut size = || pick(&mut state, &[0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33, 39]) % most;
        let size = (size(), size(), size());
        one(call, size, round % 3 == 0, &mut work, &mut state, faults);
    }
    for round in 0..30 {
        let call = match Call::any(&mut state) {
            Call::Symmetrize(_) => Call::Gemm,
            call => call,
        };
        one(call, LARGE[round % LARGE.len()], true, &mut work, &mut state, faults);
    }
}

/// A call that is as it must be, or not; with tasks, or without.
fn one<T: Number + Product>(
    call: Call,
    (m, mut n, k): (usize, usize, usize),
    tasks: bool,
    work: &mut [T],
    state: &mut u64,
    faults: &mut Faults,
) {
    if matches!(call, Call::Symmetric | Call::Symmetrize(_)) {
        n = m;
    }
    let ((a_at, a_len), (b_at, b_len)) = (matrix(state, (m, k)), matrix(state, (k, n)));
    let (c_at, c_len) = matrix(state, (m, n));
    let (a, b, mut c) = (small::<T>(a_len, 1), small::<T>(b_len, 2), small::<T>(c_len, 3));
    let accumulate = next(state).is_multiple_of(2);
    let right = match call {
        Call::Symmetrize(block) => m == 0 || (block > 0 && fits(c_at, (m, n), c_len)),
        Call::Gemm | Call::From(_) | Call::UpTo(_) | Call::Symmetric => {
            m == 0
                || n == 0
                || fits(c_at, (m, n), c_len) && fits(a_at, (m, k), a_len) && fits(b_at, (k, n), b_len)
        }
    };
    let mut expected = c.clone();
    let own = apart(c_at, (m, n));
    if right && own {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| call.has(i, j)) {
            let start = if accumulate { c[place(c_at, i, j) as usize] } else { T::ZERO };
            let term = |p: usize| a[place(a_at, i, p) as usize] * b[place(b_at, p, j) as usize];
            expected[place(c_at, i, j) as usize] = (0..k).fold(start, |sum, p| sum + term(p));
        }
        let block = match call {
            Call::Symmetrize(block) => block,
            Call::Symmetric => 1,
            Call::Gemm | Call::From(_) | Call::UpTo(_) => usize::MAX,
        };
        for (i, j) in (0..m).flat_map(|i| (0..i / block.max(1) * block.max(1)).map(move |j| (i, j))) {
            expected[place(c_at, i, j) as usize] = expected[place(c_at, j, i) as usize];
        }
    }
    // Too little work is told by a panic, or is enough.
    let short = next(state).is_multiple_of(16);
    let work = if short { &mut work[..pick(state, &[0, 1, 100, WORK - 1])] } else { &mut work[..] };
    let (whole, banded, halved) = match tasks {
        true => (
            threads::gemm::<T> as Whole<T>,
            threads::gemm_band::<T> as Banded<T>,
            threads::gemm_symmetric::<T> as Halved<T>,
        ),
        false => (gemm::<T> as Whole<T>, gemm_band::<T> as Banded<T>, gemm_symmetric::<T> as Halved<T>),
    };
    let ran = quietly(|| match call {
        Call::Gemm => whole((m, n, k), &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::ONE, work),
        Call::From(diagonal) | Call::UpTo(diagonal) => {
            let band =
                if call == Call::From(diagonal) { Band::from(diagonal) } else { Band::up_to(diagonal) };
            banded(band, (m, n, k), &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::ONE, work);
        }
        Call::Symmetric => {
            halved((n, k), &a, a_at, &b, b_at, &mut c, c_at, accumulate, T::ONE, work);
        }
        Call::Symmetrize(block) => symmetrize(n, block, &mut c, c_at),
    });
    let same = bits(&c) == bits(&expected) || (right && !own);
    if (ran.is_some() != right || !same) && !(short && ran.is_none()) {
        faults.push(format!(
            "{call:?} (tasks {tasks}) of {:?} a {a_at:?} of {a_len}, b {b_at:?} of {b_len}, c {c_at:?} of {c_len}, {accumulate}: {}",
            (m, n, k),
            ["a panic", "wrong", "no panic"][usize::from(ran.is_some()) * if right { 1 } else { 2 }]
        ));
    }
}
