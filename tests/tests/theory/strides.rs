//! Floors, strides and triangles.

use super::{Line, Out};

#[rustfmt::skip]
pub const TABLE: &[Line] = &[
    Line {
        about: "reads at halves have adjoints without floors",
        source: r#"
fn halves<n>(x: [f64; n]) -> [f64; 2 * n] { for i in 0..2 * n { x[i / 2] * [i % 2 == 0] + 0.5 } }
fn halves_vjp = vjp(halves);
"#,
        out: &[
            Out {
                function: "halves_vjp",
                most: |n, _, _| 2 * n,
                rank: 1,
                prints: r#"
fn halves_vjp<n>(x: [f64; n], y_bar: [f64; 2 * n]) -> ([f64; 2 * n], [f64; n]) {
    let result = for i in 0..2 * n { [i % 2 == 0] * x[i / 2] + 0.5 };
    let x_bar = for k in 0..n { y_bar[2 * k] };
    (result, x_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "strided reads have adjoints without fractions",
        source: r#"
fn even<n>(x: [f64; 2 * n]) -> [f64; n] { for i in 0..n { x[2 * i] } }
fn even_vjp = vjp(even);
fn pool<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m]) -> [f64; n] where m >= 2 { for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } } }
fn pool_x = vjp(pool, x);
fn pool_w = vjp(pool, w);
"#,
        out: &[
            Out {
                function: "even_vjp",
                most: |_, _, _| 0,
                rank: 0,
                prints: r#"
fn even_vjp<n>(x: [f64; 2 * n], y_bar: [f64; n]) -> ([f64; n], [f64; 2 * n]) {
    let result = for i in 0..n { x[2 * i] };
    let x_bar = for k in 0..2 * n if k % 2 == 0 { y_bar[k / 2] };
    (result, x_bar)
}
"#,
            },
            Out {
                function: "pool_x",
                most: |n, m, _| 2 * n * m + 2 * n * m,
                rank: 1,
                prints: r#"
fn pool_x<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; 2 * n + m - 2]) where 1 < m {
    let result = for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } };
    let x_bar = for k in 0..2 * n + m - 2 { sum i in 0..n if 0 <= k - 2 * i < m { w[k - 2 * i] * y_bar[i] } };
    (result, x_bar)
}
"#,
            },
            Out {
                function: "pool_w",
                most: |n, m, _| 4 * n * m,
                rank: 1,
                prints: r#"
fn pool_w<n, m>(x: [f64; 2 * n + m - 2], w: [f64; m], y_bar: [f64; n]) -> ([f64; n], [f64; m]) where 1 < m {
    let result = for i in 0..n { sum j in 0..m { x[2 * i + j] * w[j] } };
    let w_bar = for j in 0..m { sum i in 0..n { x[j + 2 * i] * y_bar[i] } };
    (result, w_bar)
}
"#,
            },
        ],
    },
    Line {
        about: "triangles packed by rows and by columns: their adjoints add where the function read",
        source: r#"
fn rows<n>(l: [f64; n * (n - 1) / 2], x: [f64; n]) -> [f64; n] { for i in 0..n { sum j in 0..i { l[i * (i - 1) / 2 + j] * x[j] } } }
fn rows_l = vjp(rows, l);
fn columns<n>(l: [f64; n * (n - 1) / 2], x: [f64; n]) -> [f64; n] { for i in 0..n { sum j in 0..i { l[j * (2 * n - j - 1) / 2 + i - j - 1] * x[j] } } }
fn columns_l = vjp(columns, l);
fn columns_again = vjp(columns_l, x, y_bar);
"#,
        out: &[
            Out {
                function: "rows_l",
                most: |n, _, _| n * (n - 1) * 3 / 2,
                rank: 0,
                prints: r#"
fn rows_l<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n]) -> ([f64; n], [f64; (n * n - n) / 2]) {
    let result = for i in 0..n { sum j in 0..i { l[(i * i - i) / 2 + j] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + i == j + (i + i * i) / 2 { x[j] * y_bar[i] } };
    (result, l_bar)
}
"#,
            },
            Out {
                function: "columns_l",
                most: |n, _, _| n * (n - 1) * 3 / 2,
                rank: 0,
                prints: r#"
fn columns_l<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n]) -> ([f64; n], [f64; (n * n - n) / 2]) {
    let result = for i in 0..n { sum j in 0..i { l[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + 2 * j + j * j + 1 == i + (j + j * j) / 2 + n * j { x[j] * y_bar[i] } };
    (result, l_bar)
}
"#,
            },
            Out {
                function: "columns_again",
                most: |n, _, _| n * (n - 1) * 9 / 2,
                rank: 0,
                prints: r#"
fn columns_again<n>(l: [f64; (n * n - n) / 2], x: [f64; n], y_bar: [f64; n], y_bar0: [f64; n], y_bar1: [f64; (n * n - n) / 2]) -> ([f64; n], [f64; (n * n - n) / 2], [f64; n], [f64; n]) {
    let result = for i in 0..n { sum j in 0..i { l[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] * x[j] } };
    let l_bar = for k in 0..(n * n - n) / 2 { sum i in 0..n, j in 0..i if k + 2 * j + j * j + 1 == i + (j + j * j) / 2 + n * j { x[j] * y_bar[i] } };
    let x_bar = for j in 0..n { sum i in j + 1..n { y_bar[i] * y_bar1[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] } + sum i in j + 1..n { l[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] * y_bar0[i] } };
    let y_bar_bar = for i in 0..n { sum j in 0..i { x[j] * y_bar1[i + (j + j * j) / 2 + n * j - 2 * j - j * j - 1] } };
    (result, l_bar, x_bar, y_bar_bar)
}
"#,
            },
        ],
    },
];
