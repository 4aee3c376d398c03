//! `Pred`: a conjunction of conditions, in an order in which they may be evaluated.

use super::affine::{Affine, Atom, Names};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cond {
    /// `a = 0`
    Zero(Affine),
    /// `a ≠ 0`: one test at run time, two halves for the solver
    NonZero(Affine),
    /// `a >= 0`
    NonNeg(Affine),
    /// `a ≡ 0 (mod k)`, `k >= 2`
    Residue(Affine, i64),
    /// `a ≢ 0 (mod k)`
    NonResidue(Affine, i64),
    /// A relation or a comparison of reals, by name and arguments: `r[i, j]`, `x[i] > 0.0`. Its negation is
    /// `holds: false`, never the opposite comparison (NaN).
    Opaque { id: u32, args: Vec<Affine>, holds: bool },
    /// One of them.
    Any(Vec<Pred>),
}
pub type Pred = Vec<Cond>;

impl Cond {
    pub fn affines(&self) -> Vec<&Affine> {
        match self {
            Cond::Zero(a)
            | Cond::NonZero(a)
            | Cond::NonNeg(a)
            | Cond::Residue(a, _)
            | Cond::NonResidue(a, _) => vec![a],
            Cond::Opaque { args, .. } => args.iter().collect(),
            Cond::Any(ps) => ps.iter().flatten().flat_map(Cond::affines).collect(),
        }
    }
    pub fn mentions(&self, a: &Atom) -> bool {
        self.affines().iter().any(|e| e.mentions(a))
    }
    pub fn is_affine(&self) -> bool {
        !matches!(self, Cond::Opaque { .. } | Cond::Any(_))
    }
    /// `self{a := e / k}`, where `e ≡ 0 (mod k)` is known.
    pub fn substitute(&self, a: &Atom, e: &Affine, k: i64) -> Option<Cond> {
        let f = |x: &Affine| if x.mentions(a) { x.substitute(a, e, k) } else { Some(x.clone()) };
        Some(match self {
            Cond::Zero(x) => Cond::Zero(f(x)?),
            Cond::NonZero(x) => Cond::NonZero(f(x)?),
            Cond::NonNeg(x) => Cond::NonNeg(f(x)?),
            // Scaled, the modulus scales too.
            Cond::Residue(x, m) if x.mentions(a) => Cond::Residue(f(x)?, m.checked_mul(k)?),
            Cond::NonResidue(x, m) if x.mentions(a) => Cond::NonResidue(f(x)?, m.checked_mul(k)?),
            Cond::Residue(..) | Cond::NonResidue(..) => self.clone(),
            Cond::Opaque { id, args, holds } => {
                let q = super::affine::floor(e, k)?;
                let args = args.iter().map(|x| x.substitute(a, &q, 1)).collect::<Option<_>>()?;
                Cond::Opaque { id: *id, args, holds: *holds }
            }
            Cond::Any(ps) => Cond::Any(
                ps.iter()
                    .map(|p| p.iter().map(|c| c.substitute(a, e, k)).collect::<Option<Pred>>())
                    .collect::<Option<_>>()?,
            ),
        })
    }
    /// Truth at a point; opaque conditions by `rel`.
    pub fn eval(&self, env: &dyn Fn(&Atom) -> i64, rel: &dyn Fn(u32, &[i64]) -> bool) -> bool {
        match self {
            Cond::Zero(a) => a.eval(env) == 0,
            Cond::NonZero(a) => a.eval(env) != 0,
            Cond::NonNeg(a) => a.eval(env) >= 0,
            Cond::Residue(a, k) => a.eval(env).rem_euclid(*k) == 0,
            Cond::NonResidue(a, k) => a.eval(env).rem_euclid(*k) != 0,
            Cond::Opaque { id, args, holds } => {
                rel(*id, &args.iter().map(|a| a.eval(env)).collect::<Vec<_>>()) == *holds
            }
            Cond::Any(ps) => ps.iter().any(|p| eval(p, env, rel)),
        }
    }
    /// The negation, as alternatives of which exactly one holds where it holds.
    pub fn negate(&self) -> Vec<Pred> {
        let minus = |a: &Affine| a.scale(-1).unwrap();
        let less = |a: &Affine| {
            let mut m = minus(a);
            m.constant -= 1;
            Cond::NonNeg(m)
        };
        match self {
            Cond::Zero(a) => vec![vec![Cond::NonZero(a.clone())]],
            Cond::NonZero(a) => vec![vec![Cond::Zero(a.clone())]],
            Cond::NonNeg(a) => vec![vec![less(a)]],
            Cond::Residue(a, 2) => {
                let mut m = a.clone();
                m.constant += 1;
                vec![vec![Cond::Residue(m, 2)]]
            }
            Cond::Residue(a, k) => vec![vec![Cond::NonResidue(a.clone(), *k)]],
            Cond::NonResidue(a, k) => vec![vec![Cond::Residue(a.clone(), *k)]],
            Cond::Opaque { id, args, holds } => {
                vec![vec![Cond::Opaque { id: *id, args: args.clone(), holds: !holds }]]
            }
            // ¬(p ∨ q) = ¬p ∧ ¬q
            Cond::Any(ps) => vec![ps.iter().map(|p| any(complement(p))).collect()],
        }
    }
}

/// `¬(c1 ∧ c2 ∧ …) = ¬c1 ∨ c1 ¬c2 ∨ c1 c2 ¬c3 ∨ …`: disjoint, and each condition is evaluated only
/// where those before it hold, so that `o < n ∧ x[o] > 0` never reads outside.
pub fn complement(p: &Pred) -> Vec<Pred> {
    let mut out = vec![];
    for (k, c) in p.iter().enumerate() {
        for alt in c.negate() {
            let mut q = p[..k].to_vec();
            q.extend(alt);
            out.push(q);
        }
    }
    out
}

pub fn any(mut ps: Vec<Pred>) -> Cond {
    if ps.len() == 1 && ps[0].len() == 1 { ps.pop().unwrap().pop().unwrap() } else { Cond::Any(ps) }
}

pub fn eval(p: &Pred, env: &dyn Fn(&Atom) -> i64, rel: &dyn Fn(u32, &[i64]) -> bool) -> bool {
    p.iter().all(|c| c.eval(env, rel))
}

impl Names {
    pub fn cond(&self, c: &Cond) -> String {
        // `p - q >= 0` reads `q <= p`.
        let sides = |a: &Affine, op: &str| {
            let pos = Affine {
                terms: a.terms.iter().filter(|t| t.1 > 0).cloned().collect(),
                constant: a.constant.max(0),
            };
            let neg = pos.plus_scaled(-1, a).unwrap();
            if pos.is_constant() && op.contains('=') {
                return (self.affine(&neg), op.to_string(), self.affine(&pos));
            }
            (self.affine(&pos), op.to_string(), self.affine(&neg))
        };
        match c {
            Cond::Zero(a) => {
                let (l, o, r) = sides(a, "==");
                format!("{l} {o} {r}")
            }
            Cond::NonZero(a) => {
                let (l, o, r) = sides(a, "!=");
                format!("{l} {o} {r}")
            }
            Cond::NonNeg(a) => {
                // a constant of -1 is a strict comparison
                if let ([(_, 1..)], ..=-1) = (a.terms.as_slice(), a.constant) {
                    let mut b = a.clone();
                    b.constant = 0;
                    format!("{} >= {}", self.affine(&b), -a.constant)
                } else if a.constant < 0 {
                    let mut b = a.clone();
                    b.constant += 1;
                    let (l, _, r) = sides(&b, "");
                    format!("{r} < {l}")
                } else {
                    let (l, _, r) = sides(a, "");
                    format!("{r} <= {l}")
                }
            }
            Cond::Residue(a, k) | Cond::NonResidue(a, k) => {
                let r = (-a.constant).rem_euclid(*k);
                let mut b = a.clone();
                b.constant = 0;
                let op = if matches!(c, Cond::Residue(..)) { "==" } else { "!=" };
                match b.terms.as_slice() {
                    [(_, 1)] => format!("{} % {k} {op} {r}", self.affine(&b)),
                    _ => format!("({}) % {k} {op} {r}", self.affine(&b)),
                }
            }
            Cond::Opaque { id, args, holds } => {
                let args: Vec<_> = args.iter().map(|a| self.affine(a)).collect();
                let name = self.relations.get(*id as usize).map_or("r", |s| s);
                format!("{}{name}[{}]", if *holds { "" } else { "!" }, args.join(", "))
            }
            Cond::Any(ps) => {
                format!("({})", ps.iter().map(|p| self.pred(p)).collect::<Vec<_>>().join(" || "))
            }
        }
    }
    pub fn pred(&self, p: &Pred) -> String {
        if p.is_empty() {
            return "true".into();
        }
        p.iter().map(|c| self.cond(c)).collect::<Vec<_>>().join(" && ")
    }
}
