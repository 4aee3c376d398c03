/* OpenBLAS, on one thread. PREFIX is what its functions' names begin with: `scipy_` in the build that comes as a wheel. */
#include "entropy.h"
#include "hessians.c"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define cblas_ddot JOIN(PREFIX, cblas_ddot)
#define cblas_dgemv JOIN(PREFIX, cblas_dgemv)
#define cblas_dgemm JOIN(PREFIX, cblas_dgemm)
#define cblas_dsyrk JOIN(PREFIX, cblas_dsyrk)
#define cblas_domatcopy JOIN(PREFIX, cblas_domatcopy)
#define openblas_set_num_threads JOIN(PREFIX, openblas_set_num_threads)
#define openblas_get_config JOIN(PREFIX, openblas_get_config)
#define openblas_get_corename JOIN(PREFIX, openblas_get_corename)

enum { ROWS = 101, PLAIN = 111, TRANSPOSED = 112, UPPER = 121 };
void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
double cblas_ddot(int, const double *, int, const double *, int);
void cblas_dsyrk(int, int, int, int, int, double, const double *, int, double, double *, int);
void cblas_domatcopy(int, int, int, int, double, const double *, int, double *, int);
void openblas_set_num_threads(int);
char *openblas_get_config(void);
char *openblas_get_corename(void);
/* What was built, and the kernel that it chose for this processor. */
const char *blas_config(void) { return openblas_get_config(); }
const char *blas_core(void) { return openblas_get_corename(); }

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

/* out (n × k) = x wᵀ + b, for x (n × d) and w (k × d). */
static void layer(I n, I d, I k, const double *x, const double *w, const double *b, double *out) {
    for (I i = 0; i < n; i++) memcpy(out + i * k, b, (size_t)k * sizeof *b);
    cblas_dgemm(ROWS, PLAIN, TRANSPOSED, n, k, d, 1, x, d, w, d, 1, out, k);
}
/* dw = gᵀ x, and db the sum of the rows of g. */
static void layer_back(I n, I d, I k, const double *x, const double *g, double *dw, double *R db) {
    cblas_dgemm(ROWS, TRANSPOSED, PLAIN, k, d, n, 1, g, k, x, d, 0, dw, d);
    zero(k, db);
    for (I i = 0; i < n; i++)
        for (I c = 0; c < k; c++) db[c] += g[i * k + c];
}
static double softmax(const I *n, const double *const *in, double *out, double *s) {
    I d = n[1], k = n[2];
    double f = 0;
    layer(n[0], d, k, in[0], in[1], in[2], s);
    for (I i = 0; i < n[0]; i++) f += entropy_row(k, s + i * k, in[3] + i * k, out != 0);
    if (out) layer_back(n[0], d, k, in[0], s, out, out + k * d);
    return f;
}
KERNEL(softmax_blas) { return softmax(n, in, 0, work); }
KERNEL(softmax_blas_grad) { return softmax(n, in, out, work); }

static double perceptron(const I *n, const double *const *in, double *out, double *work) {
    I p = n[1], q = n[2], r = n[3];
    double *h = work, *dh = h + n[0] * q, *e = dh + n[0] * q, f = 0;
    layer(n[0], p, q, in[0], in[1], in[2], h);
    SIMD for (I l = 0; l < n[0] * q; l++) h[l] = tanh(h[l]);
    layer(n[0], q, r, h, in[3], in[4], e);
    for (I l = 0; l < n[0] * r; l++) {
        e[l] -= in[5][l];
        f += 0.5 * e[l] * e[l];
    }
    if (!out) return f;
    double *dw2 = out + q * p + q;
    layer_back(n[0], q, r, h, e, dw2, dw2 + r * q);
    cblas_dgemm(ROWS, PLAIN, PLAIN, n[0], q, r, 1, e, r, in[3], q, 0, dh, q);
    for (I l = 0; l < n[0] * q; l++) dh[l] *= 1 - h[l] * h[l];
    layer_back(n[0], p, q, in[0], dh, out, out + q * p);
    return f;
}
KERNEL(perceptron_blas) { return perceptron(n, in, 0, work); }
KERNEL(perceptron_blas_grad) { return perceptron(n, in, out, work); }

/* h = Aᵀ A, both halves. */
static void gram(I n, I d, const double *a, double *h) {
    cblas_dsyrk(ROWS, UPPER, TRANSPOSED, d, n, 1, a, d, 0, h, d);
    mirror(d, h);
}
KERNEL(least_squares_blas) { return gram(n[0], n[1], in[0], out), 0; }
/* Rows times the roots of their weights. work: n d + n. */
KERNEL(logistic_blas) {
    I rows = n[0], d = n[1];
    double *R weight = work, *R scaled = work + rows;
    const double *R x = in[0];
    cblas_dgemv(ROWS, PLAIN, rows, d, 1, x, d, in[2], 1, 0, weight, 1);
    SIMD for (I i = 0; i < rows; i++) {
        double e = exp(-0.5 * fabs(weight[i]));
        weight[i] = e / (1 + e * e);
    }
    for (I i = 0; i < rows; i++)
        for (I j = 0; j < d; j++) scaled[i * d + j] = weight[i] * x[i * d + j];
    return gram(rows, d, scaled, out), 0;
}
/* work: n k + 2 k. */
KERNEL(means_blas) {
    I k = n[1];
    double *g = work, *t = g + n[0] * k, *diagonal = t + k;
    posteriors(n[0], k, in[0], in[1], in[2], g, t, diagonal);
    gram(n[0], k, g, out);
    for (I c = 0; c < k; c++) out[c * k + c] += diagonal[c];
    return 0;
}
KERNEL(transposed_blas) { return cblas_domatcopy(ROWS, TRANSPOSED, n[0], n[1], 1, in[0], n[1], out, n[0]), 0; }

#define ENTRY(name) {#name, k_##name},
static const struct entry all[] = {
    ENTRY(dot) ENTRY(squares) ENTRY(matvec) ENTRY(matvec_x) ENTRY(matmul) ENTRY(matmul_a) ENTRY(matmul_b)
    ENTRY(softmax_blas) ENTRY(softmax_blas_grad) ENTRY(perceptron_blas) ENTRY(perceptron_blas_grad)
    ENTRY(least_squares_blas) ENTRY(logistic_blas) ENTRY(means_blas) ENTRY(transposed_blas)
};

kernel *FIND(const char *name) {
    openblas_set_num_threads(1);
    return find_in(all, sizeof all / sizeof *all, name);
}
