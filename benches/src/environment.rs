//! References run at their best: nothing in the environment chooses older kernels for them.

use std::ffi::OsStr;
use std::process::Command;

/// Names that begin like this choose kernels, sizes of blocks, instruction sets or threads of a library.
const CHOICES: [&str; 13] = [
    "OPENBLAS_",
    "GOTO_",
    "OMP_",
    "KMP_",
    "MKL_",
    "ONEDNN_",
    "DNNL_",
    "ATEN_",
    "TORCH",
    "XLA_",
    "JAX_",
    "MALLOC_",
    "GLIBC_TUNABLES",
];

fn chooses(name: &OsStr) -> bool {
    name.to_str().is_some_and(|n| CHOICES.iter().any(|c| n.starts_with(c)))
}

/// Libraries read their environment before `main`: where it chooses for them, the process begins again without those variables.
pub fn clear() {
    let found: Vec<_> = std::env::vars_os().map(|v| v.0).filter(|name| chooses(name)).collect();
    if found.is_empty() {
        return;
    }
    eprintln!("begins again without {found:?}");
    let Ok(program) = std::env::current_exe() else { return };
    let mut again = Command::new(program);
    again.args(std::env::args_os().skip(1));
    for name in &found {
        again.env_remove(name);
    }
    let status = again.status().ok().and_then(|s| s.code());
    std::process::exit(status.unwrap_or(1));
}
