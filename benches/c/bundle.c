/* Bundle adjustment: reprojection errors of ADBench's camera, each observation with a camera (rotation, centre, focal length, principal point, two
   radial distortions), a point and a weight of its own. By hand in vectors: the rows of as many observations as there are lanes are turned to columns by
   shuffles, all of the arithmetic is in registers, and the columns of results are turned back. */
#include "common.h"

#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

/* Vectors of as many numbers as the processor has, their square roots, and the functions of libmvec. */
enum { CAMERA = 11, POINT = 3 };
#ifdef __AVX512F__
enum { WIDTH = 8 };
typedef double V __attribute__((vector_size(64)));
typedef long long mask __attribute__((vector_size(64)));
V _ZGVeN8v_sin(V), _ZGVeN8v_cos(V);
static inline V root(V a) { return (V)_mm512_sqrt_pd((__m512d)a); }
static inline void circle(V a, V *s, V *c) { *s = _ZGVeN8v_sin(a), *c = _ZGVeN8v_cos(a); }
#elif defined __AVX2__
enum { WIDTH = 4 };
typedef double V __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
V _ZGVdN4v_sin(V), _ZGVdN4v_cos(V);
static inline V root(V a) { return (V)_mm256_sqrt_pd((__m256d)a); }
static inline void circle(V a, V *s, V *c) { *s = _ZGVdN4v_sin(a), *c = _ZGVdN4v_cos(a); }
#else
enum { WIDTH = 1 };
typedef double V __attribute__((vector_size(8)));
typedef long long mask __attribute__((vector_size(8)));
static inline V root(V a) { return (V){sqrt(a[0])}; }
static inline void circle(V a, V *s, V *c) { *s = (V){sin(a[0])}, *c = (V){cos(a[0])}; }
#endif
static inline V same(double x) { return x - (V){0}; }
static inline V choose(mask m, V a, V b) { return (V)((m & (mask)a) | (~m & (mask)b)); }

#define T V
#define N(name) name##_1
static inline T N(number)(V x) { return x; }
static inline mask N(positive)(T x) { return (mask)(x > same(0)); }
static inline T N(add)(T a, T b) { return a + b; }
static inline T N(sub)(T a, T b) { return a - b; }
static inline T N(mul)(T a, T b) { return a * b; }
static inline T N(minus)(T a) { return -a; }
static inline T N(plus)(T a, T b, T c) { return a + b * c; }
static inline T N(minor)(T a, T b, T c, T d) { return a * b - c * d; }
static inline T N(dot)(T a, T b, T c, T d, T e, T f) { return a * d + b * e + c * f; }
static inline T N(pick)(mask m, T a, T b) { return choose(m, a, b); }
static inline T N(inverse)(T a) { return 1 / a; }
static inline T N(root)(T a) { return root(a); }
static inline void N(circle)(T a, T *s, T *c) { circle(a, s, c); }
#include "bundle_gradient.h"
#undef T
#undef N

/* Values with their tangents. */
typedef struct {
    V v, d;
} dual;
#define T dual
#define N(name) name##_2
static inline T N(number)(V x) { return (T){x, same(0)}; }
static inline mask N(positive)(T x) { return (mask)(x.v > same(0)); }
static inline T N(add)(T a, T b) { return (T){a.v + b.v, a.d + b.d}; }
static inline T N(sub)(T a, T b) { return (T){a.v - b.v, a.d - b.d}; }
static inline T N(mul)(T a, T b) { return (T){a.v * b.v, a.d * b.v + a.v * b.d}; }
static inline T N(minus)(T a) { return (T){-a.v, -a.d}; }
static inline T N(plus)(T a, T b, T c) { return (T){a.v + b.v * c.v, a.d + b.d * c.v + b.v * c.d}; }
static inline T N(minor)(T a, T b, T c, T d) { return (T){a.v * b.v - c.v * d.v, a.d * b.v + a.v * b.d - c.d * d.v - c.v * d.d}; }
static inline T N(dot)(T a, T b, T c, T d, T e, T f) { return N(plus)(N(plus)(N(mul)(a, d), b, e), c, f); }
static inline T N(pick)(mask m, T a, T b) { return (T){choose(m, a.v, b.v), choose(m, a.d, b.d)}; }
static inline T N(inverse)(T a) {
    V r = 1 / a.v;
    return (T){r, -r * r * a.d};
}
static inline T N(root)(T a) {
    V r = root(a.v);
    return (T){r, 0.5 / r * a.d};
}
static inline void N(circle)(T a, T *s, T *c) {
    V x, y;
    circle(a.v, &x, &y);
    *s = (T){x, y * a.d}, *c = (T){y, -x * a.d};
}
#include "bundle_gradient.h"
#undef T
#undef N

/* Rows of w numbers to columns, and back: four by four, the last four of a row over those before; rows of less than four number by number. */
static inline void to_columns(I w, const double *R rows, V *R columns) {
    double *R c = (double *)columns;
    I k = 0;
    if (WIDTH >= 4 && w >= 4)
        for (; k < w; k += 4)
            for (I i = 0; i < WIDTH; i += 4) turn4(rows + i * w + min_(k, w - 4), w, c + min_(k, w - 4) * WIDTH + i, WIDTH);
    for (; k < w; k++)
        for (I i = 0; i < WIDTH; i++) c[k * WIDTH + i] = rows[i * w + k];
}
static inline void to_rows(I w, const V *R columns, double *R rows) {
    const double *R c = (const double *)columns;
    I k = 0;
    if (WIDTH >= 4 && w >= 4)
        for (; k < w; k += 4)
            for (I i = 0; i < WIDTH; i += 4) turn4(c + min_(k, w - 4) * WIDTH + i, WIDTH, rows + i * w + min_(k, w - 4), w);
    for (; k < w; k++)
        for (I i = 0; i < WIDTH; i++) rows[i * w + k] = c[k * WIDTH + i];
}

struct inputs {
    V cam[CAMERA], x[POINT], w[1], o[2];
};
static inline void load(struct inputs *R s, I i, const double *const *in) {
    to_columns(CAMERA, in[0] + CAMERA * i, s->cam);
    to_columns(POINT, in[1] + POINT * i, s->x);
    to_columns(1, in[2] + i, s->w);
    to_columns(2, in[3] + 2 * i, s->o);
}
static void residual_part(I i, const double *const *in, double *out) {
    struct inputs s;
    V r[2];
    load(&s, i, in);
    struct projection_1 p = project_1(s.cam, s.x);
    residual_1(s.cam, &p, s.o, r);
    r[0] *= s.w[0], r[1] *= s.w[0];
    to_rows(2, r, out + 2 * i);
}
static double gradient_part(I m, I i, I first, const double *const *in, double *out) {
    struct inputs s;
    V dcam[CAMERA], dx[POINT], dw[1];
    double sum = 0;
    load(&s, i, in);
    V e = energy_1(s.cam, s.x, s.w[0], s.o, dcam, dx, dw);
    to_rows(CAMERA, dcam, out + CAMERA * i);
    to_rows(POINT, dx, out + CAMERA * m + POINT * i);
    to_rows(1, dw, out + (CAMERA + POINT) * m + i);
    for (I k = first; k < WIDTH; k++) sum += e[k];
    return sum;
}
static void product_part(I m, I i, const double *const *in, double *out) {
    struct inputs s;
    V vcam[CAMERA], vx[POINT];
    dual cam[CAMERA], x[POINT], dcam[CAMERA], dx[POINT], dw;
    load(&s, i, in);
    to_columns(CAMERA, in[4] + CAMERA * i, vcam);
    to_columns(POINT, in[5] + POINT * i, vx);
    for (I k = 0; k < CAMERA; k++) cam[k] = (dual){s.cam[k], vcam[k]};
    for (I k = 0; k < POINT; k++) x[k] = (dual){s.x[k], vx[k]};
    energy_2(cam, x, number_2(s.w[0]), s.o, dcam, dx, &dw);
    for (I k = 0; k < CAMERA; k++) s.cam[k] = dcam[k].v, vcam[k] = dcam[k].d;
    for (I k = 0; k < POINT; k++) s.x[k] = dx[k].v, vx[k] = dx[k].d;
    to_rows(CAMERA, s.cam, out + CAMERA * i);
    to_rows(POINT, s.x, out + CAMERA * m + POINT * i);
    to_rows(CAMERA, vcam, out + (CAMERA + POINT) * m + CAMERA * i);
    to_rows(POINT, vx, out + (2 * CAMERA + POINT) * m + POINT * i);
}

/* What is left over is the last whole vector again: n is at least as large as a vector.
   in: cameras (n × 11), points (n × 3), weights, features (n × 2). out: n × 2. */
KERNEL(bundle) {
    I m = n[0], i = 0;
    for (; i + WIDTH <= m; i += WIDTH) residual_part(i, in, out);
    if (i < m) residual_part(m - WIDTH, in, out);
    return 0;
}
/* out: the gradients by cameras, points and weights. */
KERNEL(bundle_grad) {
    I m = n[0], i = 0;
    double sum = 0;
    for (; i + WIDTH <= m; i += WIDTH) sum += gradient_part(m, i, 0, in, out);
    if (i < m) sum += gradient_part(m, m - WIDTH, WIDTH - (m - i), in, out);
    return sum;
}
/* in: also the directions of cameras and points. out: the gradients by both, then the Hessian times the direction. */
KERNEL(bundle_hvp) {
    I m = n[0], i = 0;
    for (; i + WIDTH <= m; i += WIDTH) product_part(m, i, in, out);
    if (i < m) product_part(m, m - WIDTH, in, out);
    return 0;
}
