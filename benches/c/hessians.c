/* Hessians, and a transpose. All matrices are full, by rows. */
#include "common.h"

typedef double v8 __attribute__((vector_size(64), aligned(8), may_alias));

/* Squares of eight in vectors, so that lines of the cache are written whole, within blocks of 32. */
NOINLINE void turn(I n, I m, const double *R a, double *R t) {
    enum { B = 32 };
    I n8 = n / 8 * 8, m8 = m / 8 * 8;
    for (I i0 = 0; i0 < n8; i0 += B)
        for (I j0 = 0; j0 < m8; j0 += B)
            for (I j = j0; j < min_(j0 + B, m8); j += 8)
                for (I i = i0; i < min_(i0 + B, n8); i += 8)
                    for (I h = 0; h < 8; h += 4) {
                        turn4(a + i * m + j + h, m, t + (j + h) * n + i, n);
                        turn4(a + (i + 4) * m + j + h, m, t + (j + h) * n + i + 4, n);
                    }
    for (I i = 0; i < n; i++)
        for (I j = i < n8 ? m8 : 0; j < m; j++) t[j * n + i] = a[i * m + j];
}
NOINLINE void turn_loops(I n, I m, const double *R a, double *R t) {
    enum { B = 16 };
    for (I j0 = 0; j0 < m; j0 += B)
        for (I i0 = 0; i0 < n; i0 += B)
            for (I j = j0; j < min_(j0 + B, m); j++)
                for (I i = i0; i < min_(i0 + B, n); i++) t[j * n + i] = a[i * m + j];
}
KERNEL(transposed) { return turn(n[0], n[1], in[0], out), 0; }
KERNEL(transposed_loops) { return turn_loops(n[0], n[1], in[0], out), 0; }

/* What is above the diagonal goes below it, in squares of four within blocks of 32. */
NOINLINE void mirror(I d, double *h) {
    enum { B = 32 };
    I d4 = d / 4 * 4;
    for (I i0 = 0; i0 < d4; i0 += B)
        for (I j0 = i0; j0 < d4; j0 += B)
            for (I i = i0; i < min_(i0 + B, d4); i += 4)
                for (I j = max_(j0, i + 4); j < min_(j0 + B, d4); j += 4) turn4(h + i * d + j, d, h + j * d + i, d);
    for (I i = 0; i < d; i++) {
        for (I j = i + 1; j < min_(i / 4 * 4 + 4, d4); j++) h[j * d + i] = h[i * d + j];
        for (I j = max_(i + 1, d4); j < d; j++) h[j * d + i] = h[i * d + j];
    }
}

/* h = Aᵀ B, known to be symmetric, for A and B (n × d): tiles of 4 by 16 that meet the upper triangle, 256 rows at a time, of which the columns of B of a
   tile are copied side by side. pack: 256 · 16. */
NOINLINE void symmetric_product(I n, I d, const double *R a, const double *R b, double *R h, double *R pack) {
    enum { H = 4, W = 16, ROWS = 256 };
    I w = d / W * W, hh = d / H * H;
    for (I p0 = 0; p0 < n; p0 += ROWS) {
        I rows = min_(ROWS, n - p0);
        for (I j = 0; j < w; j += W) {
            for (I p = 0; p < rows; p++) memcpy(pack + p * W, b + (p0 + p) * d + j, W * sizeof *b);
            for (I i = 0; i < min_(j + W, hh); i += H) {
                v8 s[H] = {{0}}, t[H] = {{0}};
                const double *R x = a + p0 * d + i;
                for (I p = 0; p < rows; p++) {
                    v8 b0 = *(const v8 *)(pack + p * W), b1 = *(const v8 *)(pack + p * W + 8);
                    for (I k = 0; k < H; k++) s[k] += x[p * d + k] * b0, t[k] += x[p * d + k] * b1;
                }
                for (I k = 0; k < H; k++) {
                    v8 *y = (v8 *)(h + (i + k) * d + j), *z = y + 1;
                    if (p0) s[k] += *y, t[k] += *z;
                    *y = s[k], *z = t[k];
                }
            }
        }
    }
    /* The columns that fill no tile, four rows at a time. */
    if (w == d) return;
    for (I i = 0; i < d; i++)
        for (I j = max_(i, w); j < d; j++) h[i * d + j] = 0;
    I p = 0;
    for (; p + 4 <= n; p += 4) {
        const double *R a0 = a + p * d, *R a1 = a0 + d, *R a2 = a1 + d, *R a3 = a2 + d;
        const double *R b0 = b + p * d, *R b1 = b0 + d, *R b2 = b1 + d, *R b3 = b2 + d;
        for (I i = 0; i < d; i++) {
            double v0 = a0[i], v1 = a1[i], v2 = a2[i], v3 = a3[i];
            for (I j = max_(i, w); j < d; j++) h[i * d + j] += v0 * b0[j] + v1 * b1[j] + v2 * b2[j] + v3 * b3[j];
        }
    }
    for (; p < n; p++)
        for (I i = 0; i < d; i++)
            for (I j = max_(i, w); j < d; j++) h[i * d + j] += a[p * d + i] * b[p * d + j];
}

/* in: x (n × d), y, w. work: n d + 4096. */
NOINLINE void logistic(I n, I d, const double *R x, const double *R w, double *R h, double *R work) {
    double *R scaled = work, *R pack = work + n * d;
    for (I i = 0; i < n; i++) {
        double s = 0;
        for (I j = 0; j < d; j++) s += x[i * d + j] * w[j];
        pack[i] = s;
    }
    SIMD for (I i = 0; i < n; i++) {
        double e = exp(-fabs(pack[i])), f = 1 / (1 + e);
        pack[i] = e * f * f;
    }
    for (I i = 0; i < n; i++)
        for (I j = 0; j < d; j++) scaled[i * d + j] = pack[i] * x[i * d + j];
    symmetric_product(n, d, x, scaled, h, pack);
    mirror(d, h);
}
KERNEL(logistic_hessian) { return logistic(n[0], n[1], in[0], in[2], out, work), 0; }

/* in: x (n × d), w (k × d). work: n d + n k + d d + 4096. Of the blocks of two classes one triangle. */
NOINLINE void classes(I n, I d, I k, const double *R x, const double *R w, double *R h, double *R work) {
    double *R scaled = work, *R p = scaled + n * d, *R block = p + n * k, *R pack = block + d * d;
    for (I i = 0; i < n; i++) {
        double m = -1e308, s = 0;
        for (I c = 0; c < k; c++) {
            double t = 0;
            for (I j = 0; j < d; j++) t += x[i * d + j] * w[c * d + j];
            p[i * k + c] = t, m = t > m ? t : m;
        }
        for (I c = 0; c < k; c++) s += p[i * k + c] = exp(p[i * k + c] - m);
        for (I c = 0; c < k; c++) p[i * k + c] /= s;
    }
    for (I a = 0; a < k; a++)
        for (I b = a; b < k; b++) {
            for (I i = 0; i < n; i++) {
                double v = p[i * k + a] * ((a == b) - p[i * k + b]);
                for (I j = 0; j < d; j++) scaled[i * d + j] = v * x[i * d + j];
            }
            symmetric_product(n, d, x, scaled, block, pack);
            mirror(d, block);
            for (I j = 0; j < d; j++) {
                memcpy(h + (a * d + j) * k * d + b * d, block + j * d, d * sizeof *h);
                if (a < b) memcpy(h + (b * d + j) * k * d + a * d, block + j * d, d * sizeof *h);
            }
        }
}
KERNEL(classes_hessian) { return classes(n[0], n[1], n[2], in[0], in[1], out, work), 0; }

/* in: a (n × d). work: 4096. */
KERNEL(least_squares_hessian) {
    symmetric_product(n[0], n[1], in[0], in[0], out, work);
    return mirror(n[1], out), 0;
}

/* What each component has of a point, less the factor that is returned. */
static inline double shares(I k, double x, const double *R alpha, const double *R mu, double *R t) {
    double m = -1e308, s = 0;
    for (I c = 0; c < k; c++) {
        double r = x - mu[c];
        t[c] = alpha[c] - 0.5 * r * r;
        m = t[c] > m ? t[c] : m;
    }
    SIMD for (I c = 0; c < k; c++) t[c] = exp(t[c] - m);
    for (I c = 0; c < k; c++) s += t[c];
    return 1 / s;
}

/* The rows of weights p and of g = p (x - μ), and the sums over the points that stand on the diagonal alone. */
static inline void posteriors(I n, I k, const double *R x, const double *R alpha, const double *R mu, double *R g, double *R t, double *R diagonal) {
    zero(k, diagonal);
    for (I i = 0; i < n; i++) {
        double *R row = g + i * k, s = shares(k, x[i], alpha, mu, t);
        for (I c = 0; c < k; c++) {
            double r = x[i] - mu[c], p = t[c] * s;
            row[c] = p * r;
            diagonal[c] += p * (1 - r * r);
        }
    }
}
/* in: x, α, μ. work: n k + 2 k + 4096. */
KERNEL(means_hessian) {
    I k = n[1];
    double *g = work, *t = g + n[0] * k, *diagonal = t + k;
    posteriors(n[0], k, in[0], in[1], in[2], g, t, diagonal);
    symmetric_product(n[0], k, g, g, out, diagonal + k);
    for (I c = 0; c < k; c++) out[c * k + c] += diagonal[c];
    return mirror(k, out), 0;
}

/* Rows of p and of p (x - μ) beside each other, whose one symmetric product has all four blocks. in: x, α, μ. work: 2 n k + 4 k² + 4 k + 4096. */
NOINLINE void four_blocks(I n, I k, const double *R x, const double *R alpha, const double *R mu, double *R h, double *R work) {
    double *R rows = work, *R full = rows + 2 * n * k, *R sums = full + 4 * k * k, *R t = sums + 3 * k, *R pack = t + k;
    zero(3 * k, sums);
    for (I i = 0; i < n; i++) {
        double *R p = rows + 2 * i * k, *R g = p + k, s = shares(k, x[i], alpha, mu, t);
        for (I c = 0; c < k; c++) {
            double r = x[i] - mu[c];
            p[c] = t[c] * s, g[c] = p[c] * r;
            sums[c] += p[c], sums[k + c] += g[c], sums[2 * k + c] += g[c] * r - p[c];
        }
    }
    symmetric_product(n, 2 * k, rows, rows, full, pack);
    double *R aa = h, *R am = aa + k * k, *R ma = am + k * k, *R mm = ma + k * k;
    for (I i = 0; i < k; i++)
        for (I j = i; j < k; j++) {
            aa[i * k + j] = aa[j * k + i] = full[i * 2 * k + j];
            mm[i * k + j] = mm[j * k + i] = full[(k + i) * 2 * k + k + j];
        }
    for (I i = 0; i < k; i++)
        for (I j = 0; j < k; j++) am[i * k + j] = ma[j * k + i] = full[i * 2 * k + k + j];
    for (I c = 0; c < k; c++) {
        aa[c * k + c] -= sums[c], mm[c * k + c] -= sums[2 * k + c];
        am[c * k + c] -= sums[k + c], ma[c * k + c] -= sums[k + c];
    }
}
KERNEL(mixture_hessian) { return four_blocks(n[0], n[1], in[0], in[1], in[2], out, work), 0; }

/* -p pᵀ, and p on the diagonal. work: n. */
NOINLINE void log_sum_hessian(I n, const double *R x, double *R h, double *R p) {
    double m = -1e308, s = 0;
    for (I i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    SIMD for (I i = 0; i < n; i++) p[i] = exp(x[i] - m);
    for (I i = 0; i < n; i++) s += p[i];
    s = 1 / s;
    for (I i = 0; i < n; i++) p[i] *= s;
    for (I i = 0; i < n; i++) {
        double v = -p[i];
        for (I j = 0; j < n; j++) h[i * n + j] = v * p[j];
        h[i * n + i] -= v;
    }
}
KERNEL(log_sum_hessian) { return log_sum_hessian(n[0], in[0], out, work), 0; }

/* The blocks -(1/s - d dᵀ/s³) of a point i and the points of a range, into its two rows; less their sums on the diagonal. */
static inline void pair_blocks(I n, I i, I from, I to, const double *R x, const double *R y, double *R h, double *R own) {
    double *R r0 = h + 2 * i * 2 * n, *R r1 = r0 + 2 * n, s00 = 0, s01 = 0, s11 = 0, xi = x[i], yi = y[i];
    SIMD for (I j = from; j < to; j++) {
        double dx = xi - x[j], dy = yi - y[j], q = 1 + dx * dx + dy * dy, s = 1 / sqrt(q), c = s / q;
        double k00 = c * (1 + dy * dy), k01 = -c * dx * dy, k11 = c * (1 + dx * dx);
        r0[2 * j] = -k00, r0[2 * j + 1] = -k01, r1[2 * j] = -k01, r1[2 * j + 1] = -k11;
        s00 += k00, s01 += k01, s11 += k11;
    }
    own[0] += s00, own[1] += s01, own[2] += s11;
}
static inline void split(I n, const double *R points, double *R x, double *R y) {
    for (I i = 0; i < n; i++) x[i] = points[2 * i], y[i] = points[2 * i + 1];
}
static inline void own_block(I n, I i, const double *R own, double *R h) {
    double *R r = h + (2 * i * n + i) * 2;
    r[0] = own[0], r[1] = r[2 * n] = own[1], r[2 * n + 1] = own[2];
}
/* Each pair once: a row adds to those before it. work: 4 n. */
NOINLINE double pairs_gradient(I n, const double *R x, const double *R y, double *R gx, double *R gy) {
    double value = 0;
    zero(n, gx), zero(n, gy);
    for (I i = 0; i < n; i++) {
        double xi = x[i], yi = y[i], sx = 0, sy = 0;
        for (I j = 0; j < i; j++) {
            double a = xi - x[j], b = yi - y[j], s = sqrt(1 + a * a + b * b), e = 1 / s;
            value += s, sx += a * e, sy += b * e, gx[j] -= a * e, gy[j] -= b * e;
        }
        gx[i] += sx, gy[i] += sy;
    }
    return value;
}
KERNEL(pairs_grad) {
    I m = n[0];
    double *x = work, *y = x + m, *gx = y + m, *gy = gx + m;
    split(m, in[0], x, y);
    double value = pairs_gradient(m, x, y, gx, gy);
    for (I i = 0; i < m; i++) out[2 * i] = gx[i], out[2 * i + 1] = gy[i];
    return value;
}

/* All of each row. work: 2 n. */
KERNEL(pairs_hessian) {
    I m = n[0];
    double *x = work, *y = x + m;
    split(m, in[0], x, y);
    for (I i = 0; i < m; i++) {
        double own[3] = {0};
        pair_blocks(m, i, 0, i, x, y, out, own);
        pair_blocks(m, i, i + 1, m, x, y, out, own);
        own_block(m, i, own, out);
    }
    return 0;
}
/* One half, and its mirror image: what a row adds to the diagonal of those below it is summed by columns. work: 5 n. */
NOINLINE void pairs_half(I n, double *R h, const double *R x, const double *R y, double *R c00, double *R c01, double *R c11) {
    zero(n, c00), zero(n, c01), zero(n, c11);
    for (I i = 0; i < n; i++) {
        double own[3] = {c00[i], c01[i], c11[i]};
        pair_blocks(n, i, i + 1, n, x, y, h, own);
        const double *R r0 = h + 4 * i * n, *R r1 = r0 + 2 * n;
        SIMD for (I j = i + 1; j < n; j++) c00[j] -= r0[2 * j], c01[j] -= r0[2 * j + 1], c11[j] -= r1[2 * j + 1];
        own_block(n, i, own, h);
    }
    mirror(2 * n, h);
}
KERNEL(pairs_hessian_half) {
    I m = n[0];
    split(m, in[0], work, work + m);
    return pairs_half(m, out, work, work + m, work + 2 * m, work + 3 * m, work + 4 * m), 0;
}

/* The second derivative 2 ((1 - l/s) + l d dᵀ/s³) of (s - l)², s = |d|: its six numbers, arrays of `stride`. */
static inline void spring_blocks(I count, I apart, double l, const double *R x, double *R k, I stride) {
    SIMD for (I i = 0; i < count; i++) {
        double a = x[3 * (i + apart)] - x[3 * i], b = x[3 * (i + apart) + 1] - x[3 * i + 1], c = x[3 * (i + apart) + 2] - x[3 * i + 2];
        double q = a * a + b * b + c * c, s = sqrt(q), e = 2 * l / s, f = e / q, g = 2 - e;
        k[i] = g + f * a * a, k[stride + i] = f * a * b, k[2 * stride + i] = f * a * c;
        k[3 * stride + i] = g + f * b * b, k[4 * stride + i] = f * b * c, k[5 * stride + i] = g + f * c * c;
    }
}
/* All blocks in vectors; then row after row: zeros, the band, zeros. work: 12 n. */
NOINLINE void springs_rows(I n, const double *R x, double *R h, double *R work) {
    static const I at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double *R near = work, *R far = work + 6 * n;
    spring_blocks(max_(n - 1, 0), 1, 1.0, x, near, n);
    spring_blocks(max_(n - 2, 0), 2, 1.5, x, far, n);
    for (I i = 0; i < n; i++)
        for (I a = 0; a < 3; a++) {
            double *R row = h + (3 * i + a) * 3 * n;
            I from = max_(i - 2, 0), to = min_(i + 3, n);
            zero(3 * from, row);
            zero(3 * (n - to), row + 3 * to);
            for (I b = 0; b < 3; b++) {
                const double *R s = near + at[a][b] * n, *R t = far + at[a][b] * n;
                double own = 0;
                if (i >= 1) own += s[i - 1], row[3 * (i - 1) + b] = -s[i - 1];
                if (i >= 2) own += t[i - 2], row[3 * (i - 2) + b] = -t[i - 2];
                if (i + 1 < n) own += s[i], row[3 * (i + 1) + b] = -s[i];
                if (i + 2 < n) own += t[i], row[3 * (i + 2) + b] = -t[i];
                row[3 * i + b] = own;
            }
        }
}
KERNEL(springs_hessian) { return springs_rows(n[0], in[0], out, work), 0; }
/* Zeros everywhere, then one spring after the other to its four places. */
NOINLINE void springs_scatter(I n, const double *R x, double *R h) {
    zero(9 * n * n, h);
    for (I apart = 1; apart < 3; apart++)
        for (I i = 0; i + apart < n; i++) {
            const double *R p = x + 3 * i, *R q = p + 3 * apart, l = apart == 1 ? 1.0 : 1.5;
            double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            double s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], e = 2 * l / sqrt(s2), f = e / s2;
            for (I a = 0; a < 3; a++) {
                double *R top = h + (3 * i + a) * 3 * n + 3 * i, *R low = top + 9 * n * apart;
                for (I b = 0; b < 3; b++) {
                    double k = f * d[a] * d[b] + (a == b ? 2 - e : 0);
                    top[b] += k, low[3 * apart + b] += k;
                    top[3 * apart + b] -= k, low[b] -= k;
                }
            }
        }
}
KERNEL(springs_hessian_scatter) { return springs_scatter(n[0], in[0], out), 0; }

NOINLINE void rosenbrock_hessian(I n, const double *R x, double *R h) {
    zero(n * n, h);
    for (I i = 0; i < n; i++) {
        double own = 0;
        if (i + 1 < n) own += 1200 * x[i] * x[i] - 400 * x[i + 1] + 2, h[i * n + i + 1] = -400 * x[i];
        if (i) own += 200, h[i * n + i - 1] = -400 * x[i - 1];
        h[i * n + i] = own;
    }
}
KERNEL(rosenbrock_hessian) { return rosenbrock_hessian(n[0], in[0], out), 0; }
