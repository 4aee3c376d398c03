//! What the numbers were measured on.

use crate::kernels;

/// Processor, instruction sets, compilers and builds.
pub fn describe() -> String {
    format!(
        "* processor: {}, {} cores; {}\n* compilers: {}\n* C: `{}`, builds: {}\n* OpenBLAS: {}\n* `tensor!`: a default build (no `target-cpu`), one thread",
        processor(),
        std::thread::available_parallelism().map_or(1, usize::from),
        sets(),
        env!("COMPILERS"),
        env!("C_FLAGS"),
        env!("BUILDS"),
        kernels::blas().unwrap_or_else(|| "absent on this machine".to_owned()),
    )
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|l| l.starts_with(name))?;
        line.split_once(':').map(|(_, v)| v.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model\t")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        _ => std::env::consts::ARCH.to_owned(),
    }
}

#[cfg(target_arch = "x86_64")]
fn sets() -> &'static str {
    match () {
        () if is_x86_feature_detected!("avx512f") => "AVX-512",
        () if is_x86_feature_detected!("avx2") => "AVX2",
        () => "SSE2",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn sets() -> &'static str {
    "no x86"
}
