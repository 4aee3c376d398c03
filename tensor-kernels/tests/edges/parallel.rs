//! Ranges and arrays cut into tasks.

use super::{Faults, about, pairs, quietly, small};
use std::sync::Mutex;
use tensor_kernels::parallel::{Rows, Scratch, Sums, count, run, tasks};

/// Every iteration is in one task and every element in one part, in order, whatever the strides; numbers of tasks are sensible.
pub fn parts(faults: &mut Faults) {
    for work in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1e7, 1e300] {
        for (sums, pieces) in pairs(&about(3), &about(5)) {
            let pieces = pieces as isize;
            let found = tasks(work, sums, pieces);
            if !(1..=256).contains(&found) || (found > 1 && found > pieces) {
                faults.push(format!("tasks({work}, {sums}, {pieces}) = {found}"));
            }
        }
    }
    const MIN: isize = isize::MIN;
    const MAX: isize = isize::MAX;
    if count(5, 2) != 0.0
        || count(-3, 4) != 7.0
        || count(MAX, MIN) != 0.0
        || count(MIN, MAX) != 2.0 * -(MIN as f64)
    {
        faults.push("count".into());
    }
    units(faults);
    for (len, by) in pairs(&[0, 1, 7, 40], &about(3)) {
        for (from, row) in pairs(&about(2), &about(5)) {
            let (by, from, row) = (by as isize, from as isize, row as isize);
            for (first, end, unit, tasks) in [
                (0, 8, 1, 4),
                (-3, 9, 2, 8),
                (5, 5, 3, 2),
                (9, 2, 1, 4),
                (MIN, MIN + 5, 2, 4),
                (MAX - 7, MAX, 3, 8),
                (MIN, MAX, 1, 4),
                (MIN / 2 - 10, MAX / 2 + 20, 3, 4),
                (MIN, MAX, MAX, 4),
                (MAX, MIN, 1, 4),
            ] {
                let mut all = small::<f64>(len, 1);
                let (mut sum, mut scratch) = (small::<f64>(3, 2), small::<f64>(2, 3));
                let before = sum[1];
                let seen = Mutex::new(Vec::new());
                let mut parts =
                    (Rows::new(&mut all, by, from, row), (Sums::new(&mut sum), Scratch::new(&mut scratch)));
                let ran = quietly(|| {
                    run(
                        first..end,
                        unit,
                        tasks,
                        &mut parts,
                        |first, end, (rows, (sums, scratch))| {
                            let (elements, at) = rows.elements();
                            elements.iter_mut().for_each(|x| *x = 100.0);
                            sums.elements()[1] += 1.0;
                            scratch.elements().fill(0.0);
                            seen.lock().unwrap().push((first, end, at, elements.len() as isize));
                            1
                        },
                        |a, b| a + b,
                    )
                });
                let mut seen = seen.into_inner().unwrap();
                seen.sort_unstable();
                let joined = seen.windows(2).all(|two| two[0].1 == two[1].0);
                let length = |part: &(isize, isize, isize, isize)| part.1 as i128 - part.0 as i128;
                let units = seen[..seen.len() - 1].iter().all(|part| length(part) % unit as i128 == 0);
                let ends = seen[0].0 == first && seen[seen.len() - 1].1 == end;
                let elements: isize = seen.iter().map(|part| part.3).sum();
                let right = ran == Some(tasks) && elements == len as isize && sum[1] == before + tasks as f64;
                // A range that ends before it begins has no iterations to be in order.
                if !right || (first <= end && !(ends && joined && units)) || all.iter().any(|x| *x != 100.0) {
                    faults.push(format!(
                        "{first}..{end} in {tasks}, {len} by {by} {from} {row}: {ran:?} {seen:?}"
                    ));
                }
            }
        }
    }
}

/// No unit is a panic, where there is something to cut; of tasks there are one at least, and 256 at most.
fn units(faults: &mut Faults) {
    for (unit, tasks, expected) in [
        (0, 4, None),
        (0, 1, Some(1)),
        (1, 0, Some(1)),
        (1, isize::MIN, Some(1)),
        (1, isize::MAX, Some(256)),
        (isize::MAX, 4, Some(4)),
        (-1, 4, Some(4)),
        (isize::MIN, 4, Some(4)),
    ] {
        let mut all = small::<f64>(8, 1);
        let before = all.clone();
        let mut rows = Rows::new(&mut all, 1, 0, 1);
        let times = |_, _, rows: &mut Rows<f64>| {
            rows.elements().0.iter_mut().for_each(|x| *x += 1.0);
            1
        };
        let ran = quietly(|| run(0..8, unit, tasks, &mut rows, times, |a, b| a + b));
        let more = if expected.is_some() { 1.0 } else { 0.0 };
        if ran != expected || all.iter().zip(&before).any(|(x, y)| *x != y + more) {
            faults.push(format!("{tasks} tasks by {unit}: {ran:?}, not {expected:?}"));
        }
    }
}
