//! JAX and PyTorch, where Python has them: each in a process of its own (`jax_torch.py`), which is told what to compute, and says how long it took.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

/// The libraries, as the script calls them.
const LIBRARIES: [&str; 2] = ["jax", "torch"];

/// A process that computes with one library.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Says a line, and reads the line that is the answer; none where the process has ended.
    fn ask(&mut self, line: &str) -> Option<String> {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).ok()?;
        let mut answer = String::new();
        let length = self.output.read_line(&mut answer).ok()?;
        (length > 0).then(|| answer.trim().to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has ended by itself cannot be ended: nothing is lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A library that is installed.
struct Library {
    /// Its name and version.
    name: String,
    process: Arc<Mutex<Process>>,
}

/// All libraries that are installed, and a folder for what is passed to them.
pub struct Python {
    libraries: Vec<Library>,
    folder: PathBuf,
    programs: usize,
}

impl Python {
    /// No library.
    pub fn none() -> Python {
        Python { libraries: Vec::new(), folder: PathBuf::new(), programs: 0 }
    }

    /// Starts a process for each library that Python (`PYTHON`, or `python3`) has.
    pub fn start() -> Python {
        let folder = std::env::temp_dir().join(format!("tensor-benches-{}", std::process::id()));
        let made = std::fs::create_dir_all(&folder).is_ok();
        let libraries = if made { LIBRARIES.iter().filter_map(|l| start(l)).collect() } else { Vec::new() };
        Python { libraries, folder, programs: 0 }
    }

    /// Names and versions.
    pub fn describe(&self) -> String {
        let names: Vec<&str> = self.libraries.iter().map(|l| &l.name[..]).collect();
        if names.is_empty() { "left out, or absent on this machine".to_owned() } else { names.join(", ") }
    }

    /// The program of this name, in each library, where the script has it.
    pub fn find(&mut self, program: &str, sizes: &[usize], inputs: &[&[f64]]) -> Vec<Remote> {
        if self.libraries.is_empty() {
            return Vec::new();
        }
        self.programs += 1;
        let stem = self.folder.join(self.programs.to_string());
        let write = |(k, x): (usize, &&[f64])| {
            let file = stem.with_extension(format!("in{k}"));
            let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_ne_bytes()).collect();
            std::fs::write(&file, bytes).ok().map(|()| file)
        };
        let Some(files) = inputs.iter().enumerate().map(write).collect::<Option<Vec<PathBuf>>>() else {
            return Vec::new();
        };
        let words = |w: Vec<String>| w.join(" ");
        let sizes = words(sizes.iter().map(ToString::to_string).collect());
        let names = words(files.iter().map(|f| f.display().to_string()).collect());
        let line = format!("prepare|{program}|{sizes}|{names}");
        let one = |library: &Library| {
            let answer = library.process.lock().ok()?.ask(&line)?;
            let name = library.name.split(' ').next().unwrap_or_default().to_owned();
            let (process, out) = (library.process.clone(), stem.with_extension(&name));
            (answer == "ok").then_some(Remote { name, process, out })
        };
        let found = self.libraries.iter().filter_map(one).collect();
        files.iter().for_each(|f| drop(std::fs::remove_file(f)));
        found
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        if !self.folder.as_os_str().is_empty() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

fn start(library: &str) -> Option<Library> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("jax_torch.py");
    let mut child = Command::new(python)
        .arg(script)
        .arg(library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
    let mut process = Process { child, input, output };
    let name = process.ask("name")?;
    (!name.is_empty()).then(|| Library { name, process: Arc::new(Mutex::new(process)) })
}

/// A program in one library, that was prepared last there.
pub struct Remote {
    /// The library.
    pub name: String,
    process: Arc<Mutex<Process>>,
    out: PathBuf,
}

impl Remote {
    fn ask(&self, line: &str) -> Option<String> {
        self.process.lock().ok()?.ask(line)
    }

    /// One call: its outputs, and its scalar result; not a number where it fails.
    pub fn call(&self, out: &mut [f64]) -> f64 {
        let mut read = || {
            self.ask(&format!("call|{}", self.out.display())).filter(|answer| answer == "ok")?;
            let bytes = std::fs::read(&self.out).ok()?;
            let (all, _) = bytes.as_chunks::<8>();
            let (first, rest) = all.split_first()?;
            (rest.len() == out.len()).then_some(())?;
            out.iter_mut().zip(rest).for_each(|(o, b)| *o = f64::from_ne_bytes(*b));
            Some(f64::from_ne_bytes(*first))
        };
        read().unwrap_or(f64::NAN)
    }

    /// The seconds of so many calls.
    pub fn seconds(&self, calls: usize) -> f64 {
        let answer = self.ask(&format!("time|{calls}"));
        answer.and_then(|a| a.parse().ok()).unwrap_or(f64::INFINITY)
    }
}
