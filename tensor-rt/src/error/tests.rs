use super::*;
use alloc::format;
use alloc::string::ToString;

/// An error and how it reads, printed for people or by `unwrap`.
#[track_caller]
fn check(error: Error, reads: &str) {
    assert_eq!(error.to_string(), reads);
    assert_eq!(format!("{error:?}"), reads);
}

#[test]
fn messages() {
    let nm = Values::new(&["n", "m"], &[5, 5]);
    let dimension =
        |extent, needs, sizes| Error::Dimension { argument: "x", dimension: 0, has: 7, needs, extent, sizes };
    check(
        dimension("n + m - 1", 9, nm),
        "argument `x`: dimension 0 is 7, but must be `n + m - 1` = 9 (n = 5, m = 5)",
    );
    check(
        dimension("n", 9, Values::new(&["n"], &[9])),
        "argument `x`: dimension 0 is 7, but must be `n` = 9",
    );
    check(dimension("3", 3, Values::default()), "argument `x`: dimension 0 is 7, but must be 3");
    let size = |numerator, divisor| Error::Size {
        argument: "t.0",
        dimension: 1,
        has: 6,
        extent: "2*h + 1",
        size: "h",
        numerator,
        divisor,
    };
    check(
        size(5, 2),
        "argument `t.0`: dimension 1 is 6, but must be `2*h + 1`, and `h` = 5 / 2 is not a whole number",
    );
    check(size(-4, 2), "argument `t.0`: dimension 1 is 6, but must be `2*h + 1`, and `h` = -2 is negative");
    check(size(-4, 1), "argument `t.0`: dimension 1 is 6, but must be `2*h + 1`, and `h` = -4 is negative");
    check(
        Error::Condition { condition: "where 2*m <= n", sizes: Values::new(&["n", "m"], &[3, 2]) },
        "`where 2*m <= n` does not hold: n = 3, m = 2",
    );
    check(Error::Condition { condition: "3 <= 2", sizes: Values::default() }, "`3 <= 2` does not hold");
    check(
        Error::Rank { argument: "x", has: 1, needs: 2 },
        "argument `x`: the array has 1 dimension, but must have 2",
    );
    check(
        Error::Length { argument: "x", has: 7, needs: 8 },
        "argument `x`: the slice has 7 elements, but its shape has 8",
    );
    check(
        Error::TooLarge { argument: "x", dimension: Some(0), has: 9, limit: 8 },
        "argument `x`: dimension 0 is 9, but may be at most 8",
    );
    check(
        Error::TooLarge { argument: "n", dimension: None, has: 9, limit: 8 },
        "`n` is 9, but may be at most 8",
    );
    check(
        Error::Memory { name: "out", sizes: nm },
        "`out` would have more elements than can be addressed: n = 5, m = 5",
    );
    check(Error::NotCompiled, "the function had errors when it was compiled");
}

#[test]
fn is_a_small_error() {
    fn is_error<E: core::error::Error + Send + Sync + Clone + PartialEq + 'static>() {}
    is_error::<Error>();
    assert!(size_of::<Error>() < 128);
}

#[test]
fn values_beyond_the_most_are_left_out() {
    let all = Values::new(&["a", "b", "c", "d", "e"], &[1, 2, 3, 4, 5]);
    assert_eq!(all.to_string(), "a = 1, b = 2, c = 3, d = 4");
    assert_eq!(all.iter().last(), Some(("d", 4)));
}

#[test]
fn tells_the_argument() {
    assert_eq!(Error::Rank { argument: "x", has: 1, needs: 2 }.argument(), Some("x"));
    assert_eq!(Error::NotCompiled.argument(), None);
}
