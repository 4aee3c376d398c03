//! Functions as text.
//!
//! ```text
//! size n m
//! assume 1 <= n
//! param x[n, m] w[m]
//! q[i < n] = [1 <= i, x[i, 0] > 0.0] ln(x[i, 0])
//! y[] = sum i<n j<m. [i <= j] 2 q[i] w[j] + 1 q[0]
//! z[i < n] = max j<m. [] x[i, j]
//! result y z
//! ```

use crate::ast::Elem;
use crate::index::{Affine, Cond, Pred};
use crate::prim::{BINARY, Prim, UNARY};
use crate::sorted::Map;
use crate::ssa::{Access, ArrayId, Extreme, Function, Index, RealCompare, Rhs, Stmt, Term};

/// Parses a function.
pub fn function(text: &str) -> Function {
    let empty = Function {
        name: "f".into(),
        elem: Elem::F64,
        sizes: vec![],
        assumptions: vec![],
        arrays: vec![],
        params: vec![],
        stmts: vec![],
        results: vec![],
        indices: vec![],
        comparisons: vec![],
        callees: vec![],
        recs: vec![],
    };
    let mut p = Parser { f: empty, names: Map::new(), arrays: Map::new(), tokens: vec![], at: 0 };
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        p.tokens = tokens(line);
        p.at = 0;
        p.line();
        assert_eq!(p.at, p.tokens.len(), "{line}");
    }
    p.f
}

fn tokens(line: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    let mut glue = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let decimals = chars.peek().is_some_and(char::is_ascii_digit);
        let word = c.is_alphanumeric() || c == '_';
        let last = out.last().cloned().unwrap_or_default();
        let number = last.chars().all(|c| c.is_ascii_digit() || c == '.') && !last.is_empty();
        let joins = word && last.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            || c == '.' && number && !last.contains('.') && decimals
            || c == '=' && matches!(last.as_str(), "<" | ">" | "=" | "!");
        if c.is_whitespace() {
            glue = false;
        } else if glue && joins {
            out.last_mut().unwrap().push(c);
        } else {
            out.push(c.to_string());
            glue = true;
        }
    }
    out
}

struct Parser {
    f: Function,
    names: Map<String, Affine>,
    arrays: Map<String, ArrayId>,
    tokens: Vec<String>,
    at: usize,
}

/// One side of a comparison.
enum Side {
    Index(Affine),
    Real(Access),
}

impl Parser {
    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |s| s)
    }
    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }
    fn eat(&mut self, t: &str) -> bool {
        let yes = self.peek(0) == t;
        self.at += usize::from(yes);
        yes
    }
    fn expect(&mut self, t: &str) {
        assert!(self.eat(t), "{t} before {}", self.tokens[self.at..].join(" "));
    }

    fn line(&mut self) {
        match self.next().as_str() {
            "size" => {
                while self.at < self.tokens.len() {
                    let name = self.next();
                    let size = crate::index::Atom::Size(self.f.sizes.len() as u32);
                    self.f.sizes.push(name.clone());
                    self.names.insert(name, size.into());
                }
            }
            "assume" => self.f.assumptions = self.conds(),
            "param" => {
                while self.at < self.tokens.len() {
                    let name = self.next();
                    self.expect("[");
                    let extents = self.affines();
                    let array = self.f.new_array(name.clone(), extents);
                    self.f.params.push(array);
                    self.arrays.insert(name, array);
                }
            }
            "result" => {
                while self.at < self.tokens.len() {
                    let name = self.next();
                    self.f.results.push(self.arrays[&name]);
                }
            }
            name => self.statement(name.to_string()),
        }
    }

    fn statement(&mut self, name: String) {
        self.expect("[");
        let (mut gens, mut extents) = (vec![], vec![]);
        while !self.eat("]") {
            let i = self.next();
            self.expect("<");
            extents.push(self.affine());
            let index = self.f.new_index(i.clone());
            self.names.insert(i, index.affine());
            gens.push(index);
            self.eat(",");
        }
        self.expect("=");
        let rhs = self.rhs();
        let array = self.f.new_array(name.clone(), extents);
        self.arrays.insert(name, array);
        self.f.stmts.push(Stmt { array, gens, rhs, step: None });
    }

    fn rhs(&mut self) -> Rhs {
        let start = self.at;
        if matches!(self.peek(0), "max" | "min") && self.peek(1) != "(" {
            let op = if self.next() == "max" { Extreme::Max } else { Extreme::Min };
            let (over, mut guard) = self.binder();
            self.expect(".");
            guard.extend(self.guard());
            return Rhs::Extreme { op, over, guard, arg: self.access() };
        }
        if self.eat("index") {
            return Rhs::OfIndex(self.affine());
        }
        let guard = self.guard();
        if self.peek(1) == "(" {
            return self.prim(guard);
        }
        self.at = start;
        let mut terms = vec![];
        while self.at < self.tokens.len() && !self.eat("0") {
            terms.push(self.term());
            self.eat("+");
        }
        Rhs::Contract(terms)
    }

    fn prim(&mut self, guard: Pred) -> Rhs {
        let name = self.next();
        self.expect("(");
        let mut args = vec![self.access()];
        let power = (name == "powi").then(|| {
            self.expect(",");
            self.affine()
        });
        while self.eat(",") {
            args.push(self.access());
        }
        self.expect(")");
        Rhs::Prim { guard, prim: prim(&name, power), args }
    }

    fn term(&mut self) -> Term {
        let (mut sums, mut guard) = (vec![], vec![]);
        if self.eat("sum") {
            while !self.eat(".") {
                let (s, range) = self.binder();
                sums.push(s);
                guard.extend(range);
            }
        }
        guard.extend(self.guard());
        let sign = if self.eat("-") { -1.0 } else { 1.0 };
        let coeff = if self.peek(0).parse::<f64>().is_ok() { self.next().parse().unwrap() } else { 1.0 };
        let mut factors = vec![];
        while self.peek(1) == "[" && self.peek(0) != "+" {
            factors.push(self.access());
        }
        Term { sums, guard, coeff: sign * coeff, factors }
    }

    /// `s < n`: and its range.
    fn binder(&mut self) -> (Index, Pred) {
        let name = self.next();
        self.expect("<");
        let index = self.f.new_index(name.clone());
        self.names.insert(name, index.affine());
        let n = self.affine();
        (index, vec![Cond::NonNeg(index.affine()), less(&index.affine(), &n)])
    }

    fn guard(&mut self) -> Pred {
        if !self.eat("[") {
            return vec![];
        }
        let p = self.conds();
        self.expect("]");
        p
    }

    fn conds(&mut self) -> Pred {
        let mut out = vec![];
        while self.at < self.tokens.len() && self.peek(0) != "]" {
            let holds = !self.eat("!");
            let (l, op, r) = (self.side(), self.next(), self.side());
            out.push(match (l, r) {
                (Side::Index(l), Side::Index(r)) => compare(&l, &op, &r),
                (Side::Real(l), Side::Real(r)) => match op.as_str() {
                    "<" => self.f.compare(RealCompare::Lt, l, r, holds),
                    ">" => self.f.compare(RealCompare::Lt, r, l, holds),
                    "<=" => self.f.compare(RealCompare::Le, l, r, holds),
                    "==" => self.f.compare(RealCompare::Eq, l, r, holds),
                    _ => panic!("{op}"),
                },
                _ => panic!("a real and an index"),
            });
            self.eat(",");
        }
        out
    }

    fn side(&mut self) -> Side {
        let t = self.peek(0).to_string();
        if self.arrays.contains_key(&t) {
            return Side::Real(self.access());
        }
        if t.contains('.') {
            self.at += 1;
            let array = self.f.new_array(t.clone(), vec![]);
            let term = Term { sums: vec![], guard: vec![], coeff: t.parse().unwrap(), factors: vec![] };
            self.f.stmts.push(Stmt { array, gens: vec![], rhs: Rhs::Contract(vec![term]), step: None });
            return Side::Real(Access { array, at: vec![] });
        }
        Side::Index(self.affine())
    }

    fn access(&mut self) -> Access {
        let name = self.next();
        self.expect("[");
        Access { array: self.arrays[&name], at: self.affines() }
    }

    fn affines(&mut self) -> Vec<Affine> {
        let mut out = vec![];
        while !self.eat("]") {
            out.push(self.affine());
            self.eat(",");
        }
        out
    }

    /// `2*i + n - 1`
    fn affine(&mut self) -> Affine {
        let mut out = Affine::from(0);
        let mut sign = 1;
        loop {
            if self.eat("-") {
                sign = -sign;
            }
            let t = self.next();
            let (k, atom) = match t.parse::<i64>() {
                Ok(k) if self.eat("*") => (k, self.next()),
                Ok(k) => (k, String::new()),
                Err(_) => (1, t),
            };
            let value = if atom.is_empty() { Affine::from(1) } else { self.names[&atom].clone() };
            out = out.plus_scaled(sign * k, &value).unwrap();
            match self.peek(0) {
                "+" if self.peek(2) != "[" && self.peek(1) != "sum" && self.peek(1) != "[" => sign = 1,
                "-" => {
                    sign = 1;
                    continue;
                }
                _ => return out,
            }
            self.at += 1;
        }
    }
}

fn less(a: &Affine, b: &Affine) -> Cond {
    compare(a, "<", b)
}

fn compare(l: &Affine, op: &str, r: &Affine) -> Cond {
    let d = r.plus_scaled(-1, l).unwrap();
    match op {
        "<" => Cond::NonNeg(d.plus_scaled(1, &Affine::from(-1)).unwrap()),
        "<=" => Cond::NonNeg(d),
        "==" => Cond::Zero(d),
        "!=" => Cond::NonZero(d),
        _ => panic!("{op}"),
    }
}

/// A primitive by its name.
pub fn prim(name: &str, power: Option<Affine>) -> Prim {
    if let Some(b) = BINARY.iter().find(|b| b.name() == name) {
        return Prim::Binary(*b);
    }
    if let Some(u) = UNARY.iter().find(|u| u.name() == name) {
        return Prim::Unary(*u);
    }
    match (name, power) {
        ("clamp", _) => Prim::Clamp,
        ("powi", Some(k)) => Prim::Powi(k),
        ("stop", _) => Prim::Stop,
        ("finite", _) => Prim::FiniteOrZero,
        _ => panic!("{name}"),
    }
}
