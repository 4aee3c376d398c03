//! `tensor!` where no crate is called `tensor_rt`: under another name, and by a crate that re-exports it.
#![deny(warnings)]

/// The dependency has another name.
pub mod renamed {
    rt::tensor! {
        /// Sums over lanes, products, extremes, functions.
        pub fn f<n, m>(a: [f64; n, m], x: [f64; m]) -> [f64; n] where m >= 1 {
            let z = max j in 0..m { x[j] };
            for i { sum j { a[i, j] * (x[j] - z).exp() } }
        }
        /// Its derivative.
        pub fn f_vjp = vjp(f);
        /// As a map.
        pub fn f_linear = linearize(f, x);
        /// With a shape of its own.
        pub fn fixed(x: [f64; 2], k: usize) -> ([f64; 2], f64) { ([x[1], PI], x[0] * (k as f64)) }
    }

    #[test]
    fn run() -> Result<(), rt::Error> {
        let (a, x) = ([[1.0, 2.0]], [3.0, 3.0]);
        assert_eq!(f(&a, &x)?.to_vec(), [3.0]);
        assert_eq!((f_vjp(&a, &x, &[1.0])?.1).1.to_vec(), [-2.0, 2.0]);
        assert_eq!(f_linear(&a, &x)?.0.to_vec(), [3.0]);
        assert_eq!(fixed(&[1.0, 2.0], 3)?.1, 3.0);
        assert_eq!(rt::tensor!(sum i { x[i] })?, 6.0);
        Ok(())
    }
}

/// Another crate re-exports it.
pub mod reexported {
    use reexport::tensor;

    tensor! {
        /// A sum of squares.
        pub fn f<n>(x: [f64; n]) -> f64 { sum i { x[i].powi(2) } }
        /// Its gradient.
        pub fn f_grad = value_and_grad(f);
    }
    reexport::halved!(g, g_grad, x, x * x);

    #[test]
    fn run() -> Result<(), reexport::tensor_rt::Error> {
        assert_eq!(f_grad(&[1.0, 2.0])?.0, 5.0);
        let (i, b) = ([1.0, 2.0], [3.0, 4.0]);
        assert_eq!(reexport::dot!(i, b)?, 11.0);
        assert_eq!(tensor!(sum k { i[k] })?, 3.0);
        assert_eq!((g(3.0)?, g_grad(3.0)?), (4.5, 3.0));
        Ok(())
    }
}
