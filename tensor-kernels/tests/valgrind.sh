#!/bin/sh
# Runs the tests of the vectors under valgrind, which reports accesses out of bounds and reads of what was never written. It knows no
# AVX-512: the levels are AVX2 and the baseline, whose memory accesses are by the same functions.
# Needs valgrind. From the root of the repository: sh tensor-kernels/tests/valgrind.sh
set -e
target=$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
export "CARGO_TARGET_${target}_RUNNER=valgrind --quiet --error-exitcode=9"
export RUST_BACKTRACE=0
exec cargo test -p tensor-kernels --test simd
