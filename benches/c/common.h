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

static kernel *find_in(const struct entry *all, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++)
        if (!strcmp(all[k].name, name)) return all[k].run;
    return 0;
}
