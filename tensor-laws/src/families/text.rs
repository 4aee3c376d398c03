//! What the texts are put together from.

/// The transforms under which families of tensors and guards are asked; `value` is none.
pub(super) const TRANSFORMS: [&str; 5] = ["value", "vjp", "hvp", "linearize", "hessian"];

/// `f(0) f(1) … f(k - 1)`, with `with` between.
pub(super) fn join(k: usize, with: &str, f: impl Fn(usize) -> String) -> String {
    (0..k).map(f).collect::<Vec<_>>().join(with)
}

/// `each` for 0 to k - 1, with `$i` that number and `$j` the next; then `last`, with `$k` as k.
pub(super) fn lets(k: usize, each: &str, last: &str) -> String {
    join(k, "\n", |i| numbered(each, i)) + "\n" + &last.replace("$k", &k.to_string())
}

/// `$i` is a number, and `$j` the next.
pub(super) fn numbered(text: &str, i: usize) -> String {
    text.replace("$i", &i.to_string()).replace("$j", &(i + 1).to_string())
}

/// `open` k times, what is inside, `close` k times.
pub(super) fn around(k: usize, open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(k), close.repeat(k))
}

/// The transform of `f` by `by`, as `, x`, to stand after `fn f`.
pub(super) fn derived(transform: &str, by: &str) -> String {
    match transform {
        "value" => String::new(),
        t => format!("fn g = {t}(f{by});"),
    }
}
