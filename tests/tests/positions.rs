//! Where blocks stand, and what macros pass to them.
#![deny(warnings)]

use tensor_rt::{Error, tensor};

/// As the value of a function, in each kind of brackets; inside of expressions and closures; as items of a function.
mod places {
    use super::{Error, tensor};

    fn round(x: &[f64]) -> Result<f64, Error> {
        tensor!(sum i { x[i] })
    }

    fn curly(x: &[f64]) -> Result<f64, Error> {
        tensor! { sum i { x[i] } }
    }

    fn square(x: &[f64]) -> Result<f64, Error> {
        tensor![sum i { x[i] }]
    }

    fn inside(x: &[f64]) -> Result<f64, Error> {
        let twice = |k: f64| tensor!(k * sum i { x[i] });
        Ok(tensor!(sum i { x[i] })? + tensor! { sum i { 2.0 * x[i] } }? * twice(2.0)?)
    }

    fn local() -> Result<f64, Error> {
        tensor! { fn double(x: f64) -> f64 { 2.0 * x } fn double_grad = grad(double); }
        Ok(double(2.0)? + double_grad(1.0)?)
    }

    struct Owner {
        v: Vec<f64>,
    }

    impl Owner {
        const WEIGHT: f64 = 3.0;

        fn total(&self) -> Result<f64, Error> {
            tensor!(|v: [f64; n] = &self.v| sum i in 0..n { v[i] })
        }
    }

    /// Constants by every kind of path.
    mod constants {
        pub const G: f64 = 4.0;
        pub mod inner {
            const H: f64 = 0.5;
            tensor_rt::tensor! {
                pub fn by_paths(x: f64) -> f64 { super::G * x * self::H * crate::places::constants::G * H }
                pub fn of_type(x: f64) -> f64 { x * super::super::Owner::WEIGHT }
            }
        }
    }

    #[test]
    fn run() {
        let x = [1.0, 2.0];
        assert_eq!((round(&x), curly(&x), square(&x)), (Ok(3.0), Ok(3.0), Ok(3.0)));
        assert_eq!((inside(&x), local()), (Ok(39.0), Ok(6.0)));
        assert_eq!(Owner { v: vec![1.0] }.total(), Ok(1.0));
        assert_eq!((constants::inner::by_paths(1.0), constants::inner::of_type(2.0)), (Ok(4.0), Ok(6.0)));
    }
}

/// Every kind of fragment that a macro may pass on.
mod fragments {
    use super::tensor;

    macro_rules! parts {
        ($vis:vis $name:ident<$n:ident>($x:ident) $body:tt) => {
            tensor! { $vis fn $name<$n>($x: [f64; $n]) -> f64 $body }
        };
    }
    parts!(pub squares<n>(x) { sum i { x[i] * x[i] } });

    macro_rules! all {
        ($($t:tt)*) => { tensor! { $($t)* } };
    }
    all! { fn through<n>(x: [f64; n]) -> f64 { sum i { x[i] } } fn through_grad = value_and_grad(through, x); }

    macro_rules! typed {
        ($name:ident, $t:ty, $e:expr) => {
            tensor! { fn $name(x: $t) -> f64 { 1.0 + x * $e } }
        };
    }
    typed!(three, f64, 2.0 + 1.0);

    macro_rules! literals {
        ($name:ident, $l:literal, $d:expr) => {
            tensor! { fn $name(x: [f64; $d]) -> f64 { let y = $l; y * sum i { x[i] } } }
        };
    }
    literals!(weighted, 3.0, 2);

    /// Two parameters with the same letters, and transforms by each.
    macro_rules! two {
        ($a:ident) => {
            tensor! {
                fn minus($a: f64, a: f64) -> f64 { $a - a }
                fn by_caller = grad(minus, $a);
                fn by_macro = grad(minus, a);
                fn by_both = jvp(minus);
                fn product($a: f64, a: f64) -> f64 { $a * a }
                fn transposed = transpose(product, a);
            }
        };
    }
    two!(a);

    #[test]
    fn run() {
        let x = [1.0, 2.0];
        assert_eq!((squares(&x), through(&x)), (Ok(5.0), Ok(3.0)));
        assert_eq!(through_grad(&x).unwrap().1.to_vec(), [1.0, 1.0]);
        assert_eq!((three(2.0), weighted(&x)), (Ok(7.0), Ok(9.0)));
        assert_eq!((minus(5.0, 2.0), by_caller(5.0, 2.0), by_macro(5.0, 2.0)), (Ok(3.0), Ok(1.0), Ok(-1.0)));
        assert_eq!((by_both(5.0, 2.0, 1.0, 2.0), transposed(3.0, 1.0)), (Ok((3.0, -1.0)), Ok(3.0)));
        assert_eq!(product(3.0, 2.0), Ok(6.0));
    }
}
