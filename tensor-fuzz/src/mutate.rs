//! Changes of tokens.

use crate::corpus::Corpus;
use crate::tree::{Node, Tree};
use fastrand::Rng;
use proc_macro2::{Delimiter, Ident, TokenTree};

/// What tokens are replaced by.
const TOKENS: &str = "for sum prod max min argmax argmin logsumexp exists rec fold scan rel sparse if else let in as f64 f32 usize fn where \
    pub use stop grad jvp vjp hvp jacobian hessian linearize transpose value_and_grad powi powf sin ln sqrt abs clamp atan2 hypot PI N D \
    INFINITY i j k n m x y f g t self _ 0 1 2 7 1.5 + - * / % < <= == != >= > && || ! . .. ..= , ; : :: = -> => # & | @ ? 's' \"s\" \
    [i] [0] [n - 1] [i + 1] [i < n] [.., i] [] (x, y) (x) () {x} {} #[recompute]";

/// What numbers become.
const NUMBERS: &str = "0 1 2 3 4 5 7 8 16 63 64 65 127 1000 4294967295 4294967296 2147483647 2147483648 9007199254740993 \
    4611686018427387904 9223372036854775807 9223372036854775808 18446744073709551616 99999999999999999999999999999999999999999 \
    0.0 0.5 1.0 2.0 1.5 1e300 1e308 1e999 1e-320 0.1f32 1_000 0x10 0b11 1usize 3f64 1i8";

/// What an operand is nested in: before and after it.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("-", ""),
    ("!", ""),
    ("", ".sin()"),
    ("", ".powi(2)"),
    ("", ".max(1.0)"),
    ("", "[0]"),
    ("", ".0"),
    ("", "+ 1.0"),
    ("", "* x"),
    ("", "as f64"),
    ("exp(", ")"),
    ("[", "]"),
    ("(", ", 1.0)"),
    ("{", "}"),
    ("{ let z =", "; z * z }"),
    ("{ let z = x;", "}"),
    ("sum i in 0..2 {", "}"),
    ("sum i in 0..n {", "}"),
    ("for i in 0..n {", "}"),
    ("(for i in 0..3 {", "})[0]"),
    ("max i in 0..2 {", "}"),
    ("logsumexp i in 0..2 {", "}"),
    ("if 0 < n {", "} else { 0.0 }"),
    ("if 0.0 < 1.0 { 1.0 } else {", "}"),
    ("[0 < n] * (", ")"),
    ("stop(", ")"),
    ("grad(", ", x)"),
    ("f(", ")"),
    ("2 * (", ") / 3"),
    ("(", ") % 2"),
];

/// Operators that stand for each other.
const OPERATORS: &[&str] = &["+ - * /", "< >", "= !", "& |"];

/// One input: a program, changed a few times. More than half of the inputs have changes only that are often a program again; they get beyond
/// the parser.
#[must_use]
pub fn input(corpus: &Corpus, rng: &mut Rng) -> Tree {
    let mut program = pick(corpus, rng).clone();
    if rng.u8(..5) < 3 {
        for _ in 0..=rng.u8(..6) / 3 {
            exchange(&mut program, corpus, rng);
        }
        return program;
    }
    let most = if rng.u8(..8) == 0 { 12 } else { 3 };
    for _ in 0..rng.usize(1..=most) {
        change(&mut program, corpus, rng);
    }
    program
}

/// The shorter of two: small programs are quick, and reach as far.
fn pick<'a>(corpus: &'a Corpus, rng: &mut Rng) -> &'a Tree {
    let mut one = || &corpus.programs[rng.usize(..corpus.programs.len())];
    let (a, b) = (one(), one());
    if a.places() <= b.places() { a } else { b }
}

fn words(text: &str) -> Vec<Node> {
    Tree::parse(text).unwrap_or_default().0
}

fn any(list: &[Node], rng: &mut Rng) -> Node {
    list[rng.usize(..list.len())].clone()
}

/// Deletes, doubles, exchanges, replaces, groups, nests or splices tokens anywhere.
fn change(program: &mut Tree, corpus: &Corpus, rng: &mut Rng) {
    let places = program.places();
    if places == 0 {
        program.0.push(any(&words(TOKENS), rng));
        return;
    }
    let other = program.node(rng.usize(..places)).cloned();
    let spliced = pick(corpus, rng);
    let kind = rng.u8(..15);
    if kind == 14 {
        return join(program, spliced, rng);
    }
    let Some((list, k)) = program.list(rng.usize(..places)) else { return };
    let len = list.len();
    match kind {
        0 => drop(list.remove(k)),
        1 => drop(list.drain(k..rng.usize(k..=len))),
        2 => list.insert(k, list[k].clone()),
        3 => list.swap(k, (k + 1) % len),
        4 => list.swap(k, rng.usize(..len)),
        5 => list.insert(k, any(&words(TOKENS), rng)),
        6 => list[k] = any(&words(TOKENS), rng),
        7 => list[k] = other.unwrap_or_else(|| list[k].clone()),
        8 => regroup(list, k, rng),
        9 => duplicate(list, k, rng),
        10 | 11 => nest(list, k, rng),
        12 => splice(list, k, spliced, rng),
        _ => list[k] = number(&list[k], rng),
    }
}

/// Puts a token or a group of the same kind in the place of another, or nests an operand, or joins the items of two programs.
fn exchange(program: &mut Tree, corpus: &Corpus, rng: &mut Rng) {
    let places = program.places();
    if places == 0 {
        return;
    }
    let other = pick(corpus, rng);
    if rng.u8(..24) == 0 {
        return join(program, other, rng);
    }
    let place = rng.usize(..places);
    let Some(old) = program.node(place).cloned() else { return };
    let same = |n: &Node| match (n, &old) {
        (Node::Token(TokenTree::Ident(a)), Node::Token(TokenTree::Ident(b))) => class(a) == class(b),
        (Node::Group(a, _), Node::Group(b, _)) => a == b,
        (Node::Token(_) | Node::Group(..), _) => false,
    };
    let from = if rng.u8(..4) == 0 { other } else { &*program };
    let tries = (0..8).filter_map(|_| from.node(rng.usize(..from.places())));
    let found = tries.into_iter().find(|n| same(n)).cloned();
    let Some((list, k)) = program.list(place) else { return };
    match &old {
        Node::Token(TokenTree::Literal(_)) => list[k] = number(&old, rng),
        Node::Token(TokenTree::Punct(p)) => {
            let class = OPERATORS.iter().find(|c| c.contains(p.as_char()));
            if let Some(class) = class {
                list[k] = any(&words(class), rng);
            }
        }
        Node::Token(_) | Node::Group(..) if rng.u8(..6) == 0 => nest_one(list, k, rng),
        Node::Token(_) | Node::Group(..) => {
            if let Some(new) = found {
                list[k] = new;
            }
        }
    }
}

/// Words that stand for each other: names of one letter with each other, which are often indices or variables.
fn class(word: &Ident) -> usize {
    let words = ["fn pub", "let", "in", "if else where as", "f64 f32 usize", "for sum max min logsumexp"];
    let word = word.to_string();
    let keyword = words.iter().position(|class| class.split(' ').any(|w| w == word));
    let last = word.chars().last().unwrap_or_default();
    match (keyword, word.len()) {
        (Some(k), _) => 4 + k,
        (None, 1) => 1 + usize::from("ijkl".contains(last)) + 2 * usize::from("nmdp".contains(last)),
        (None, _) => 0,
    }
}

/// Another number, near it or at an end of some range.
fn number(old: &Node, rng: &mut Rng) -> Node {
    let Node::Token(TokenTree::Literal(l)) = old else { return any(&words(NUMBERS), rng) };
    match (l.to_string().parse::<u64>(), rng.u8(..3)) {
        (Ok(v), 0) => words(&v.wrapping_add(1).to_string()).remove(0),
        (Ok(v), 1) => words(&v.saturating_sub(1).to_string()).remove(0),
        (Ok(_) | Err(_), _) => any(&words(NUMBERS), rng),
    }
}

/// Another delimiter, none, or one around what follows.
fn regroup(list: &mut Vec<Node>, k: usize, rng: &mut Rng) {
    let delimiters = [Delimiter::None, Delimiter::Brace, Delimiter::Bracket, Delimiter::Parenthesis];
    let delimiter = delimiters[rng.usize(..4)];
    match list[k].clone() {
        Node::Group(_, inside) if rng.bool() => drop(list.splice(k..=k, inside.0)),
        Node::Group(_, inside) => list[k] = Node::Group(delimiter, inside),
        Node::Token(_) => {
            let inside: Vec<Node> = list.drain(k..rng.usize(k + 1..=list.len())).collect();
            list.insert(k, Node::Group(delimiter, Tree(inside)));
        }
    }
}

/// A piece of the list, a few times more.
fn duplicate(list: &mut Vec<Node>, k: usize, rng: &mut Rng) {
    let end = rng.usize(k + 1..=list.len().min(k + 12));
    let piece: Vec<Node> = list[k..end].to_vec();
    for _ in 0..rng.usize(1..=8) {
        list.splice(end..end, piece.clone());
    }
}

/// An operand or the rest of the list, nested in one of the forms, up to hundreds of times.
fn nest(list: &mut Vec<Node>, k: usize, rng: &mut Rng) {
    let (open, close) = NESTS[rng.usize(..NESTS.len())];
    let end = if rng.bool() { k + 1 } else { list.len() };
    let most = 1 << rng.u32(..10);
    let depth = rng.usize(1..=most);
    let piece: Vec<Node> = list.drain(k..end).collect();
    let new = nested(open, close, piece, depth);
    list.splice(k..k, new);
}

/// One name, number or group, a few times.
fn nest_one(list: &mut Vec<Node>, k: usize, rng: &mut Rng) {
    let (open, close) = NESTS[rng.usize(..NESTS.len())];
    let depth = rng.usize(1..=4);
    let new = nested(open, close, vec![list[k].clone()], depth);
    list.splice(k..=k, new);
}

fn nested(open: &str, close: &str, inner: Vec<Node>, depth: usize) -> Vec<Node> {
    // The mark stands for what is inside.
    let shape = words(&format!("{open} __mark {close}"));
    let mut out = inner;
    for _ in 0..depth {
        let mut around = Tree(shape.clone());
        let is_mark = |n: &Node| matches!(n, Node::Token(TokenTree::Ident(i)) if i == "__mark");
        let place = (0..around.places()).find(|p| around.node(*p).is_some_and(is_mark));
        if let Some((list, k)) = place.and_then(|p| around.list(p)) {
            list.splice(k..=k, out);
        }
        out = around.0;
    }
    out
}

/// A piece of another program instead of a piece of this one.
fn splice(list: &mut Vec<Node>, k: usize, other: &Tree, rng: &mut Rng) {
    let mut other = other.clone();
    let Some((from, j)) = other.list(rng.usize(..other.places())) else { return };
    let piece = from[j..rng.usize(j..=from.len())].to_vec();
    let end = rng.usize(k..=list.len());
    list.splice(k..end, piece);
}

/// The items of two programs in one, in turns or one after the other.
fn join(program: &mut Tree, other: &Tree, rng: &mut Rng) {
    let at = rng.usize(..=program.0.len());
    let from = if rng.bool() { 0 } else { rng.usize(..=other.0.len()) };
    if rng.bool() {
        program.0.truncate(at);
    }
    let at = at.min(program.0.len());
    program.0.splice(at..at, other.0[from..].iter().cloned());
}
