//! How ranges are cut into tasks, and what tasks have of arrays.
#![forbid(unsafe_code)]

use tensor_rt::parallel::{Parts, Rows, Scratch, Sums, count, run, tasks};

/// The least work of a task.
const TASK: f64 = 1_048_576.0;

/// Sums of squares by two routes: joined totals, and an array of sums; each iteration also writes two rows of its own, by way of scratch.
fn every_kind(n: isize, unit: isize, tasks: isize) -> (f64, Vec<f64>, Vec<f64>) {
    let (mut rows, mut sums, mut scratch) = (vec![0.0; 6 * n as usize], [1.0; 3], [7.0; 2]);
    let mut parts = (Rows::new(&mut rows, 2, 0, 3), (Sums::new(&mut sums), (Scratch::new(&mut scratch), ())));
    let total = run(
        0..n,
        unit,
        tasks,
        &mut parts,
        |first, end, (rows, (sums, (scratch, ())))| {
            let ((rows, begin), sums, scratch) = (rows.elements(), sums.elements(), scratch.elements());
            let mut total = 0.0;
            for i in first..end {
                scratch[(i % 2) as usize] = i as f64 * 0.1;
                let x = scratch[(i % 2) as usize];
                total += x * x;
                sums[(i % 3) as usize] += x * x;
                for j in 0..6 {
                    rows[(6 * i + j - begin) as usize] = x + j as f64;
                }
            }
            total
        },
        |a, b| a + b,
    );
    (total, sums.to_vec(), rows)
}

#[test]
fn the_bits_are_the_same_with_any_number_of_threads() {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pools: Vec<_> = (1..4).map(pool).collect();
    for (n, unit, tasks) in [(1, 1, 1), (100, 1, 8), (1000, 64, 8), (129, 64, 2), (5, 4, 2)] {
        let (total, sums, rows) = every_kind(n, unit, 1);
        let found: Vec<_> = pools.iter().map(|p| p.install(|| every_kind(n, unit, tasks))).collect();
        for f in &found {
            assert_eq!(f, &found[0]);
            assert_eq!(f.2, rows);
            assert!((f.0 - total).abs() <= 1e-12 * total);
            assert!(f.1.iter().zip(&sums).all(|(a, b)| (a - b).abs() <= 1e-12 * b));
        }
    }
}

#[test]
fn rows_outside_of_the_array_belong_to_nobody() {
    let mut all = [0, 1, 2, 3];
    let mut rows = Rows::new(&mut all, 1, -3, 1);
    let mut right = rows.split(2);
    assert_eq!((rows.elements().0.len(), right.elements().1), (0, 0));
    let mut right = right.split(isize::MAX);
    assert_eq!(right.elements(), (&mut [][..], 4));
}

#[test]
fn tasks_are_as_many_as_the_work_is_worth() {
    for (work, sums, pieces, expected) in [
        (0.0, 0, 100, 1),
        (1.9 * TASK, 0, 100, 1),
        (2.0 * TASK, 0, 100, 2),
        (7.0 * TASK, 0, 100, 4),
        (7.0 * TASK, 0, 3, 2),
        (7.0 * TASK, 0, 0, 1),
        (7.0 * TASK, 100_000, 100, 1),
        (f64::INFINITY, 0, 1_000_000, 256),
    ] {
        assert_eq!(tasks(work, sums, pieces), expected);
    }
    assert_eq!((count(3, 5), count(5, 3)), (2.0, 0.0));
}
