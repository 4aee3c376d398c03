/* OpenBLAS, on one thread. */
#include "common.h"

enum { ROWS = 101, PLAIN = 111, TRANSPOSED = 112 };
void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
double cblas_ddot(int, const double *, int, const double *, int);
void openblas_set_num_threads(int);

KERNEL(dot) { return cblas_ddot(n[0], in[0], 1, in[1], 1); }
KERNEL(squares) { return cblas_ddot(n[0], in[0], 1, in[0], 1); }
KERNEL(matvec) { return cblas_dgemv(ROWS, PLAIN, n[0], n[1], 1, in[0], n[1], in[1], 1, 0, out, 1), 0; }
KERNEL(matvec_x) { return cblas_dgemv(ROWS, TRANSPOSED, n[0], n[1], 1, in[0], n[1], in[1], 1, 0, out, 1), 0; }
KERNEL(matmul) {
    cblas_dgemm(ROWS, PLAIN, PLAIN, n[0], n[2], n[1], 1, in[0], n[1], in[1], n[2], 0, out, n[2]);
    return 0;
}
KERNEL(matmul_a) {
    cblas_dgemm(ROWS, PLAIN, TRANSPOSED, n[0], n[1], n[2], 1, in[1], n[2], in[0], n[2], 0, out, n[1]);
    return 0;
}
KERNEL(matmul_b) {
    cblas_dgemm(ROWS, TRANSPOSED, PLAIN, n[1], n[2], n[0], 1, in[0], n[1], in[1], n[2], 0, out, n[2]);
    return 0;
}

#define ENTRY(name) {#name, k_##name},
static const struct entry all[] = {
    ENTRY(dot) ENTRY(squares) ENTRY(matvec) ENTRY(matvec_x) ENTRY(matmul) ENTRY(matmul_a) ENTRY(matmul_b)
};

kernel *FIND(const char *name) {
    openblas_set_num_threads(1);
    return find_in(all, sizeof all / sizeof *all, name);
}
