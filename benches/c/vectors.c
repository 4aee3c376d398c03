/* dot, sum of squares, logsumexp, elementwise functions, diagonals. */
#include "common.h"

NOINLINE double dot(I n, const double *R a, const double *R b) {
    double s = 0;
    for (I i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}
NOINLINE double dot_grad(I n, const double *R a, const double *R b, double *R da) {
    double s = 0;
    for (I i = 0; i < n; i++) {
        s += a[i] * b[i];
        da[i] = b[i];
    }
    return s;
}
NOINLINE double squares(I n, const double *R a) {
    double s = 0;
    for (I i = 0; i < n; i++) s += a[i] * a[i];
    return s;
}
NOINLINE double squares_grad(I n, const double *R a, double *R da) {
    double s = 0;
    for (I i = 0; i < n; i++) {
        s += a[i] * a[i];
        da[i] = 2 * a[i];
    }
    return s;
}
KERNEL(dot) { return dot(n[0], in[0], in[1]); }
KERNEL(dot_grad) { return dot_grad(n[0], in[0], in[1], out); }
KERNEL(squares) { return squares(n[0], in[0]); }
KERNEL(squares_grad) { return squares_grad(n[0], in[0], out); }

NOINLINE double logsumexp(I n, const double *R x) {
    double m = x[0], s = 0;
    for (I i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    SIMD for (I i = 0; i < n; i++) s += exp(x[i] - m);
    return m + log(s);
}
NOINLINE double logsumexp_grad(I n, const double *R x, double *R dx) {
    double m = x[0], s = 0;
    for (I i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    for (I i = 0; i < n; i++) {
        double e = exp(x[i] - m);
        dx[i] = e;
        s += e;
    }
    double r = 1 / s;
    for (I i = 0; i < n; i++) dx[i] *= r;
    return m + log(s);
}
KERNEL(logsumexp) { return logsumexp(n[0], in[0]); }
KERNEL(logsumexp_grad) { return logsumexp_grad(n[0], in[0], out); }

/* A map `y = f(v)`, and `dx = b f'(v)`. */
#define MAP(name, value, partial)                                              \
    NOINLINE void name##_map(I n, const double *R x, double *R y) {            \
        for (I i = 0; i < n; i++) {                                            \
            double v = x[i];                                                   \
            y[i] = value;                                                      \
        }                                                                      \
    }                                                                          \
    NOINLINE void name##_back(I n, const double *R x, const double *R b, double *R dx) { \
        for (I i = 0; i < n; i++) {                                            \
            double v = x[i];                                                   \
            dx[i] = b[i] * (partial);                                          \
        }                                                                      \
    }                                                                          \
    KERNEL(name) { return name##_map(n[0], in[0], out), 0; }                   \
    KERNEL(name##_grad) { return name##_back(n[0], in[0], in[1], out), 0; }

static inline double sigmoid(double v) { return 1 / (1 + exp(-v)); }
static inline double tanh_partial(double v) {
    double t = tanh(v);
    return 1 - t * t;
}
static inline double sigmoid_partial(double v) {
    double s = sigmoid(v);
    return s * (1 - s);
}
MAP(exp, exp(v), exp(v))
MAP(ln, log(v), 1 / v)
MAP(tanh, tanh(v), tanh_partial(v))
MAP(sigmoid, sigmoid(v), sigmoid_partial(v))
MAP(sin, sin(v), cos(v))

/* dot(diag(x)[:,0], diag(x)[0,:]), and four traces of diag(x), as one who sees through them writes them. */
KERNEL(corner) { return in[0][0] * in[0][0]; }
KERNEL(corner_grad) {
    zero(n[0], out);
    out[0] = 2 * in[0][0];
    return in[0][0] * in[0][0];
}
NOINLINE double traces(I n, const double *R x) {
    double s = 0;
    for (I i = 0; i < n; i++) s += x[i];
    return 4 * s;
}
NOINLINE double traces_grad(I n, const double *R x, double *R dx) {
    double s = 0;
    for (I i = 0; i < n; i++) {
        s += x[i];
        dx[i] = 4;
    }
    return 4 * s;
}
KERNEL(traces) { return traces(n[0], in[0]); }
KERNEL(traces_grad) { return traces_grad(n[0], in[0], out); }
