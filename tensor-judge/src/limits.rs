//! The time and the memory that one program may take.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time that a thread has had on a processor; where the system does not tell it, the time that has passed.
#[derive(Clone, Debug)]
pub struct Clock {
    file: PathBuf,
    start: Instant,
}

impl Clock {
    /// That of the thread which asks for it; others may read it too.
    #[must_use]
    pub fn of_this_thread() -> Clock {
        let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
        Clock { file: Path::new("/proc").join(thread).join("schedstat"), start: Instant::now() }
    }

    /// Since some moment.
    #[must_use]
    pub fn read(&self) -> Duration {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let of_thread = text.split(' ').next().and_then(|t| t.parse().ok()).map(Duration::from_nanos);
        of_thread.unwrap_or_else(|| self.start.elapsed())
    }
}

/// The bytes of memory that this process holds; 0 where the system does not tell.
#[must_use]
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_or(0, |kib: u64| kib << 10)
}
