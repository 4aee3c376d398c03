/* Convolution, stencils on images, springs. */
#include "common.h"

enum { BLOCK = 512 };

/* y[i] = Σ_j x[i + j] w[j], in blocks that stay in the first-level cache, four taps a pass. */
NOINLINE void conv(I n, I m, const double *R x, const double *R w, double *R y) {
    for (I b = 0; b < n; b += BLOCK) {
        I e = min_(b + BLOCK, n), j = 0;
        zero(e - b, y + b);
        for (; j + 4 <= m; j += 4) {
            double w0 = w[j], w1 = w[j + 1], w2 = w[j + 2], w3 = w[j + 3];
            for (I i = b; i < e; i++) y[i] += x[i + j] * w0 + x[i + j + 1] * w1 + x[i + j + 2] * w2 + x[i + j + 3] * w3;
        }
        for (; j < m; j++)
            for (I i = b; i < e; i++) y[i] += x[i + j] * w[j];
    }
}
/* One dot product an element. */
NOINLINE void conv_dots(I n, I m, const double *R x, const double *R w, double *R y) {
    for (I i = 0; i < n; i++) {
        double s = 0;
        for (I j = 0; j < m; j++) s += x[i + j] * w[j];
        y[i] = s;
    }
}
/* The adjoint by x, as a scatter in blocks. */
NOINLINE void conv_x(I n, I m, const double *R w, const double *R b, double *R dx) {
    zero(n + m - 1, dx);
    for (I i0 = 0; i0 < n; i0 += BLOCK) {
        I i1 = min_(i0 + BLOCK, n);
        for (I j = 0; j < m; j++) {
            double v = w[j];
            for (I i = i0; i < i1; i++) dx[i + j] += b[i] * v;
        }
    }
}
/* The same as a gather: the interior in blocks, four taps a pass; the ends with narrowed bounds. */
NOINLINE void conv_x_gather(I n, I m, const double *R w, const double *R b, double *R dx) {
    I low = min_(m - 1, n), high = max_(n, low);
    for (I part = 0; part < 2; part++)
        for (I k = part ? high : 0; k < (part ? n + m - 1 : low); k++) {
            double s = 0;
            for (I j = max_(0, k - n + 1); j < min_(m, k + 1); j++) s += b[k - j] * w[j];
            dx[k] = s;
        }
    for (I k0 = low; k0 < high; k0 += BLOCK) {
        I k1 = min_(k0 + BLOCK, high), j = 0;
        zero(k1 - k0, dx + k0);
        for (; j + 4 <= m; j += 4) {
            double w0 = w[j], w1 = w[j + 1], w2 = w[j + 2], w3 = w[j + 3];
            for (I k = k0; k < k1; k++) dx[k] += b[k - j] * w0 + b[k - j - 1] * w1 + b[k - j - 2] * w2 + b[k - j - 3] * w3;
        }
        for (; j < m; j++)
            for (I k = k0; k < k1; k++) dx[k] += b[k - j] * w[j];
    }
}
/* The adjoint by w: four lags at once, in blocks. */
NOINLINE void conv_w(I n, I m, const double *R x, const double *R b, double *R dw) {
    zero(m, dw);
    for (I i0 = 0; i0 < n; i0 += 2 * BLOCK) {
        I i1 = min_(i0 + 2 * BLOCK, n), j = 0;
        for (; j + 4 <= m; j += 4) {
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            for (I i = i0; i < i1; i++) {
                double v = b[i];
                s0 += v * x[i + j];
                s1 += v * x[i + j + 1];
                s2 += v * x[i + j + 2];
                s3 += v * x[i + j + 3];
            }
            dw[j] += s0, dw[j + 1] += s1, dw[j + 2] += s2, dw[j + 3] += s3;
        }
        for (; j < m; j++)
            for (I i = i0; i < i1; i++) dw[j] += b[i] * x[i + j];
    }
}
/* The same with the short index inside: dw stays in registers or in the cache. */
NOINLINE void conv_w_axpy(I n, I m, const double *R x, const double *R b, double *R dw) {
    zero(m, dw);
    for (I i = 0; i < n; i++)
        for (I j = 0; j < m; j++) dw[j] += b[i] * x[i + j];
}
KERNEL(conv) { return conv(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(conv_dots) { return conv_dots(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(conv_x) { return conv_x(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(conv_x_gather) { return conv_x_gather(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(conv_w) { return conv_w(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(conv_w_axpy) { return conv_w_axpy(n[0], n[1], in[0], in[1], out), 0; }

/* Σ dx² + dy² + ½ (x - z)² over an image, and its gradient: row by row. */
NOINLINE double energy(I h, I w, const double *R x, const double *R z) {
    double s = 0;
    for (I i = 0; i < h; i++) {
        const double *R a = x + i * w, *R d = a + (i + 1 < h ? w : 0), *R c = z + i * w;
        for (I j = 0; j + 1 < w; j++) {
            double r = a[j] - c[j], u = d[j] - a[j], v = a[j + 1] - a[j];
            s += 0.5 * r * r + u * u + v * v;
        }
        double r = a[w - 1] - c[w - 1], u = d[w - 1] - a[w - 1];
        s += 0.5 * r * r + u * u;
    }
    return s;
}
NOINLINE double energy_grad(I h, I w, const double *R x, const double *R z, double *R g) {
    double s = 0;
    for (I i = 0; i < h; i++) {
        /* At the edges the row itself, so that the difference is zero. */
        const double *R a = x + i * w, *R u = a - (i > 0 ? w : 0), *R d = a + (i + 1 < h ? w : 0), *R c = z + i * w;
        double *R y = g + i * w;
        for (I j = 1; j + 1 < w; j++) {
            double r = a[j] - c[j], p = d[j] - a[j], q = a[j + 1] - a[j];
            s += 0.5 * r * r + p * p + q * q;
            y[j] = r + 2 * (4 * a[j] - u[j] - d[j] - a[j - 1] - a[j + 1]);
        }
        for (I j = 0; j < w; j += max_(w - 1, 1)) {
            double l = a[max_(j - 1, 0)], n = a[min_(j + 1, w - 1)];
            double r = a[j] - c[j], p = d[j] - a[j], q = n - a[j];
            s += 0.5 * r * r + p * p + q * q;
            y[j] = r + 2 * (4 * a[j] - u[j] - d[j] - l - n);
        }
    }
    return s;
}
KERNEL(energy) { return energy(n[0], n[1], in[0], in[1]); }
KERNEL(energy_grad) { return energy_grad(n[0], n[1], in[0], in[1], out); }

/* One row of the Laplacian; `u` and `d` are the rows above and below, of zeros at the edges. */
static inline void laplace_row(I w, const double *R a, const double *R u, const double *R d, double *R y) {
    for (I j = 1; j + 1 < w; j++) y[j] = u[j] + d[j] + a[j - 1] + a[j + 1] - 4 * a[j];
    y[0] = u[0] + d[0] - 4 * a[0] + (w > 1 ? a[1] : 0);
    if (w > 1) y[w - 1] = u[w - 1] + d[w - 1] + a[w - 2] - 4 * a[w - 1];
}
/* ½ ‖Δx - z‖², with a window of four rows of residuals; the gradient is the Laplacian of the residuals. work: 5 rows. */
static inline double laplace_all(I h, I w, const double *R x, const double *R z, double *R g, double *R work) {
    double s = 0, *none = work + 4 * w;
    zero(w, none);
    for (I i = 0; i <= h; i++) {
        if (i < h) {
            double *R r = work + (i & 3) * w;
            const double *R a = x + i * w, *R c = z + i * w;
            laplace_row(w, a, i ? a - w : none, i + 1 < h ? a + w : none, r);
            for (I j = 0; j < w; j++) {
                r[j] -= c[j];
                s += 0.5 * r[j] * r[j];
            }
        }
        I k = i - 1;
        if (g && i)
            laplace_row(w, work + (k & 3) * w, k ? work + ((k - 1) & 3) * w : none,
                        i < h ? work + (i & 3) * w : none, g + k * w);
    }
    return s;
}
NOINLINE double laplace(I h, I w, const double *R x, const double *R z, double *R work) {
    return laplace_all(h, w, x, z, 0, work);
}
NOINLINE double laplace_grad(I h, I w, const double *R x, const double *R z, double *R g, double *R work) {
    return laplace_all(h, w, x, z, g, work);
}
KERNEL(laplace) { return laplace(n[0], n[1], in[0], in[1], work); }
KERNEL(laplace_grad) { return laplace_grad(n[0], n[1], in[0], in[1], out, work); }

/* A row blurred along itself, and a row of three blurred rows. */
static inline void blur_along(I w, const double *R a, double *R y) {
    for (I j = 1; j + 1 < w; j++) y[j] = 0.5 * a[j] + 0.25 * (a[j - 1] + a[j + 1]);
    y[0] = 0.5 * a[0] + (w > 1 ? 0.25 * a[1] : 0);
    if (w > 1) y[w - 1] = 0.5 * a[w - 1] + 0.25 * a[w - 2];
}
/* The blur of an image, by ¼ [1 2 1] both ways, with a window of four rows. work: 5 rows. */
NOINLINE void blur(I h, I w, const double *R x, double *R y, double *R work) {
    double *none = work + 4 * w;
    zero(w, none);
    for (I i = 0; i <= h; i++) {
        if (i < h) blur_along(w, x + i * w, work + (i & 3) * w);
        if (!i) continue;
        I k = i - 1;
        const double *R a = work + (k & 3) * w, *R u = k ? work + ((k - 1) & 3) * w : none;
        const double *R d = i < h ? work + (i & 3) * w : none;
        double *R o = y + k * w;
        for (I j = 0; j < w; j++) o[j] = 0.5 * a[j] + 0.25 * (u[j] + d[j]);
    }
}
KERNEL(blur) { return blur(n[0], n[1], in[0], out, work), 0; }

/* Springs between consecutive points of the plane: stiffness (√max(1e-6, |d|²) - width)². */
NOINLINE double springs(I n, const double *R x, double stiffness, double width) {
    double s = 0;
    for (I i = 0; i + 1 < n; i++) {
        double a = x[2 * i] - x[2 * i + 2], b = x[2 * i + 1] - x[2 * i + 3];
        double q = a * a + b * b, r = sqrt(q > 1e-6 ? q : 1e-6) - width;
        s += r * r;
    }
    return stiffness * s;
}
NOINLINE double springs_grad(I n, const double *R x, double stiffness, double width, double *R g) {
    double s = 0, fa = 0, fb = 0;
    for (I i = 0; i + 1 < n; i++) {
        double a = x[2 * i] - x[2 * i + 2], b = x[2 * i + 1] - x[2 * i + 3];
        double q = a * a + b * b, l = sqrt(q > 1e-6 ? q : 1e-6), r = l - width;
        double f = q > 1e-6 ? 2 * stiffness * r / l : 0;
        s += r * r;
        g[2 * i] = f * a - fa;
        g[2 * i + 1] = f * b - fb;
        fa = f * a;
        fb = f * b;
    }
    g[2 * n - 2] = -fa;
    g[2 * n - 1] = -fb;
    return stiffness * s;
}
/* The same in two passes a block, forces first: both vectorize. work: 2 (BLOCK + 1). */
NOINLINE double springs_grad_passes(I n, const double *R x, double stiffness, double width, double *R g, double *R work) {
    double s = 0, *R fa = work, *R fb = work + BLOCK + 1;
    fa[0] = fb[0] = 0;
    for (I i0 = 0; i0 < n; i0 += BLOCK) {
        I count = min_(BLOCK, n - i0), inner = min_(count, n - 1 - i0);
        const double *R p = x + 2 * i0;
        double *R y = g + 2 * i0;
        for (I i = 0; i < inner; i++) {
            double a = p[2 * i] - p[2 * i + 2], b = p[2 * i + 1] - p[2 * i + 3];
            double q = a * a + b * b, l = sqrt(q > 1e-6 ? q : 1e-6), r = l - width;
            double f = q > 1e-6 ? 2 * stiffness * r / l : 0;
            s += r * r;
            fa[i + 1] = f * a;
            fb[i + 1] = f * b;
        }
        if (inner < count) fa[count] = fb[count] = 0;
        for (I i = 0; i < count; i++) {
            y[2 * i] = fa[i + 1] - fa[i];
            y[2 * i + 1] = fb[i + 1] - fb[i];
        }
        fa[0] = fa[count];
        fb[0] = fb[count];
    }
    return stiffness * s;
}
KERNEL(springs) { return springs(n[0], in[0], in[1][0], in[1][1]); }
KERNEL(springs_grad) { return springs_grad(n[0], in[0], in[1][0], in[1][1], out); }
KERNEL(springs_grad_passes) { return springs_grad_passes(n[0], in[0], in[1][0], in[1][1], out, work); }
