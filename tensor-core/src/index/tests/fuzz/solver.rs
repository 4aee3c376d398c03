//! The solver, emptiness and entailment.

use super::*;
use crate::index::Names;
use crate::index::explain::small_model;
use crate::index::omega::{Answer, R, Stop, Sys, Work, eval, solve};
use crate::index::query::{Facts, Range, entails, is_empty};

fn system(n: usize, eq: &[Vec<i64>], ge: &[Vec<i64>], limit: i64) -> R<Sys> {
    let mut s = Sys::new(n);
    eq.iter().try_for_each(|r| s.push_eq(&mut r.clone()))?;
    ge.iter().try_for_each(|r| s.push_ge(&mut r.clone()))?;
    for k in 0..n {
        for sign in [1, -1] {
            let mut r = vec![0; n + 1];
            r[k] = sign;
            r[n] = limit;
            s.push_ge(&mut r)?;
        }
    }
    Ok(s)
}

fn has_point(n: usize, eq: &[Vec<i64>], ge: &[Vec<i64>], limit: i64) -> bool {
    let side = 2 * limit + 1;
    (0..side.pow(n as u32)).any(|mut code| {
        let mut m = vec![0; n];
        for x in &mut m {
            *x = code % side - limit;
            code /= side;
        }
        eq.iter().all(|r| eval(r, &m) == 0) && ge.iter().all(|r| eval(r, &m) >= 0)
    })
}

#[test]
fn solver_agrees_with_enumeration() {
    let mut rng = Rng(0x9E37_79B9_7F4A_7C15);
    let (mut empty, mut unknown) = (0, 0);
    for run in 0..1500 {
        let n = rng.range(2, 4) as usize;
        let c = [1, 2, 3, 5, 11][run % 5];
        let density = rng.range(30, 100) as u64;
        let mut row = || -> Vec<i64> {
            let mut r: Vec<i64> =
                (0..n).map(|_| if rng.chance(density) { rng.range(-c, c) } else { 0 }).collect();
            r.push(rng.range(-3 * c, 3 * c));
            r
        };
        let eq: Vec<_> = (0..run % n).map(|_| row()).collect();
        let ge: Vec<_> = (0..1 + run % (2 * n)).map(|_| row()).collect();
        let limit = [0, 0, 6, 4, 3][n];
        let want = has_point(n, &eq, &ge, limit);
        empty += usize::from(!want);
        match system(n, &eq, &ge, limit).map(|s| solve(&s, &mut Work::default())) {
            Err(Stop::Empty) | Ok(Answer::Empty) => assert!(!want, "says empty: {eq:?} {ge:?}"),
            Err(Stop::Unknown) | Ok(Answer::Unknown) => unknown += 1,
            Ok(Answer::Sat(m)) => assert!(want && m.iter().all(|x| x.abs() <= limit), "{m:?}: {eq:?} {ge:?}"),
        }
    }
    assert!(empty > 300 && empty < 1200 && unknown < 15, "empty {empty}, unknown {unknown}");
}

#[test]
fn emptiness_and_entailment_agree_with_enumeration() {
    let names = Names::new("n m", "i j k");
    let mut facts = Facts::default();
    facts.ranges.insert(0, Range::Below(3.into()));
    let atoms = [Atom::Size(0), Atom::Index(0), Atom::Index(1)];
    let all = points(&atoms);
    for (kind, least) in [(0, 100), (1, 100), (2, 60), (3, 30)] {
        let (mut right, mut missed) = (0, 0);
        for run in 0..200 {
            let mut g = Gen::new(run * 77 + kind * 1_000_003 + 5, &atoms);
            (g.opaque, g.elements, g.products) = (kind >= 2, kind == 2, kind == 1);
            g.floors = kind != 1;
            let (mut p, q) = (g.pred(2, 5), g.pred(1, 2));
            p.extend(in_box(&atoms));
            // Seeds stand for the relation and the array; without them one is enough.
            let seeds: Vec<u64> = (0..if kind >= 2 { 6 } else { 1 }).map(|_| g.rng.next()).collect();
            let (mut some, mut every) = (false, true);
            for (m, s) in all.iter().flat_map(|m| seeds.iter().map(move |s| (m, *s))) {
                if truth(&p, m, s) {
                    some = true;
                    every &= truth(&q, m, s);
                }
            }
            let said_empty = is_empty(&[&p], &facts, &mut Work::default());
            let said_every = entails(&p, &q, &facts, &mut Work::default());
            assert!(!said_empty || !some, "says empty: {}", names.pred(&p));
            assert!(!said_every || every, "says {} |= {}", names.pred(&p), names.pred(&q));
            right += usize::from(said_empty != some) + usize::from(said_every == every);
            missed += usize::from(!said_empty && !some) + usize::from(!said_every && every);
        }
        assert!(right > least, "kind {kind}: {right} right, {missed} missed");
        if kind == 0 {
            assert!(missed <= 8, "{missed} missed");
        }
    }
}

#[test]
fn least_model_is_least() {
    let atoms = [Atom::Size(0), Atom::Size(1), Atom::Index(0)];
    let all = points(&atoms);
    let mut found = 0;
    for run in 0..150 {
        let mut g = Gen::new(run * 31 + 7, &atoms);
        let mut p = g.pred(1, 4);
        p.extend(in_box(&atoms));
        let sum = |m: &dyn Fn(&Atom) -> i64| m(&atoms[0]) + m(&atoms[1]);
        let best = all.iter().filter(|m| truth(&p, m, 1)).map(|m| sum(&|a| m[a])).min();
        let (m, unknown) = small_model(&[&p], &atoms[..2], &Facts::default(), &mut Work::default());
        let got = m.map(|m| sum(&|a| m.get(a).unwrap_or(0)));
        assert!(unknown || got == best, "{got:?} {best:?}: {}", Names::new("n m", "i").pred(&p));
        found += usize::from(!unknown && got.is_some());
    }
    assert!(found > 50, "{found}");
}
