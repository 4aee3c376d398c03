//! Questions in surface notation.

use super::super::parse::{affine, pred};
use crate::index::explain::{Question, check_access};
use crate::index::omega::Work;
use crate::index::pred::complement;
use crate::index::project::{bounds, exists, solve_equalities, solve_sizes};
use crate::index::query::{Facts, Range, coalesce, disjoint, entails, gist, is_empty};
use crate::index::{Affine, Atom, Names, Pred};

pub struct Env {
    pub names: Names,
    pub facts: Facts,
}
pub fn env(sizes: &str, indices: &str) -> Env {
    Env { names: Names::new(sizes, indices), facts: Facts::default() }
}
impl Env {
    pub fn array(mut self, name: &str, extent: &str) -> Env {
        let range = Range::Below(affine(&mut self.names, extent));
        self.facts.ranges.insert(self.names.arrays.len() as u32, range);
        self.names.arrays.push(name.into());
        self
    }
    /// The places of extremes over `lower..upper`, for the argument `formal`.
    pub fn places(mut self, name: &str, formal: &str, lower: &str, upper: &str) -> Env {
        let Atom::Index(g) = self.ix(formal) else { panic!("{formal}") };
        let (lower, upper) = (affine(&mut self.names, lower), affine(&mut self.names, upper));
        let range = Range::Place { formals: vec![g], lower, upper };
        self.facts.ranges.insert(self.names.arrays.len() as u32, range);
        self.names.arrays.push(name.into());
        self
    }
    pub fn ix(&self, n: &str) -> Atom {
        let k = self.names.indices.iter().position(|x| x == n).unwrap_or_else(|| panic!("{n}"));
        Atom::Index(k as u32)
    }
    pub fn ixs(&self, s: &str) -> Vec<Atom> {
        s.split_whitespace().map(|n| self.ix(n)).collect()
    }
    pub fn p(&mut self, s: &str) -> Pred {
        pred(&mut self.names, s)
    }
}

#[track_caller]
pub fn check(title: String, got: String, want: &str) {
    assert_eq!(got, want, "{title}");
}

#[track_caller]
pub fn t_entails(e: &mut Env, p: &str, q: &str, want: bool) {
    let (pp, qq) = (e.p(p), e.p(q));
    let mut w = Work::default();
    let r = entails(&pp, &qq, &e.facts, &mut w);
    check(format!("{p} |= {q}"), r.to_string(), &want.to_string());
}
#[track_caller]
pub fn t_empty(e: &mut Env, p: &str, want: bool) {
    let pp = e.p(p);
    let mut w = Work::default();
    check(format!("empty {p}"), is_empty(&[&pp], &e.facts, &mut w).to_string(), &want.to_string());
}
#[track_caller]
pub fn t_bounds(e: &mut Env, p: &str, i: &str, fixed: &str, given: &str, want: &str) {
    let (pp, g) = (e.p(p), e.p(given));
    let mut w = Work::default();
    let got = match bounds(&pp, &e.ix(i), &e.ixs(fixed), &g, &e.facts, &mut w) {
        Ok(b) => e.names.bounds(&b),
        Err(s) => format!("{s:?}"),
    };
    check(format!("bounds of {i} in {p} given [{fixed}] {given}"), got, want);
}
#[track_caller]
pub fn t_gist(e: &mut Env, p: &str, given: &str, want: &str) {
    let (pp, g) = (e.p(p), e.p(given));
    let mut w = Work::default();
    let got = gist(&pp, &g, &e.facts, &mut w).map_or("false".into(), |p| e.names.pred(&p));
    check(format!("gist {p} given {given}"), got, want);
}
#[track_caller]
pub fn t_disjoint(e: &mut Env, ps: &[&str], given: &str, want: &str) {
    let g = e.p(given);
    let ps: Vec<Pred> = ps.iter().map(|p| e.p(p)).collect();
    let mut w = Work::default();
    let got = disjoint(&ps, &g, &e.facts, usize::MAX, &mut w).unwrap();
    check(format!("disjoint {} given {given}", e.names.alternatives(&ps)), e.names.alternatives(&got), want);
}
#[track_caller]
pub fn t_complement(e: &mut Env, p: &str, want: &str) {
    let pp = e.p(p);
    check(format!("complement {p}"), e.names.alternatives(&complement(&pp)), want);
}
#[track_caller]
pub fn t_coalesce(e: &mut Env, p: &str, q: &str, given: &str, want: &str) {
    let (p, q, g) = (e.p(p), e.p(q), e.p(given));
    let mut w = Work::default();
    let got = coalesce(&p, &q, &g, &e.facts, &mut w).map_or("none".into(), |p| e.names.pred(&p));
    check(format!("coalesce {} | {}", e.names.pred(&p), e.names.pred(&q)), got, want);
}
#[track_caller]
pub fn t_exists(e: &mut Env, js: &str, p: &str, given: &str, want: &str) {
    let (pp, g) = (e.p(p), e.p(given));
    let mut w = Work::default();
    let got = match exists(&pp, &e.ixs(js), false, &g, &e.facts, &mut w) {
        None => "kept".into(),
        Some(ps) => e.names.alternatives(&ps),
    };
    check(format!("exists {js}. {p}"), got, want);
}
#[track_caller]
pub fn t_solve(e: &mut Env, unknowns: &str, p: &str, given: &str, want: &str) {
    let (pp, g) = (e.p(p), e.p(given));
    let got = match solve_equalities(&pp, &e.ixs(unknowns)) {
        Err(s) => format!("{s:?}"),
        Ok((vs, rest)) => {
            let mut w = Work::default();
            let rest = gist(&rest, &g, &e.facts, &mut w);
            let vs: Vec<_> = vs
                .iter()
                .map(|v| format!("{} := {}", e.names.atom(&v.atom), e.names.affine(&v.as_affine().unwrap())))
                .collect();
            format!("{} if {}", vs.join(", "), rest.map_or("false".into(), |r| e.names.pred(&r)))
        }
    };
    check(format!("solve {unknowns} in {p}"), got, want);
}
#[track_caller]
pub fn t_sizes(sizes: &str, extents: &str, want: &str) {
    let mut names = Names::new(sizes, "");
    let ex: Vec<Affine> = extents.split(',').map(|s| affine(&mut names, s)).collect();
    names.indices = (0..ex.len()).map(|d| format!("d{d}")).collect();
    let n = names.sizes.len() as u32;
    let got = match solve_sizes(&ex, n) {
        None => "overflow".into(),
        Some(s) => {
            let f: Vec<_> = s
                .found
                .iter()
                .filter(|v| !s.free.contains(&v.atom))
                .map(|v| {
                    let num = names.affine(&v.num);
                    if v.den == 1 {
                        format!("{} = {num}", names.atom(&v.atom))
                    } else {
                        format!("{} = ({num}) / {} exactly", names.atom(&v.atom), v.den)
                    }
                })
                .collect();
            let mut t = f.join("; ");
            if !s.checks.is_empty() {
                t += &format!(
                    " check {}",
                    s.checks.iter().map(|d| format!("d{d}")).collect::<Vec<_>>().join(" ")
                );
            }
            if !s.free.is_empty() {
                t += &format!(
                    " undetermined {}",
                    s.free.iter().map(|a| names.atom(a)).collect::<Vec<_>>().join(" ")
                );
            }
            t
        }
    };
    check(format!("sizes from {extents}"), got, want);
}
#[track_caller]
pub fn t_access(e: &mut Env, p: &str, index: &str, extent: &str, want: &str) {
    let pp = e.p(p);
    let (a, x) = (affine(&mut e.names, index), affine(&mut e.names, extent));
    let access = format!("x[{index}]");
    let question = Question {
        path: &pp,
        index: &a,
        text: index,
        extent: &x,
        array: "`x`",
        access: &access,
        names: &e.names,
        facts: &e.facts,
    };
    let got = check_access(question, &mut Work::default()).map_or_else(|f| f.text, |()| "ok".into());
    check(format!("x[{index}] of {extent} under {p}"), got, want);
}
