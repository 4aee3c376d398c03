//! `Affine = constant + Σ coeff · atom`, sorted by atom; structural atoms, so no table and no context.

use super::omega::{BIG, floor_div, gcd};

/// What an affine form does not look into. The order decides printing and columns: sizes, indices, the rest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// A size of the function: non-negative.
    Size(u32),
    /// A bound index.
    Index(u32),
    /// `⌊a / k⌋`, `k >= 2`.
    Floor(Box<Affine>, i64),
    /// An element of an index array: `idx[a, b]`.
    Element(u32, Vec<Affine>),
    /// A product of two or more atoms, sorted.
    Product(Vec<Atom>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Affine {
    pub terms: Vec<(Atom, i64)>,
    pub constant: i64,
}

impl From<i64> for Affine {
    fn from(c: i64) -> Affine {
        Affine { terms: vec![], constant: c }
    }
}
impl From<Atom> for Affine {
    fn from(a: Atom) -> Affine {
        Affine { terms: vec![(a, 1)], constant: 0 }
    }
}

/// Invariant: |coefficients| <= 2^40, checked where they are multiplied; sums stay far below 2^63.
fn fits(c: i64) -> Option<i64> {
    (c.abs() <= BIG).then_some(c)
}

impl Affine {
    pub fn plus_scaled(&self, k: i64, other: &Affine) -> Option<Affine> {
        let mut out = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some((x, c)), Some((y, d))) => match x.cmp(y) {
                    std::cmp::Ordering::Less => {
                        out.push((x.clone(), *c));
                        a.next();
                    }
                    std::cmp::Ordering::Greater => {
                        out.push((y.clone(), fits(k.checked_mul(*d)?)?));
                        b.next();
                    }
                    std::cmp::Ordering::Equal => {
                        let s = fits(c.checked_add(k.checked_mul(*d)?)?)?;
                        if s != 0 {
                            out.push((x.clone(), s));
                        }
                        a.next();
                        b.next();
                    }
                },
                (Some((x, c)), None) => {
                    out.push((x.clone(), *c));
                    a.next();
                }
                (None, Some((y, d))) => {
                    out.push((y.clone(), fits(k.checked_mul(*d)?)?));
                    b.next();
                }
                (None, None) => break,
            }
        }
        let constant = fits(self.constant.checked_add(k.checked_mul(other.constant)?)?)?;
        out.retain(|t| t.1 != 0);
        Some(Affine { terms: out, constant })
    }
    pub fn scale(&self, k: i64) -> Option<Affine> {
        Affine::default().plus_scaled(k, self)
    }
    pub fn coeff(&self, a: &Atom) -> i64 {
        self.terms.binary_search_by(|t| t.0.cmp(a)).map_or(0, |p| self.terms[p].1)
    }
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }
    pub fn content(&self) -> i64 {
        self.terms.iter().fold(0, |g, t| gcd(g, t.1))
    }
    /// Whether `a` occurs anywhere, inside other atoms too.
    pub fn mentions(&self, a: &Atom) -> bool {
        self.terms.iter().any(|t| t.0.mentions(a))
    }
    /// `self{a := e / k}` times `k`: for conditions, whose truth does not change when scaled.
    /// `None` on overflow, and if `a` occurs inside an atom while `k > 1`.
    pub fn substitute(&self, a: &Atom, e: &Affine, k: i64) -> Option<Affine> {
        let mut out = Affine { terms: vec![], constant: fits(self.constant.checked_mul(k)?)? };
        for (t, c) in &self.terms {
            if t == a {
                out = out.plus_scaled(*c, e)?;
            } else if t.mentions(a) {
                let inner = if k == 1 { t.substitute(a, e)? } else { t.substitute(a, &floor(e, k)?)? };
                out = out.plus_scaled(c.checked_mul(k)?, &inner)?;
            } else {
                out = out.plus_scaled(c.checked_mul(k)?, &Affine::from(t.clone()))?;
            }
        }
        Some(out)
    }
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64) -> i64 {
        self.constant + self.terms.iter().map(|(a, c)| c * a.eval(env)).sum::<i64>()
    }
}

/// `⌊a / k⌋` as an affine form: what is divisible leaves the floor.
pub fn floor(a: &Affine, k: i64) -> Option<Affine> {
    if k == 1 {
        return Some(a.clone());
    }
    let mut out = Affine::from(floor_div(a.constant, k));
    let mut rest = Affine::from(a.constant.rem_euclid(k));
    for (t, c) in &a.terms {
        let t = Affine::from(t.clone());
        out = out.plus_scaled(floor_div(*c, k), &t)?;
        rest = rest.plus_scaled(c.rem_euclid(k), &t)?;
    }
    if rest.is_constant() {
        return Some(out);
    }
    // ⌊(g e + c) / (g k)⌋ = ⌊(e + ⌊c / g⌋) / k⌋
    let g = gcd(rest.content(), k);
    for t in &mut rest.terms {
        t.1 /= g;
    }
    rest.constant = floor_div(rest.constant, g);
    if k / g == 1 {
        return out.plus_scaled(1, &rest);
    }
    out.plus_scaled(1, &Affine::from(Atom::Floor(Box::new(rest), k / g)))
}

impl Atom {
    pub fn mentions(&self, a: &Atom) -> bool {
        self == a
            || match self {
                Atom::Size(_) | Atom::Index(_) => false,
                Atom::Floor(e, _) => e.mentions(a),
                Atom::Element(_, args) => args.iter().any(|e| e.mentions(a)),
                Atom::Product(fs) => fs.iter().any(|f| f.mentions(a)),
            }
    }
    fn substitute(&self, a: &Atom, e: &Affine) -> Option<Affine> {
        if self == a {
            return Some(e.clone());
        }
        match self {
            Atom::Size(_) | Atom::Index(_) => Some(self.clone().into()),
            Atom::Floor(x, k) => floor(&x.substitute(a, e, 1)?, *k),
            Atom::Element(id, args) => {
                let args = args.iter().map(|x| x.substitute(a, e, 1)).collect::<Option<Vec<_>>>()?;
                Some(Atom::Element(*id, args).into())
            }
            Atom::Product(fs) => {
                let mut out = Affine::from(1);
                for f in fs {
                    out = product(&out, &f.substitute(a, e)?)?;
                }
                Some(out)
            }
        }
    }
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64) -> i64 {
        match self {
            Atom::Size(_) | Atom::Index(_) | Atom::Element(..) => env(self),
            Atom::Floor(e, k) => floor_div(e.eval(env), *k),
            Atom::Product(fs) => fs.iter().map(|f| f.eval(env)).product(),
        }
    }
}

/// `a · b`, expanded into product atoms.
pub fn product(a: &Affine, b: &Affine) -> Option<Affine> {
    let mut out = Affine::from(fits(a.constant.checked_mul(b.constant)?)?);
    for (t, c) in &a.terms {
        out = out.plus_scaled(c.checked_mul(b.constant)?, &t.clone().into())?;
    }
    for (t, c) in &b.terms {
        out = out.plus_scaled(c.checked_mul(a.constant)?, &t.clone().into())?;
    }
    for (t, c) in &a.terms {
        for (u, d) in &b.terms {
            let mut fs = vec![];
            for x in [t, u] {
                match x {
                    Atom::Product(p) => fs.extend(p.iter().cloned()),
                    x => fs.push(x.clone()),
                }
            }
            fs.sort();
            out = out.plus_scaled(c.checked_mul(*d)?, &Atom::Product(fs).into())?;
        }
    }
    Some(out)
}

/// Names for printing.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub sizes: Vec<String>,
    pub indices: Vec<String>,
    pub arrays: Vec<String>,
    pub relations: Vec<String>,
}
impl Names {
    pub fn new(sizes: &str, indices: &str) -> Names {
        let v = |s: &str| s.split_whitespace().map(String::from).collect();
        Names { sizes: v(sizes), indices: v(indices), ..Names::default() }
    }
    pub fn atom(&self, a: &Atom) -> String {
        match a {
            Atom::Size(k) => self.sizes.get(*k as usize).cloned().unwrap_or(format!("s{k}")),
            Atom::Index(k) => self.indices.get(*k as usize).cloned().unwrap_or(format!("i{k}")),
            Atom::Floor(e, k) => match e.terms.as_slice() {
                [(_, 1)] if e.constant == 0 => format!("{} / {k}", self.affine(e)),
                _ => format!("({}) / {k}", self.affine(e)),
            },
            Atom::Element(id, args) => {
                let args: Vec<_> = args.iter().map(|a| self.affine(a)).collect();
                format!("{}[{}]", self.arrays.get(*id as usize).map_or("idx", |s| s), args.join(", "))
            }
            Atom::Product(fs) => fs.iter().map(|f| self.atom(f)).collect::<Vec<_>>().join("*"),
        }
    }
    /// Positive terms first: `n - i - 1`.
    pub fn affine(&self, a: &Affine) -> String {
        let mut s = String::new();
        let terms = a.terms.iter().filter(|t| t.1 > 0).chain(a.terms.iter().filter(|t| t.1 < 0));
        let constant_first = a.constant > 0 && a.terms.iter().all(|t| t.1 < 0);
        if constant_first {
            s = a.constant.to_string();
        }
        for (t, c) in terms {
            let sign = if s.is_empty() {
                if *c < 0 { "-" } else { "" }
            } else if *c < 0 {
                " - "
            } else {
                " + "
            };
            s += sign;
            if c.abs() != 1 {
                s += &format!("{}*", c.abs());
            }
            s += &self.atom(t);
        }
        if !constant_first && (a.constant != 0 || s.is_empty()) {
            match (s.is_empty(), a.constant < 0) {
                (true, _) => s = a.constant.to_string(),
                (false, true) => s += &format!(" - {}", -a.constant),
                (false, false) => s += &format!(" + {}", a.constant),
            }
        }
        s
    }
}
