//! A small parser for tests: `0 <= i - j < n && i % 2 == 0 && r[i, j] || !(…)`. Names: sizes, indices and arrays are given;
//! a name followed by `[` that is no array is a relation.

use crate::index::affine::{floor, product};
use crate::index::pred::{any, complement};
use crate::index::{Affine, Atom, Cond, Names, Pred};

struct Parser<'a> {
    names: &'a mut Names,
    toks: Vec<String>,
    at: usize,
}
fn tokens(s: &str) -> Vec<String> {
    let b: Vec<char> = s.chars().collect();
    let (mut out, mut k) = (vec![], 0);
    while k < b.len() {
        let c = b[k];
        if c.is_whitespace() {
            k += 1;
        } else if c.is_alphanumeric() || c == '_' {
            let st = k;
            while k < b.len() && (b[k].is_alphanumeric() || b[k] == '_') {
                k += 1;
            }
            out.push(b[st..k].iter().collect());
        } else {
            let two: String = b[k..(k + 2).min(b.len())].iter().collect();
            if ["<=", ">=", "==", "!=", "&&", "||"].contains(&two.as_str()) {
                out.push(two);
                k += 2;
            } else {
                out.push(c.to_string());
                k += 1;
            }
        }
    }
    out
}
impl<'a> Parser<'a> {
    fn new(names: &'a mut Names, s: &str) -> Self {
        Parser { names, toks: tokens(s), at: 0 }
    }
    fn peek(&self) -> &str {
        self.toks.get(self.at).map_or("", |s| s)
    }
    fn eat(&mut self, t: &str) -> bool {
        let y = self.peek() == t;
        if y {
            self.at += 1;
        }
        y
    }
    fn args(&mut self) -> Vec<Affine> {
        let mut v = vec![];
        while !self.eat("]") {
            v.push(self.sum());
            self.eat(",");
        }
        v
    }
    fn primary(&mut self) -> Affine {
        if self.eat("(") {
            let a = self.sum();
            assert!(self.eat(")"));
            return a;
        }
        if self.eat("-") {
            return self.primary().scale(-1).unwrap();
        }
        let t = self.peek().to_string();
        self.at += 1;
        if let Ok(c) = t.parse::<i64>() {
            return c.into();
        }
        if let Some(k) = self.names.sizes.iter().position(|x| *x == t) {
            return Atom::Size(k as u32).into();
        }
        if let Some(k) = self.names.indices.iter().position(|x| *x == t) {
            return Atom::Index(k as u32).into();
        }
        if let Some(k) = self.names.arrays.iter().position(|x| *x == t) {
            assert!(self.eat("["), "{t}");
            return Atom::Element(k as u32, self.args()).into();
        }
        panic!("unknown name {t:?}")
    }
    fn term(&mut self) -> Affine {
        let mut a = self.primary();
        loop {
            if self.eat("*") {
                let b = self.primary();
                a = product(&a, &b).unwrap();
            } else if self.eat("/") {
                let b = self.primary();
                a = floor(&a, b.constant).unwrap();
            } else {
                return a;
            }
        }
    }
    fn sum(&mut self) -> Affine {
        let mut a = self.term();
        loop {
            if self.eat("+") {
                a = a.plus_scaled(1, &self.term()).unwrap();
            } else if self.eat("-") {
                a = a.plus_scaled(-1, &self.term()).unwrap();
            } else {
                return a;
            }
        }
    }
    fn pred(&mut self) -> Pred {
        let mut alts = vec![self.conj()];
        while self.eat("||") {
            alts.push(self.conj());
        }
        if alts.len() == 1 { alts.pop().unwrap() } else { vec![any(alts)] }
    }
    fn conj(&mut self) -> Pred {
        let mut p = self.lit();
        while self.eat("&&") {
            p.extend(self.lit());
        }
        p
    }
    /// Whether the parenthesis here holds a predicate: a comparison, or a relation alone.
    fn is_pred_in_parens(&self) -> bool {
        let mut depth = 0;
        for (k, t) in self.toks.iter().enumerate().skip(self.at) {
            match t.as_str() {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "<" | "<=" | "==" | "!=" | ">" | ">=" | "&&" | "||" | "!" => return true,
                _ => {}
            }
            if depth == 0 {
                let next = self.toks.get(k + 1).map_or("", |s| s);
                return ["", ")", "&&", "||"].contains(&next);
            }
        }
        false
    }
    fn lit(&mut self) -> Pred {
        if self.eat("!") {
            let p = self.lit();
            let c = complement(&p);
            return if c.len() == 1 { c.into_iter().next().unwrap() } else { vec![any(c)] };
        }
        if self.peek() == "true" {
            self.at += 1;
            return vec![];
        }
        if self.peek() == "(" {
            // A parenthesized predicate has a comparison or a connective inside, or is followed by none.
            if self.is_pred_in_parens() {
                self.at += 1;
                let p = self.pred();
                assert!(self.eat(")"));
                return p;
            }
        }
        let t = self.peek().to_string();
        let is_name = t.chars().next().is_some_and(|c| c.is_alphabetic());
        if is_name && self.toks.get(self.at + 1).is_some_and(|x| x == "[") && !self.names.arrays.contains(&t)
        {
            self.at += 2;
            let args = self.args();
            let id = match self.names.relations.iter().position(|x| *x == t) {
                Some(k) => k,
                None => {
                    self.names.relations.push(t);
                    self.names.relations.len() - 1
                }
            };
            return vec![Cond::Opaque { id: id as u32, args, holds: true }];
        }
        let mut left = self.sum();
        let mut out = vec![];
        if self.eat("%") {
            let k = self.primary().constant;
            let op = self.peek().to_string();
            self.at += 1;
            let r = self.sum();
            let a = left.plus_scaled(-1, &r).unwrap();
            return vec![if op == "==" { Cond::Residue(a, k) } else { Cond::not_residue(a, k) }];
        }
        loop {
            let op = self.peek().to_string();
            if !["<", "<=", "==", "!=", ">", ">="].contains(&op.as_str()) {
                assert!(!out.is_empty(), "no comparison at {:?} in {:?}", op, self.toks);
                return out;
            }
            self.at += 1;
            let right = self.sum();
            let d = right.plus_scaled(-1, &left).unwrap();
            let e = left.plus_scaled(-1, &right).unwrap();
            let less = |mut a: Affine| {
                a.constant -= 1;
                a
            };
            out.push(match op.as_str() {
                "<" => Cond::NonNeg(less(d)),
                "<=" => Cond::NonNeg(d),
                ">" => Cond::NonNeg(less(e)),
                ">=" => Cond::NonNeg(e),
                "==" => Cond::Zero(e),
                _ => Cond::NonZero(e),
            });
            left = right;
        }
    }
    fn done(&self) -> bool {
        self.at == self.toks.len()
    }
}
pub(crate) fn pred(names: &mut Names, s: &str) -> Pred {
    if s.trim().is_empty() {
        return vec![];
    }
    let mut p = Parser::new(names, s);
    let r = p.pred();
    assert!(p.done(), "trailing {:?} in {s}", p.peek());
    r
}
pub(crate) fn affine(names: &mut Names, s: &str) -> Affine {
    let mut p = Parser::new(names, s);
    let r = p.sum();
    assert!(p.done(), "trailing {:?} in {s}", p.peek());
    r
}
