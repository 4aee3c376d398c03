/* The C references: good expert C, hand-derived gradients, no intrinsics. All are called the same way:
   sizes, inputs, outputs one after the other in `out`, scratch memory; they return the value where it is a scalar. */
#pragma once
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef ptrdiff_t I;
#define R restrict
/* Kernels are functions of their own, so that `restrict` means what it says. */
#define NOINLINE static __attribute__((noinline))
#define KERNEL(name) static double k_##name(const I *n, const double *const *in, double *out, double *work)
#define SIMD _Pragma("omp simd")

typedef double kernel(const I *, const double *const *, double *, double *);
struct entry {
    const char *name;
    kernel *run;
};

static inline I min_(I a, I b) { return a < b ? a : b; }
static inline I max_(I a, I b) { return a > b ? a : b; }
static inline void zero(I n, double *y) { memset(y, 0, (size_t)n * sizeof *y); }

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* y[j, i] = x[i, j] for i, j < 4, rows of x and y being rx and ry apart. */
static inline void turn4(const double *R x, I rx, double *R y, I ry) {
    v4 a = *(const v4 *)x, b = *(const v4 *)(x + rx), c = *(const v4 *)(x + 2 * rx), d = *(const v4 *)(x + 3 * rx);
    v4 p = SHUFFLE(a, b, 0, 4, 2, 6), q = SHUFFLE(a, b, 1, 5, 3, 7), r = SHUFFLE(c, d, 0, 4, 2, 6), s = SHUFFLE(c, d, 1, 5, 3, 7);
    *(v4 *)y = SHUFFLE(p, r, 0, 1, 4, 5);
    *(v4 *)(y + ry) = SHUFFLE(q, s, 0, 1, 4, 5);
    *(v4 *)(y + 2 * ry) = SHUFFLE(p, r, 2, 3, 6, 7);
    *(v4 *)(y + 3 * ry) = SHUFFLE(q, s, 2, 3, 6, 7);
}

static kernel *find_in(const struct entry *all, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++)
        if (!strcmp(all[k].name, name)) return all[k].run;
    return 0;
}
