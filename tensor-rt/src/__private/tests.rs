use super::*;
use alloc::string::ToString;
use alloc::vec::Vec;
use ndarray::{Array2, ArrayD};

#[test]
fn limits() {
    let most = isize::MAX as u64 / 2;
    for (weight, constant, degree) in
        [(1, 0, 1), (3, 5, 1), (0, 7, 1), (2, 9, 2), (7, 1, 3), (1, 0, 0), (1, most, 1)]
    {
        let c = limit(weight, constant, degree) as u128;
        let value = |c: u128| u128::from(weight) * c.pow(degree.max(1)) + u128::from(constant);
        assert!(value(c) <= u128::from(most), "{weight} {constant} {degree}");
    }
    assert_eq!(limit(2, 0, 2), 1_518_500_249);
    assert_eq!(limit(1, u64::MAX, 1), 0);
}

#[test]
fn ranks_and_limits() {
    assert_eq!(shape::<f64, _, 2>("x", &[[1.0, 2.0]]), Ok([1, 2]));
    let d = ArrayD::<f64>::zeros(alloc::vec![1, 2]);
    assert_eq!(shape::<f64, _, 2>("x", &d), Ok([1, 2]));
    assert_eq!(shape::<f64, _, 1>("x", &d), Err(Error::Rank { argument: "x", has: 2, needs: 1 }));
    let short = |shape| crate::__private::shape::<f64, _, 2>("x", &(&[0.0][..], shape));
    assert_eq!(short([3, 0]), Err(Error::Length { argument: "x", has: 1, needs: 0 }));
    assert_eq!(short([usize::MAX, 2]), Ok([usize::MAX, 2]));
    let names = &[("x", 2), ("y", 1)];
    assert_eq!(within(9, &[1, 9, 3], names), Ok(()));
    let beyond = |argument, d, has| Err(Error::TooLarge { argument, dimension: Some(d), has, limit: 9 });
    assert_eq!(within(9, &[1, 10, 3], names), beyond("x", 1, 10));
    assert_eq!(within(9, &[1, 9, 30], names), beyond("y", 0, 30));
    assert_eq!(size(9, "n", 9), Ok(9));
    assert_eq!(size(9, "n", 10).unwrap_err().to_string(), "`n` is 10, but may be at most 9");
}

#[test]
fn sizes_from_dimensions() {
    static PLACE: Place = Place { argument: "x", dimension: 0, extent: "2*h + 1" };
    let h = |has: isize| solve(100, &PLACE, has, "h", has - 1, 2);
    assert_eq!(h(7), Ok(3));
    assert_eq!(h(1), Ok(0));
    let message = |has| h(has).unwrap_err().to_string();
    assert!(message(6).ends_with("`h` = 5 / 2 is not a whole number"));
    assert!(message(0).ends_with("`h` = -1 / 2 is not a whole number"));
    assert!(message(203).starts_with("`h` is 101"));
}

#[test]
fn lengths() {
    assert_eq!(length(&[]), Some(1));
    assert_eq!(length(&[2, 3]), Some(6));
    assert_eq!(length(&[2, 0, 3]), Some(0));
    assert_eq!(length(&[2, -1]), Some(0));
    assert_eq!(length(&[isize::MAX, 2]), None);
    assert_eq!(length(&[0, isize::MAX, 2]), None);
    assert_eq!(length(&[isize::MAX, isize::MAX, 2]), None);
    assert_eq!(total(&[0, 0]), Some(0));
    assert_eq!(total(&[1, 0, 2, WHOLE, WHOLE + 1]), Some(5 * WHOLE));
    assert_eq!(total(&[usize::MAX, 2]), None);
    assert_eq!(total(&[isize::MAX as usize]), None);
}

#[test]
fn slices() {
    let mut a = Array2::<f64>::from_shape_fn((2, 3), |(i, j)| (3 * i + j) as f64);
    let flat = (&[1.0, 2.0][..], [3, 1]);
    assert_eq!(slice("x", &flat, 3), Err(Error::Length { argument: "x", has: 2, needs: 3 }));
    assert_eq!(slice("a", &a, 6).map(|s| copied(&s, 6)), Ok(0));
    assert_eq!(slice("a", &a.t(), 6).map(|s| copied(&s, 6)), Ok(6));
    assert!(slice_mut("a", &mut a, 5).is_err());
    assert!(slice_mut("a", &mut a, 6).is_ok_and(|s| s.is_some()));

    let mut buffer: Vec<f64> = alloc::vec![9.0; total(&[6, 0, 1]).unwrap()];
    let mut rest = &mut buffer[..];
    let [first, none, other] = [6, 0, 1].map(|len| cut(&mut rest, len));
    assert_eq!((first.len(), none.len(), other.len(), rest.len()), (6, 0, 1, 0));
    assert_eq!(read(&a.t(), None, first), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    assert_eq!(read(&a, a.as_slice(), &mut []), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

/// Lengths and offsets of any size: right, or a panic or nothing, but never anything else.
#[test]
fn at_the_edge() {
    extern crate std;
    let ok = |f: &dyn Fn() -> bool| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).ok();
    let sizes = [0, 1, 2, 3, 1 << 32, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX - 1, usize::MAX];
    let all = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let hook = std::panic::take_hook();
    std::panic::set_hook(alloc::boxed::Box::new(|_| ()));
    for (offset, rows, cols) in
        sizes.iter().flat_map(|&o| sizes.map(|r| (o, r))).flat_map(|(o, r)| sizes.map(|c| (o, r, c)))
    {
        let needs = offset as u128 + rows as u128 * cols as u128;
        // Of no elements, a dimension may still be too great for an array.
        let (fits, huge) = (needs <= 6, rows.max(cols) > 6);
        let found = ok(&|| view(&all, offset, [rows, cols]).iter().eq(&all[offset..][..rows * cols]));
        assert!(found == fits.then_some(true) || (huge && found.is_none()), "{offset} {rows} {cols}");
        let found = ok(&|| view_mut(&mut all.clone(), offset, [rows, cols]).dim() == (rows, cols));
        assert!(found == fits.then_some(true) || (huge && found.is_none()), "{offset} {rows} {cols}");
        let dims = [rows as isize, cols as isize];
        let product = (rows as u128 * cols as u128).min(1 << 64);
        assert!(length(&dims).is_none_or(|n| n == 0 || n as u128 == product), "{dims:?}");
        let whole = total(&[offset, rows, cols]);
        assert!(whole.is_none_or(|n| n as u128 >= offset as u128 + rows as u128 + cols as u128));
    }
    for len in sizes {
        let found = ok(&|| {
            let mut buffer = alloc::vec![0.0; 32];
            let mut rest = &mut buffer[..];
            let first = cut(&mut rest, len);
            first.len() == len && rest.len() == 32 - len.next_multiple_of(WHOLE)
        });
        assert_eq!(found, (len <= 32).then_some(true), "{len}");
        assert_eq!(size(usize::MAX / 2, "n", len).is_ok(), len <= usize::MAX / 2);
        let short = shape::<f64, _, 2>("x", &(&all[..], [len, 3]));
        assert_eq!(short.is_ok(), len == 2 || len.checked_mul(3).is_none(), "{len}");
    }
    std::panic::set_hook(hook);
}
