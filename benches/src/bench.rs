//! Contenders side by side: checked against the emitted code, then timed in turn, many rounds, by medians.

use crate::kernels::{self, Kernel};
use crate::python::{Python, Remote};
use std::ffi::CString;
use std::time::Instant;

/// The emitted code's name in all tables.
pub const OURS: &str = "tensor!";
/// Largest difference to the emitted code, relative to the largest element of a result.
const TOLERANCE: f64 = 1e-9;

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Seconds that one sample takes at least.
    pub sample: f64,
    /// Seconds for all samples of a case.
    pub budget: f64,
}

/// The median time of one contender.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Who.
    pub name: String,
    /// Seconds a call.
    pub seconds: f64,
}

/// One line of the table: a program at a size, its value or a gradient. The emitted code comes first.
#[derive(Clone, Debug)]
pub struct Record {
    /// The row's name.
    pub row: &'static str,
    /// The row's size parameter.
    pub size: usize,
    /// `value`, or which gradient.
    pub part: &'static str,
    /// All contenders.
    pub timings: Vec<Timing>,
}

impl Record {
    /// The emitted code's seconds.
    pub fn ours(&self) -> f64 {
        self.timings[0].seconds
    }

    /// The fastest of the others, if there is any.
    pub fn best(&self) -> Option<&Timing> {
        self.timings[1..].iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// The emitted code's time over the best reference's.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.ours() / self.best()?.seconds)
    }
}

/// A run: what was measured so far.
pub struct Bench {
    effort: Effort,
    python: Python,
    place: (&'static str, usize),
    /// What was measured.
    pub records: Vec<Record>,
    /// Contenders whose result differs from the emitted code's.
    pub failures: Vec<String>,
}

impl Bench {
    /// Nothing measured yet.
    pub fn new(effort: Effort, python: Python) -> Bench {
        Bench { effort, python, place: ("", 0), records: Vec::new(), failures: Vec::new() }
    }

    /// What follows belongs to this row and size.
    pub fn enter(&mut self, row: &'static str, size: usize) {
        self.place = (row, size);
    }

    /// A line of the table, whose contenders each write `outputs` numbers.
    pub fn case<'a>(&'a mut self, part: &'static str, outputs: usize) -> Case<'a> {
        Case { bench: self, part, out: vec![0.0; outputs], calls: 1, contenders: Vec::new() }
    }

    /// Reports a result that is not what it should be.
    pub fn fail(&mut self, what: String) {
        eprintln!("  {what}");
        self.failures.push(what);
    }
}

/// Writes its outputs and returns its scalar result.
type Run<'a> = Box<dyn FnMut(&mut [f64]) -> f64 + 'a>;

struct Contender<'a> {
    name: String,
    place: Place<'a>,
}

/// Where a contender computes.
enum Place<'a> {
    Here(Run<'a>),
    /// In another process.
    There(Remote),
}

impl Contender<'_> {
    /// One call.
    fn call(&mut self, out: &mut [f64]) -> f64 {
        match &mut self.place {
            Place::Here(run) => run(out),
            Place::There(remote) => remote.call(out),
        }
    }
}

/// The contenders of one line.
pub struct Case<'a> {
    bench: &'a mut Bench,
    part: &'static str,
    out: Vec<f64>,
    calls: usize,
    contenders: Vec<Contender<'a>>,
}

impl<'a> Case<'a> {
    /// What is added from now on makes this many calls each time it runs.
    pub fn repeats(mut self, calls: usize) -> Case<'a> {
        self.calls = calls;
        self
    }

    /// The emitted code: it writes its outputs and returns its scalar result.
    pub fn ours(self, mut run: impl FnMut(&mut [f64]) -> Result<f64, tensor_rt::Error> + 'a) -> Case<'a> {
        self.rust(OURS, move |out| run(out).expect("the shapes fit"))
    }

    /// A contender in Rust.
    pub fn rust(mut self, name: &str, run: impl FnMut(&mut [f64]) -> f64 + 'a) -> Case<'a> {
        self.contenders.push(Contender { name: name.to_owned(), place: Place::Here(Box::new(run)) });
        self
    }

    /// The C kernel of this name, in every build that has it, with scratch memory of `work` numbers; and JAX and PyTorch, where they are installed and have it.
    pub fn c(self, kernel: &str, sizes: &[usize], inputs: &[&'a [f64]], work: usize) -> Case<'a> {
        let mut case = self.variant("", kernel, sizes, inputs, work);
        for remote in case.bench.python.find(kernel, sizes, inputs) {
            case.contenders.push(Contender { name: remote.name.clone(), place: Place::There(remote) });
        }
        case
    }

    /// A second way to write the kernel in C: `label` is added to the names of the builds.
    pub fn variant(
        mut self,
        label: &str,
        kernel: &str,
        sizes: &[usize],
        inputs: &[&'a [f64]],
        work: usize,
    ) -> Case<'a> {
        let name = CString::new(kernel).expect("no zero in a name");
        let sizes: Vec<isize> = sizes.iter().map(|&n| n as isize).collect();
        for mut found in kernels::find(&name, work) {
            let build: &'static str = found.build;
            let name = if label.is_empty() { build.to_owned() } else { format!("{build} {label}") };
            let (sizes, inputs) = (sizes.clone(), inputs.to_vec());
            let run = move |out: &mut [f64]| Kernel::call(&mut found, &sizes, &inputs, out);
            self.contenders.push(Contender { name, place: Place::Here(Box::new(run)) });
        }
        self
    }

    /// Checks and times.
    pub fn run(mut self) {
        self.check();
        let calls: Vec<usize> =
            self.contenders.iter_mut().map(|c| calibrate(c, &mut self.out, self.bench.effort)).collect();
        let seconds = self.rounds(&calls);
        let timings = self.contenders.iter().zip(seconds);
        let timings = timings.map(|(c, t)| Timing { name: c.name.clone(), seconds: t / self.calls as f64 });
        let (row, size) = self.bench.place;
        let record = Record { row, size, part: self.part, timings: timings.collect() };
        crate::report::progress(&record);
        self.bench.records.push(record);
    }

    /// Drops the contenders whose results differ from the first one's, and reports them.
    fn check(&mut self) {
        let mut expected: Option<(f64, Vec<f64>)> = None;
        let mut wrong = Vec::new();
        let out = &mut self.out;
        self.contenders.retain_mut(|c| {
            out.fill(f64::NAN);
            let value = c.call(out);
            let Some((first, all)) = &expected else {
                expected = Some((value, out.clone()));
                return true;
            };
            let error = difference(&[*first], &[value]).max(difference(all, out));
            if error > TOLERANCE {
                wrong.push(format!("{}: differs by {error:.1e}", c.name));
            }
            error <= TOLERANCE
        });
        let (row, size) = self.bench.place;
        for what in wrong {
            self.bench.fail(format!("{row} {size} {}: {what}", self.part));
        }
    }

    /// The median time of each contender, in turn, from another first each round. Other processes come last: where this one has waited for them, what comes next
    /// is slower for a while, which has to be another contender each time.
    fn rounds(&mut self, calls: &[usize]) -> Vec<f64> {
        let effort = self.bench.effort;
        let count = self.contenders.len();
        let is_here = |k: &usize| matches!(self.contenders[*k].place, Place::Here(_));
        let (mut here, there): (Vec<usize>, Vec<usize>) = (0..count).partition(is_here);
        let mut samples = vec![Vec::new(); count];
        let start = Instant::now();
        for round in 0..61 {
            if round >= 3 && start.elapsed().as_secs_f64() > effort.budget {
                break;
            }
            for &k in here.iter().chain(&there) {
                samples[k].push(sample(&mut self.contenders[k], &mut self.out, calls[k]) / calls[k] as f64);
            }
            here.rotate_left(1);
        }
        samples.into_iter().map(median).collect()
    }
}

/// The largest difference over the largest element; infinite where something is not a number.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let scale = a.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let error = a.iter().zip(b).map(|(x, y)| (x - y).abs());
    error.fold(0.0, |m: f64, e| if e.is_nan() { f64::INFINITY } else { m.max(e) }) / scale
}

/// Seconds of the calls, after one that is not counted, without those in which another program had the processor.
fn sample(contender: &mut Contender, out: &mut [f64], calls: usize) -> f64 {
    let run = match &mut contender.place {
        Place::Here(run) => run,
        Place::There(remote) => return remote.seconds(calls),
    };
    // What the contender before left in the caches is not what a call of this one finds.
    std::hint::black_box(run(std::hint::black_box(out)));
    let before = waited();
    let start = Instant::now();
    for _ in 0..calls {
        std::hint::black_box(run(std::hint::black_box(out)));
    }
    let seconds = start.elapsed().as_secs_f64();
    seconds - (waited() - before).clamp(0.0, 0.999 * seconds)
}

/// Seconds that this thread was ready and waited for a processor, where Linux tells; else zero.
fn waited() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_ascii_whitespace().nth(1).and_then(|t| t.parse::<f64>().ok()).map_or(0.0, |t| t * 1e-9)
}

/// How many calls make a sample.
fn calibrate(contender: &mut Contender, out: &mut [f64], effort: Effort) -> usize {
    let mut calls = 1;
    loop {
        let seconds = sample(contender, out, calls);
        if seconds >= 0.5 * effort.sample {
            return ((calls as f64 * effort.sample / seconds).ceil() as usize).max(1);
        }
        calls *= 2;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    0.5 * (values[(n - 1) / 2] + values[n / 2])
}
