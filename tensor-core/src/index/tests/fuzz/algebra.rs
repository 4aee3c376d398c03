//! What is computed of predicates.

use super::*;
use crate::index::Names;
use crate::index::omega::{Stop, Work, ceil_div, floor_div};
use crate::index::pred::complement;
use crate::index::project::{Bounds, bounds, exists, solve_equalities, solve_sizes};
use crate::index::query::{Facts, Range, coalesce, disjoint, gist};

fn names() -> Names {
    Names::new("n m", "i j k")
}

#[test]
fn gist_complement_disjoint_coalesce_agree_with_enumeration() {
    let names = names();
    let mut facts = Facts::default();
    facts.ranges.insert(0, Range::Below(3.into()));
    let atoms = [Atom::Size(0), Atom::Index(0), Atom::Index(1)];
    let all = points(&atoms);
    let (mut dropped, mut coalesced) = (0, 0);
    for run in 0..150 {
        let mut g = Gen::new(run * 99 + 3, &atoms);
        (g.opaque, g.elements) = (true, true);
        let (p, q, mut given) = (g.pred(1, 4), g.pred(1, 3), g.pred(0, 2));
        given.extend(in_box(&atoms));
        let short = gist(&p, &given, &facts, &mut Work::default());
        let split =
            disjoint(&[p.clone(), q.clone()], &given, &facts, usize::MAX, &mut Work::default()).unwrap();
        let one = coalesce(&p, &q, &given, &facts, &mut Work::default());
        let not = complement(&p);
        dropped += p.len().saturating_sub(short.as_ref().map_or(0, Vec::len));
        coalesced += usize::from(one.is_some());
        let text = || format!("{} | {} given {}", names.pred(&p), names.pred(&q), names.pred(&given));
        for (m, s) in all.iter().flat_map(|m| [(m, 17 + run), (m, 91 * run)]) {
            let (tp, tq) = (truth(&p, m, s), truth(&q, m, s));
            let count = |ps: &[Pred]| ps.iter().filter(|c| truth(c, m, s)).count();
            assert_eq!(count(&not), usize::from(!tp), "complement: {}", text());
            if truth(&given, m, s) {
                assert_eq!(short.as_ref().is_some_and(|g| truth(g, m, s)), tp, "gist: {}", text());
                assert_eq!(count(&split), usize::from(tp || tq), "disjoint: {}", text());
                assert!(one.as_ref().is_none_or(|c| truth(c, m, s) == (tp || tq)), "coalesce: {}", text());
            }
        }
    }
    assert!(dropped > 50 && coalesced > 10, "dropped {dropped}, coalesced {coalesced}");
}

#[test]
fn exists_agrees_with_enumeration() {
    let atoms = [Atom::Size(0), Atom::Index(0), Atom::Index(1), Atom::Index(2)];
    let mut had = 0;
    for run in 0..150 {
        let mut g = Gen::new(run * 1001 + 9, &atoms);
        let mut p = g.pred(1, 4);
        let (keep, gone) = atoms.split_at(if g.rng.chance(50) { 3 } else { 2 });
        p.extend(in_box(gone));
        let given = in_box(keep);
        let Some(got) = exists(&p, gone, false, &given, &Facts::default(), &mut Work::default()) else {
            continue;
        };
        had += 1;
        for m in points(keep) {
            let mut with = points(gone).into_iter().map(|mut g| {
                g.extend(m.clone());
                g
            });
            let want = with.any(|m| truth(&p, &m, 1));
            let names = names();
            assert_eq!(
                got.iter().any(|c| truth(c, &m, 1)),
                want,
                "exists {gone:?}. {} at {m:?}: {}",
                names.pred(&p),
                names.alternatives(&got)
            );
        }
    }
    assert!(had > 100, "{had}");
}

/// Visits what loops with these bounds visit.
fn run_loops(levels: &[Bounds], k: usize, m: &mut Point, visit: &mut dyn FnMut(&Point)) {
    let Some(b) = levels.get(k) else { return visit(m) };
    let env = |a: &Atom| m[a];
    if !eval(&b.outer, &env, &|_, _| false) {
        return;
    }
    let (lo, hi) = match &b.exactly {
        Some(e) => (ceil_div(e.num.eval(&env), e.den), floor_div(e.num.eval(&env), e.den)),
        None => (
            b.lower.iter().map(|x| ceil_div(x.num.eval(&env), x.den)).max().unwrap(),
            b.upper.iter().map(|x| floor_div(x.num.eval(&env), x.den)).min().unwrap(),
        ),
    };
    let step = b.stride.as_ref().map(|(a, s)| (a.eval(&env), *s));
    for i in lo..=hi {
        if step.is_none_or(|(a, s)| (i - a).rem_euclid(s) == 0) {
            m.insert(Atom::Index(k as u32), i);
            run_loops(levels, k + 1, m, visit);
            m.remove(&Atom::Index(k as u32));
        }
    }
}

/// What the loop of `i` ensures for those inside.
fn ensured(i: &Atom, b: &Bounds) -> Pred {
    let me = Affine::from(i.clone());
    let mut out: Pred = vec![];
    out.extend(b.lower.iter().map(|l| Cond::NonNeg(me.scale(l.den).unwrap().minus(&l.num).unwrap())));
    out.extend(b.upper.iter().map(|u| Cond::NonNeg(u.num.plus_scaled(-u.den, &me).unwrap())));
    out.extend(b.exactly.iter().map(|e| Cond::Zero(e.num.plus_scaled(-e.den, &me).unwrap())));
    out.extend(b.stride.iter().map(|(a, k)| Cond::Residue(me.minus(a).unwrap(), *k)));
    out.extend(b.outer.iter().cloned());
    out
}

#[test]
fn loops_with_bounds_visit_every_point() {
    let atoms = [Atom::Size(0), Atom::Index(0), Atom::Index(1), Atom::Index(2)];
    let facts = Facts::default();
    let mut nonempty = 0;
    'run: for run in 0..120 {
        let mut g = Gen::new(run * 501 + 77, &atoms);
        let mut p = g.pred(0, 4);
        p.extend(in_box(&atoms));
        let mut given = in_box(&atoms[..1]);
        let (mut levels, mut empty) = (vec![], false);
        for k in 0..3 {
            match bounds(&p, &atoms[k + 1], &atoms[1..=k], &given, &facts, &mut Work::default()) {
                Ok(b) => {
                    given.extend(ensured(&atoms[k + 1], &b));
                    levels.push(b);
                }
                Err(Stop::Unknown) => continue 'run,
                Err(Stop::Empty) => {
                    empty = true;
                    break;
                }
            }
        }
        let guard = if empty { None } else { gist(&p, &given, &facts, &mut Work::default()) };
        for n in 0..=BOX {
            let at = |m: &Point| [m[&atoms[1]], m[&atoms[2]], m[&atoms[3]]];
            let mut m = Point::from([(Atom::Size(0), n)]);
            let with_n = |mut m: Point| {
                m.insert(Atom::Size(0), n);
                m
            };
            let inside = points(&atoms[1..]).into_iter().map(with_n).filter(|m| truth(&p, m, 1));
            let want: Vec<_> = inside.map(|m| at(&m)).collect();
            nonempty += usize::from(!want.is_empty());
            let mut got = vec![];
            if let Some(guard) = &guard {
                run_loops(&levels, 0, &mut m, &mut |m| {
                    if truth(guard, m, 1) {
                        got.push(at(m));
                    }
                });
            }
            let texts: Vec<_> = levels.iter().map(|b| names().bounds(b)).collect();
            assert_eq!(got, want, "n = {n}: {}: {texts:?}", names().pred(&p));
        }
    }
    assert!(nonempty > 100, "{nonempty}");
}

#[test]
fn solved_equalities_are_equivalent() {
    let atoms = [Atom::Size(0), Atom::Index(0), Atom::Index(1), Atom::Index(2)];
    let all = points(&atoms);
    let mut solved = 0;
    for run in 0..200 {
        let mut g = Gen::new(run * 13 + 1, &atoms);
        (g.opaque, g.elements) = (true, true);
        let mut p: Pred = (0..g.rng.range(1, 3)).map(|_| Cond::Zero(g.affine(1))).collect();
        p.extend(g.pred(1, 2));
        let seed = g.rng.next();
        let (values, rest) = match solve_equalities(&p, &atoms[2..]) {
            Ok(x) => x,
            Err(Stop::Unknown) => continue,
            Err(Stop::Empty) => {
                assert!(!all.iter().any(|m| truth(&p, m, seed)), "says empty: {}", names().pred(&p));
                continue;
            }
        };
        solved += values.len();
        assert!(values.iter().all(|v| !rest.iter().any(|c| c.mentions(&v.atom))));
        for m in &all {
            let env = |a: &Atom| value(m, seed, a);
            let equal = values.iter().all(|v| v.num.eval(&env) == v.den * m[&v.atom]);
            let holds = truth(&rest, m, seed);
            let text = || format!("{} gives {values:?} if {}", names().pred(&p), names().pred(&rest));
            assert_eq!(truth(&p, m, seed), equal && holds, "{}", text());
            // The rest makes the values integers.
            for v in values.iter().filter(|v| values.iter().all(|u| !v.num.mentions(&u.atom))) {
                assert!(!holds || v.num.eval(&env).rem_euclid(v.den) == 0, "{}", text());
            }
        }
    }
    assert!(solved > 40, "{solved}");
}

#[test]
fn sizes_are_found_and_wrong_shapes_rejected() {
    let (mut determined, mut rejected) = (0, 0);
    for run in 0..400 {
        let n_sizes = 1 + run % 4;
        let sizes: Vec<Atom> = (0..n_sizes).map(Atom::Size).collect();
        let mut g = Gen::new(u64::from(run) * 7 + 5, &sizes);
        let extents: Vec<Affine> = (0..g.rng.range(1, 5)).map(|_| g.affine(0)).collect();
        let Some(way) = solve_sizes(&extents, n_sizes).filter(|s| s.free.is_empty()) else { continue };
        determined += 1;
        for _ in 0..5 {
            let real: Vec<i64> = (0..n_sizes).map(|_| g.rng.range(0, 9)).collect();
            let with = |v: &[i64], e: &Affine| {
                e.eval(&|a| match a {
                    Atom::Size(k) | Atom::Index(k) => v[*k as usize],
                    _ => 0,
                })
            };
            let mut dims: Vec<i64> = extents.iter().map(|e| with(&real, e)).collect();
            let broken = g.rng.chance(30);
            if broken {
                let d = g.rng.range(0, dims.len() as i64 - 1) as usize;
                dims[d] += g.rng.range(-2, 2);
            }
            // As the generated code would.
            let mut found = vec![0; n_sizes as usize];
            let mut ok = true;
            for v in &way.found {
                let num = with(&dims, &v.num);
                ok &= num % v.den == 0 && num / v.den >= 0;
                let at = sizes.iter().position(|s| *s == v.atom).unwrap();
                found[at] = num.div_euclid(v.den);
            }
            ok = ok && way.checks.iter().all(|d| with(&found, &extents[*d]) == dims[*d]);
            if ok {
                let again: Vec<i64> = extents.iter().map(|e| with(&found, e)).collect();
                assert_eq!(again, dims, "accepted wrong shapes for {extents:?}");
            } else {
                rejected += 1;
                assert!(broken, "rejected good shapes for {extents:?}");
            }
            assert!(broken || found == real);
        }
    }
    assert!(determined > 50 && rejected > 20, "determined {determined}, rejected {rejected}");
}
