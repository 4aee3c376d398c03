//! What is printed reads back as the same function.

use super::super::display;
use crate::eval::Tensor;
use crate::index::Atom;
use crate::ssa::Function;

const PROGRAMS: &[&str] = &[
    include_str!("../../../../../tests/programs/alternatives.txt"),
    include_str!("../../../../../tests/programs/convolution.txt"),
    include_str!("../../../../../tests/programs/diagonal.txt"),
    include_str!("../../../../../tests/programs/extremes.txt"),
    include_str!("../../../../../tests/programs/higher.txt"),
    include_str!("../../../../../tests/programs/image.txt"),
    include_str!("../../../../../tests/programs/masks.txt"),
    include_str!("../../../../../tests/programs/mixture.txt"),
    include_str!("../../../../../tests/programs/network.txt"),
    include_str!("../../../../../tests/programs/quadratic.txt"),
    include_str!("../../../../../tests/programs/residues.txt"),
    include_str!("../../../../../tests/programs/scalars.txt"),
    include_str!("../../../../../tests/programs/softmax.txt"),
    include_str!("../../../../../tests/programs/springs.txt"),
    include_str!("../../../../../tests/programs/strides.txt"),
    include_str!("../../../../../tests/programs/trace.txt"),
    include_str!("../../../../../tests/programs/triangles.txt"),
    include_str!("../../../../../tests/programs/tuples.txt"),
];

/// The normal forms of a block, derivatives included.
fn normal_forms(source: &str) -> Vec<Function> {
    let block = crate::analyze(source.parse().expect("tokens")).unwrap_or_else(|errors| {
        let said: Vec<String> = errors.0.into_iter().map(|e| e.message).collect();
        panic!("{said:#?}\n{source}")
    });
    crate::normal_forms(&block).into_iter().flatten().collect()
}

/// Without the names that are hints.
fn anonymous(f: &Function) -> Function {
    let mut f = f.clone();
    f.arrays.iter_mut().for_each(|a| a.name = "a".into());
    f.indices.iter_mut().for_each(|i| *i = "i".into());
    f
}

/// Such sizes and numbers made up, if the function admits them: what fails for another reason is a mistake.
fn run(f: &Function, sizes: &[(String, i64)]) -> Option<Vec<Tensor>> {
    let size = |name: &String| sizes.iter().find(|(n, _)| n == name).map(|(_, k)| *k);
    let sizes: Vec<i64> = f.sizes.iter().map(size).collect::<Option<_>>()?;
    let at = |a: &Atom| match a {
        Atom::Size(k) => sizes[*k as usize],
        _ => 0,
    };
    let mut args = Vec::new();
    for (k, p) in f.params.iter().enumerate() {
        let extents = f.array(*p).extents.iter().map(|e| usize::try_from(e.eval(&at)).ok());
        let shape: Vec<usize> = extents.collect::<Option<_>>()?;
        args.push(Tensor::from_fn(&shape, |i| {
            0.1 + 0.8 * (f64::from(u32::try_from(7 * k + 3 * i).expect("small")) * 1.7).sin().abs()
        }));
    }
    match crate::eval::ssa::run(f, &sizes, &args) {
        Ok((values, _)) => Some(values),
        Err(e) if e.starts_with("the assumptions") => None,
        Err(e) => panic!("{e} at {sizes:?}\n{}", display(f)),
    }
}

fn close(a: &[Tensor], b: &[Tensor]) -> bool {
    let near =
        |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-9 * (1.0 + x.abs());
    let same =
        |a: &Tensor, b: &Tensor| a.shape == b.shape && a.data.iter().zip(&b.data).all(|(x, y)| near(*x, *y));
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// The printed function has the values of the original; and printed again it is the same up to names.
#[test]
fn programs() {
    let mut ran = 0;
    for (k, source) in PROGRAMS.iter().enumerate() {
        for f in normal_forms(source) {
            let text = display(&f);
            let again = normal_forms(&text).remove(0);
            let twice = normal_forms(&display(&again)).remove(0);
            for size in [0, 1, 3] {
                let sizes: Vec<(String, i64)> = f.sizes.iter().map(|n| (n.clone(), size)).collect();
                let Some(values) = run(&f, &sizes) else { continue };
                let read_back = run(&again, &sizes).unwrap_or_else(|| panic!("does not run: {text}"));
                let again = display(&again);
                assert!(close(&values, &read_back), "{k}: {text}\n{again}\n{values:?}\n{read_back:?}");
                ran += 1;
            }
            let (a, b) = (display(&anonymous(&again)), display(&anonymous(&twice)));
            assert!(a == b, "{text}\n{a}\n{b}");
        }
    }
    assert!(ran > 300, "{ran}");
}
