//! Mutated programs: an error or a tree, never a panic.

use crate::error::Errors;
use crate::parse::{Input, parse};
use proc_macro2::{Group, TokenStream, TokenTree};

const CORPUS: &[&str] = &[
    "/// Docs.
    pub fn misfit<n, m>(x: [f64; n + m - 1], w: [f64; m], z: [f64; n]) -> f64 where 2 * m <= n, 0 < m {
        let y = for i in 0..n { sum j in 0..m { x[i + j] * w[j] } };
        sum i { (y[i] - z[i]).powi(2) }
    }
    pub fn misfit_grad = value_and_grad(misfit, x, t.0);",
    "fn f(n: usize, t: (f32, [(f32, f32); n, D])) -> (f32, [[f32; 3]; n]) {
        let (a, (b, c)): f64 = t.0.1[.., 2*j / 3 + 1];
        if a < 0.5 || !(b >= 2.0e3) && 0 <= i - j < n { stop(a) } else if p { -b.max(1.) } else { max(c, PI) as f64 }
    } use a::b; fn g(x: rel[n, m], y: sparse[f64; r]) -> usize < n { rec i in 0..n { y[i - 1] } }",
    "|w: [f32; n] = &self.w, y: [f32; n + 1]| for i in 0..n, j in 1..=m if i != j { [exists k in 0..j { i == 2 * k }] * y[i + 1] - [0.0; n][i] - w[i] }",
    "{ let k = argmax i in 0..n { x[i] }; logsumexp j, l in a..b if l % 2 == 0 { crate::G * x[k, j] } } + prod i { grad(e, x) }",
];

const EXTRA: &str = "fn let if else for in sum max as , ; : :: . .. ..= = == -> => < > & | ^ ** ! # ? 0.1 1. 2 1e999 99999999999999999999 \"s\" 'c' mut self x \
    () [] {} pub use prod rec grad";

/// A small generator of numbers below `bound`: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % bound.max(1)
    }
}

/// Deletes, doubles, swaps, inserts, wraps or unwraps a token somewhere.
fn mutate(tokens: TokenStream, extra: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let at = random.below(tokens.len());
    if let Some(TokenTree::Group(g)) = tokens.get(at).cloned()
        && random.below(8) > 0
    {
        tokens[at] = Group::new(g.delimiter(), mutate(g.stream(), extra, random)).into();
        return tokens.into_iter().collect();
    }
    let other = random.below(tokens.len());
    match random.below(6) {
        _ if tokens.is_empty() => tokens.extend(extra.get(random.below(extra.len())).cloned()),
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(other, tokens[at].clone()),
        2 => tokens.swap(at, other),
        3 => tokens.insert(at, extra[random.below(extra.len())].clone()),
        4 => tokens.truncate(at),
        _ => {
            let tail: TokenStream = tokens.drain(at..).collect();
            let delimiters = [
                proc_macro2::Delimiter::None,
                proc_macro2::Delimiter::Brace,
                proc_macro2::Delimiter::Bracket,
                proc_macro2::Delimiter::Parenthesis,
            ];
            tokens.push(Group::new(delimiters[random.below(4)], tail).into());
        }
    }
    tokens.into_iter().collect()
}

#[test]
fn mutations_do_not_panic() {
    let extra: Vec<TokenTree> = EXTRA.parse::<TokenStream>().expect("tokens").into_iter().collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..5000 {
        let mut tokens: TokenStream = CORPUS[round % CORPUS.len()].parse().expect("tokens");
        for _ in 0..=random.below(6) {
            tokens = mutate(tokens, &extra, &mut random);
        }
        let mut errors = Errors::default();
        let text = tokens.to_string();
        let input = parse(tokens, &mut errors);
        let sound = match &input {
            Some(Input::Inline(_)) => errors.is_empty(),
            None => !errors.is_empty(),
            Some(Input::Block(b)) => errors.is_empty() || b.items.len() + b.broken.len() < 40,
        };
        assert!(sound, "{text}");
        assert!(errors.0.iter().all(|e| !e.message.is_empty() && !e.message.ends_with('.')), "{errors:?}");
    }
}

/// Deep and long inputs end in an error, not in an overflow of the stack.
#[test]
fn depth_is_bounded() {
    let wrap = |open: &str, close: &str, inner: &str, n: usize| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let deep = [
        wrap("(", ")", "x", 1000),
        wrap("[", "]", "x", 1000),
        wrap("{", "}", "x", 1000),
        wrap("f(", ")", "x", 1000),
        wrap("-", "", "x", 20_000),
        wrap("", " + x", "x", 20_000),
        wrap("", ".0", "x", 20_000),
        wrap("", "[i]", "x", 20_000),
        wrap("for i { ", "}", "x", 1000),
        wrap("if p { a } else ", "", "{ b }", 20_000),
        wrap("if ", " { a } else { b }", "p", 20_000),
        wrap("x[", "]", "i", 1000),
        wrap("sum i in ", "..n { 1.0 }", "0", 20_000),
        wrap("sum i in 0..", " { 1.0 }", "n", 20_000),
        wrap("sum i if ", " { 1.0 }", "p", 20_000),
        format!("fn f(x: {}) -> f64 {{ 1.0 }}", wrap("[", "; 1]", "f64", 1000)),
        format!("|x: {}| x", wrap("(", ")", "f64", 1000)),
        format!("fn f() -> f64 {{ let {} = x; 1.0 }}", wrap("(", ")", "a", 1000)),
    ];
    for source in deep {
        let mut errors = Errors::default();
        let _input = parse(source.parse().expect("tokens"), &mut errors);
        assert!(!errors.is_empty(), "{}", &source[..60]);
    }
}
