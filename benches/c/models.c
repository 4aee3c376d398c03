/* Softmax regression, a perceptron. */
#include "entropy.h"

/* out[r][c] = Σ_j x[r][j] w[c][j] + b[c] for four rows x, rows of w in order: each row of w is read once for the four. */
static inline void scores4(I d, I k, const double *R x, const double *R w, const double *R b, double *R out) {
    const double *R x0 = x, *R x1 = x + d, *R x2 = x + 2 * d, *R x3 = x + 3 * d;
    for (I c = 0; c < k; c++) {
        const double *R v = w + c * d;
        double s0 = b[c], s1 = b[c], s2 = b[c], s3 = b[c];
        for (I j = 0; j < d; j++) {
            s0 += x0[j] * v[j];
            s1 += x1[j] * v[j];
            s2 += x2[j] * v[j];
            s3 += x3[j] * v[j];
        }
        out[c] = s0, out[k + c] = s1, out[2 * k + c] = s2, out[3 * k + c] = s3;
    }
}
static inline void scores(I n, I d, I k, const double *R x, const double *R w, const double *R b, double *R out) {
    I i = 0;
    for (; i + 4 <= n; i += 4) scores4(d, k, x + i * d, w, b, out + i * k);
    for (; i < n; i++)
        for (I c = 0; c < k; c++) {
            double s = b[c];
            for (I j = 0; j < d; j++) s += x[i * d + j] * w[c * d + j];
            out[i * k + c] = s;
        }
}
/* dw[c] += Σ_r g[r][c] x[r]; db[c] += Σ_r g[r][c]: four rows a pass. */
static inline void add_outer(I n, I d, I k, const double *R x, const double *R g, double *R dw, double *R db) {
    I i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *R x0 = x + i * d, *R x1 = x0 + d, *R x2 = x1 + d, *R x3 = x2 + d, *R y = g + i * k;
        for (I c = 0; c < k; c++) {
            double g0 = y[c], g1 = y[k + c], g2 = y[2 * k + c], g3 = y[3 * k + c], *R o = dw + c * d;
            db[c] += g0 + g1 + g2 + g3;
            for (I j = 0; j < d; j++) o[j] += g0 * x0[j] + g1 * x1[j] + g2 * x2[j] + g3 * x3[j];
        }
    }
    for (; i < n; i++)
        for (I c = 0; c < k; c++) {
            double v = g[i * k + c];
            db[c] += v;
            for (I j = 0; j < d; j++) dw[c * d + j] += v * x[i * d + j];
        }
}
/* in: x (n × d), w (k × d), b, y (n × k); work: 4 k. */
NOINLINE double softmax(I n, I d, I k, const double *R x, const double *R w, const double *R b, const double *R y,
                        double *R dw, double *R db, double *R s) {
    double f = 0;
    if (dw) zero(k * d, dw), zero(k, db);
    for (I i = 0; i < n; i += 4) {
        I count = min_(4, n - i);
        scores(count, d, k, x + i * d, w, b, s);
        for (I r = 0; r < count; r++) f += entropy_row(k, s + r * k, y + (i + r) * k, dw != 0);
        if (dw) add_outer(count, d, k, x + i * d, s, dw, db);
    }
    return f;
}
KERNEL(softmax) { return softmax(n[0], n[1], n[2], in[0], in[1], in[2], in[3], 0, 0, work); }
KERNEL(softmax_grad) {
    return softmax(n[0], n[1], n[2], in[0], in[1], in[2], in[3], out, out + n[1] * n[2], work);
}

/* ½ ‖tanh(x w1ᵀ + b1) w2ᵀ + b2 - y‖², by blocks of 16 samples.
   in: x (n × p), w1 (q × p), b1, w2 (r × q), b2, y (n × r); out: dw1, db1, dw2, db2; work: 16 (2 q + r). */
NOINLINE double perceptron(const I *n, const double *const *in, double *R out, double *R work) {
    enum { B = 16 };
    I p = n[1], q = n[2], r = n[3];
    const double *R w1 = in[1], *R b1 = in[2], *R w2 = in[3], *R b2 = in[4];
    double *R h = work, *R dh = h + B * q, *R e = dh + B * q;
    double *dw1 = out, *db1 = out + q * p, *dw2 = db1 + q, *db2 = dw2 + r * q, f = 0;
    if (out) zero(q * p + q + r * q + r, out);
    for (I i = 0; i < n[0]; i += B) {
        I count = min_(B, n[0] - i);
        const double *R x = in[0] + i * p, *R y = in[5] + i * r;
        scores(count, p, q, x, w1, b1, h);
        SIMD for (I l = 0; l < count * q; l++) h[l] = tanh(h[l]);
        scores(count, q, r, h, w2, b2, e);
        for (I l = 0; l < count * r; l++) {
            e[l] -= y[l];
            f += 0.5 * e[l] * e[l];
        }
        if (!out) continue;
        add_outer(count, q, r, h, e, dw2, db2);
        for (I s = 0; s < count; s++) {
            zero(q, dh + s * q);
            for (I c = 0; c < r; c++)
                for (I o = 0; o < q; o++) dh[s * q + o] += e[s * r + c] * w2[c * q + o];
            for (I o = 0; o < q; o++) dh[s * q + o] *= 1 - h[s * q + o] * h[s * q + o];
        }
        add_outer(count, p, q, x, dh, dw1, db1);
    }
    return f;
}
KERNEL(perceptron) { return perceptron(n, in, 0, work); }
KERNEL(perceptron_grad) { return perceptron(n, in, out, work); }
