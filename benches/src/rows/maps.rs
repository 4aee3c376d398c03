//! Elementwise functions, against libmvec.

use super::{Row, Target};
use crate::bench::Bench;
use crate::data::{between, uniform};
use crate::programs::maps::*;
use tensor_rt::Workspace;

macro_rules! map_row {
    ($const:ident, $name:literal, $low:literal..$high:literal, $value:ident, $gradient:ident) => {
        pub(super) const $const: Row = Row {
            name: concat!("elementwise ", $name),
            unit: "n",
            sizes: &[1_000_000],
            slope: &[62_500, 250_000, 1_000_000],
            target: |_, _| Target::Ratio(1.1),
            writes: &[],
            run: |bench: &mut Bench, n: usize| {
                let (x, y_bar) = (between(n, $low, $high, 1), uniform(n, 2));
                let (mut work, mut work2) = (Workspace::new(), Workspace::new());
                let value = bench.case("value", n).ours(|out| $value(&x, out, &mut work).map(|()| 0.0));
                value.c($name, &[n], &[&x], 0).run();
                let gradient = bench.case("gradient", n);
                let gradient = gradient.ours(|out| $gradient(&x, &y_bar, out, &mut work2).map(|()| 0.0));
                gradient.c(concat!($name, "_grad"), &[n], &[&x, &y_bar], 0).run();
            },
        };
    };
}

map_row!(EXP, "exp", -20.0..20.0, map_exp_into, map_exp_grad_into);
map_row!(LN, "ln", 0.001..100.0, map_ln_into, map_ln_grad_into);
map_row!(TANH, "tanh", -4.0..4.0, map_tanh_into, map_tanh_grad_into);
map_row!(SIGMOID, "sigmoid", -10.0..10.0, map_sigmoid_into, map_sigmoid_grad_into);
map_row!(SIN, "sin", -10.0..10.0, map_sin_into, map_sin_grad_into);
