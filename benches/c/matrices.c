/* Matrix times vector and matrix times matrix. */
#include "common.h"

/* Four rows at once: x is read once for the four. */
NOINLINE void matvec(I n, I m, const double *R a, const double *R x, double *R y) {
    I i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *R r0 = a + i * m, *R r1 = r0 + m, *R r2 = r1 + m, *R r3 = r2 + m;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (I j = 0; j < m; j++) {
            double v = x[j];
            s0 += r0[j] * v;
            s1 += r1[j] * v;
            s2 += r2[j] * v;
            s3 += r3[j] * v;
        }
        y[i] = s0, y[i + 1] = s1, y[i + 2] = s2, y[i + 3] = s3;
    }
    for (; i < n; i++) {
        double s = 0;
        for (I j = 0; j < m; j++) s += a[i * m + j] * x[j];
        y[i] = s;
    }
}
NOINLINE void matvec_rows(I n, I m, const double *R a, const double *R x, double *R y) {
    for (I i = 0; i < n; i++) {
        double s = 0;
        for (I j = 0; j < m; j++) s += a[i * m + j] * x[j];
        y[i] = s;
    }
}
/* The adjoint by A: the outer product of b and x. */
NOINLINE void matvec_a(I n, I m, const double *R x, const double *R b, double *R da) {
    for (I i = 0; i < n; i++)
        for (I j = 0; j < m; j++) da[i * m + j] = b[i] * x[j];
}
/* The adjoint by x: Aᵀ b, four rows a pass. */
NOINLINE void matvec_x(I n, I m, const double *R a, const double *R b, double *R dx) {
    zero(m, dx);
    I i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *R r0 = a + i * m, *R r1 = r0 + m, *R r2 = r1 + m, *R r3 = r2 + m;
        double b0 = b[i], b1 = b[i + 1], b2 = b[i + 2], b3 = b[i + 3];
        for (I j = 0; j < m; j++) dx[j] += r0[j] * b0 + r1[j] * b1 + r2[j] * b2 + r3[j] * b3;
    }
    for (; i < n; i++)
        for (I j = 0; j < m; j++) dx[j] += a[i * m + j] * b[i];
}
KERNEL(matvec) { return matvec(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(matvec_rows) { return matvec_rows(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(matvec_a) { return matvec_a(n[0], n[1], in[0], in[1], out), 0; }
KERNEL(matvec_x) { return matvec_x(n[0], n[1], in[0], in[1], out), 0; }

/* c = A b for A[i, p] at a[i * ri + p * rp], b and c by rows: tiles of 4 by 16 in registers. */
NOINLINE void product(I n, I k, I m, const double *R a, I ri, I rp, const double *R b, double *R c) {
    enum { H = 4, W = 16 };
    I m16 = m / W * W, n4 = n / H * H;
    for (I i = 0; i < n4; i += H)
        for (I j = 0; j < m16; j += W) {
            double t[H][W] = {{0}};
            for (I p = 0; p < k; p++)
                for (I h = 0; h < H; h++) {
                    double v = a[(i + h) * ri + p * rp];
                    SIMD for (I w = 0; w < W; w++) t[h][w] += v * b[p * m + j + w];
                }
            for (I h = 0; h < H; h++) memcpy(c + (i + h) * m + j, t[h], sizeof t[h]);
        }
    for (I i = 0; i < n; i++) {
        I from = i < n4 ? m16 : 0;
        for (I j = from; j < m; j++) c[i * m + j] = 0;
        for (I p = 0; p < k; p++) {
            double v = a[i * ri + p * rp];
            for (I j = from; j < m; j++) c[i * m + j] += v * b[p * m + j];
        }
    }
}
/* The same with rows of c as the inner loop, four rows of b a pass, in blocks that stay in the second-level cache. */
NOINLINE void product_rows(I n, I k, I m, const double *R a, I ri, I rp, const double *R b, double *R c) {
    enum { B = 64 };
    zero(n * m, c);
    for (I p0 = 0; p0 < k; p0 += B) {
        I p1 = min_(p0 + B, k);
        for (I i = 0; i < n; i++) {
            double *R y = c + i * m;
            const double *R x = a + i * ri;
            I p = p0;
            for (; p + 4 <= p1; p += 4) {
                double v0 = x[p * rp], v1 = x[(p + 1) * rp], v2 = x[(p + 2) * rp], v3 = x[(p + 3) * rp];
                const double *R b0 = b + p * m, *R b1 = b0 + m, *R b2 = b1 + m, *R b3 = b2 + m;
                for (I j = 0; j < m; j++) y[j] += v0 * b0[j] + v1 * b1[j] + v2 * b2[j] + v3 * b3[j];
            }
            for (; p < p1; p++)
                for (I j = 0; j < m; j++) y[j] += x[p * rp] * b[p * m + j];
        }
    }
}
NOINLINE void transpose(I n, I m, const double *R a, double *R t) {
    enum { B = 16 };
    for (I i0 = 0; i0 < n; i0 += B)
        for (I j0 = 0; j0 < m; j0 += B)
            for (I i = i0; i < min_(i0 + B, n); i++)
                for (I j = j0; j < min_(j0 + B, m); j++) t[j * n + i] = a[i * m + j];
}
/* n × k times k × m. */
KERNEL(matmul) { return product(n[0], n[1], n[2], in[0], n[1], 1, in[1], out), 0; }
KERNEL(matmul_rows) { return product_rows(n[0], n[1], n[2], in[0], n[1], 1, in[1], out), 0; }
/* The adjoint by A: C̄ Bᵀ. in: B, C̄. */
KERNEL(matmul_a) {
    transpose(n[1], n[2], in[0], work);
    return product(n[0], n[2], n[1], in[1], n[2], 1, work, out), 0;
}
KERNEL(matmul_a_rows) {
    transpose(n[1], n[2], in[0], work);
    return product_rows(n[0], n[2], n[1], in[1], n[2], 1, work, out), 0;
}
/* The adjoint by B: Aᵀ C̄. in: A, C̄. */
KERNEL(matmul_b) { return product(n[1], n[0], n[2], in[0], 1, n[1], in[1], out), 0; }
KERNEL(matmul_b_rows) { return product_rows(n[1], n[0], n[2], in[0], 1, n[1], in[1], out), 0; }
