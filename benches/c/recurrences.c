/* What runs in steps: a recurrent network, filters, an integrator. */
#include "common.h"

/* The long short-term memory of ADBench. The units of a layer stand in rows of ROW numbers, of which the first b count: loops have a known length, and
   the weights of the others are zero. Of each step and layer these rows are kept: the gates, the cell, its tanh, and what leaves; beside them the
   cotangent of what leaves the last layer. */
enum { ROW = 16 };
enum { FORGET, IN = ROW, OUT = 2 * ROW, CHANGE = 3 * ROW, GATES = 4 * ROW, CELL = GATES, TANH = 5 * ROW, HIDDEN = 6 * ROW, BACK = 7 * ROW, KEPT = 8 * ROW };

struct lstm {
    I n, l, b;
    /* The last input is here again, since rows of ROW reach into the next one. */
    double *w, *c, *w_in, *w_out, *b_out, *counts, *h0, *s0, *last;
    /* Of each step: what the logarithm is of, and the sum of the inputs that it is multiplied by. */
    double *norm, *weight;
    double *kept;
    const double *x;
};
static double *rows_of(double **work, I rows, I b, const double *R x) {
    double *y = *work;
    *work += rows * ROW;
    zero(rows * ROW, y);
    for (I i = 0; i < rows; i++) memcpy(y + i * ROW, x + i * b, (size_t)b * sizeof *x);
    return y;
}
/* n: n, l, ROW / 2 ≤ b ≤ ROW. in: w, c (l × 4 × b), w_in, w_out, b_out, h0, s0 (l × b), x (n × b). work: (10 l + 5) ROW + 2 n, and what is kept. */
static struct lstm lstm_of(const I *n, const double *const *in, double *work) {
    static const double ones[ROW] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct lstm g = {.n = n[0], .l = n[1], .b = n[2], .x = in[7]};
    g.w = rows_of(&work, 4 * g.l, g.b, in[0]), g.c = rows_of(&work, 4 * g.l, g.b, in[1]);
    g.w_in = rows_of(&work, 1, g.b, in[2]), g.w_out = rows_of(&work, 1, g.b, in[3]), g.b_out = rows_of(&work, 1, g.b, in[4]);
    g.h0 = rows_of(&work, g.l, g.b, in[5]), g.s0 = rows_of(&work, g.l, g.b, in[6]);
    g.last = rows_of(&work, 1, g.b, g.x + (g.n - 1) * g.b), g.counts = rows_of(&work, 1, g.b, ones);
    g.norm = work, g.weight = g.norm + g.n, g.kept = g.weight + g.n;
    return g;
}
static inline double gate(double v) { return 1 / (1 + exp(-v)); }
/* One step of a layer: what enters y, what left it h and its cell s before. The hyperbolic tangents are gates, too. */
static inline void lstm_step(const double *R w, const double *R c, const double *R y, const double *R h, const double *R s, double *R o) {
    SIMD for (I u = 0; u < ROW; u++) {
        o[FORGET + u] = y[u] * w[FORGET + u] + c[FORGET + u];
        o[IN + u] = h[u] * w[IN + u] + c[IN + u];
        o[OUT + u] = y[u] * w[OUT + u] + c[OUT + u];
        o[CHANGE + u] = 2 * (h[u] * w[CHANGE + u] + c[CHANGE + u]);
    }
    SIMD for (I u = 0; u < GATES; u++) o[u] = gate(o[u]);
    SIMD for (I u = 0; u < ROW; u++) {
        o[CHANGE + u] = 2 * o[CHANGE + u] - 1;
        o[CELL + u] = s[u] * o[FORGET + u] + o[IN + u] * o[CHANGE + u];
        o[TANH + u] = 2 * gate(2 * o[CELL + u]) - 1;
        o[HIDDEN + u] = o[OUT + u] * o[TANH + u];
    }
}
/* All layers at time t, and Σ_u x[t + 1, u] z[t, u]. What the step before kept is `before`. */
static inline double lstm_layers(const struct lstm *g, I t, const double *before, double *o, double *R e) {
    const double *R x = g->x + t * g->b, *R next = t + 2 < g->n ? x + g->b : g->last;
    double y[ROW], norm = 2, weight = 0, dot = 0;
    for (I u = 0; u < ROW; u++) y[u] = x[u] * g->w_in[u];
    for (I k = 0; k < g->l; k++, o += KEPT) {
        const double *h = t ? before + k * KEPT + HIDDEN : g->h0 + k * ROW, *s = t ? before + k * KEPT + CELL : g->s0 + k * ROW;
        lstm_step(g->w + k * GATES, g->c + k * GATES, k ? o - KEPT + HIDDEN : y, h, s, o);
    }
    const double *R h = o - KEPT + HIDDEN;
    SIMD for (I u = 0; u < ROW; u++) {
        double z = h[u] * g->w_out[u] + g->b_out[u];
        e[u] = exp(z) * g->counts[u];
        norm += e[u];
        weight += next[u] * g->counts[u];
        dot += next[u] * z;
    }
    g->norm[t] = norm, g->weight[t] = weight;
    return dot;
}
static double lstm_loss(const struct lstm *g, double dots) {
    SIMD for (I t = 0; t < g->n - 1; t++) dots -= g->weight[t] * log(g->norm[t]);
    return -dots / ((double)(g->n - 1) * (double)g->b);
}
/* Keeps two steps. */
NOINLINE double lstm(const struct lstm *g) {
    double dots = 0, e[ROW];
    for (I t = 0; t < g->n - 1; t++)
        dots += lstm_layers(g, t, g->kept + ((t + 1) & 1) * g->l * KEPT, g->kept + (t & 1) * g->l * KEPT, e);
    return lstm_loss(g, dots);
}
/* Back through one step of a layer: the cotangents of what leaves it and of its cell, and of what enters the layer above, become those of the step
   before and of what enters this one; what the gates add to the gradients by weights and biases. */
static inline void lstm_back(const double *R w, const double *R y, const double *R h, const double *R s, const double *R o, double *R up, double *R dh,
                             double *R ds, double *R dw, double *R dc) {
    SIMD for (I u = 0; u < ROW; u++) {
        double forget = o[FORGET + u], in = o[IN + u], out = o[OUT + u], change = o[CHANGE + u], th = o[TANH + u];
        double left = dh[u] + up[u], cell = ds[u] + left * out * (1 - th * th);
        double df = cell * s[u] * (forget * (1 - forget)), di = cell * change * (in * (1 - in));
        double dq = left * th * (out * (1 - out)), dr = cell * in * (1 - change * change);
        ds[u] = cell * forget;
        dh[u] = di * w[IN + u] + dr * w[CHANGE + u];
        up[u] = df * w[FORGET + u] + dq * w[OUT + u];
        dw[FORGET + u] += df * y[u], dw[IN + u] += di * h[u], dw[OUT + u] += dq * y[u], dw[CHANGE + u] += dr * h[u];
        dc[FORGET + u] += df, dc[IN + u] += di, dc[OUT + u] += dq, dc[CHANGE + u] += dr;
    }
}
/* What is visited from the last to the first is asked for some steps before: from first to last, processors foresee it better. */
static inline void ask(I n, const double *x) {
    for (I i = 0; i < n; i += 8) __builtin_prefetch(x + i);
}
/* Keeps all steps; after them the sums of the gradients by weights and biases, and the cotangents of the states of each layer: 10 rows a layer. */
NOINLINE double lstm_grad(const struct lstm *g, double *R dw, double *R dc, double *R ends) {
    I l = g->l, b = g->b, m = g->n - 1;
    double dots = 0, scale = 1 / ((double)m * (double)b), e[ROW], dw_in[ROW] = {0}, dw_out[ROW] = {0}, db_out[ROW] = {0};
    double *R sums = g->kept + m * l * KEPT, *R states = sums + 2 * l * GATES;
    zero(2 * l * GATES + 2 * l * ROW, sums);
    for (I t = 0; t < m; t++) {
        double *o = g->kept + t * l * KEPT, *last = o + (l - 1) * KEPT;
        const double *R next = t + 1 < m ? g->x + (t + 1) * b : g->last;
        dots += lstm_layers(g, t, o - l * KEPT, o, e);
        double p = g->weight[t] / g->norm[t];
        for (I u = 0; u < ROW; u++) {
            double dz = scale * (p * e[u] - next[u]);
            dw_out[u] += dz * last[HIDDEN + u];
            db_out[u] += dz;
            last[BACK + u] = dz * g->w_out[u];
        }
    }
    for (I t = m; t--;) {
        const double *R x = g->x + t * b;
        double enters[ROW], up[ROW];
        memcpy(up, g->kept + (t * l + l - 1) * KEPT + BACK, sizeof up);
        for (I u = 0; u < ROW; u++) enters[u] = x[u] * g->w_in[u];
        for (I k = l; k--;) {
            const double *o = g->kept + (t * l + k) * KEPT, *y = k ? o - KEPT + HIDDEN : enters;
            const double *h = t ? o - l * KEPT + HIDDEN : g->h0 + k * ROW, *s = t ? o - l * KEPT + CELL : g->s0 + k * ROW;
            if (t >= 2) ask(KEPT, o - 2 * l * KEPT);
            double *v = sums + 2 * k * GATES, *d = states + 2 * k * ROW;
            lstm_back(g->w + k * GATES, y, h, s, o, up, d, d + ROW, v, v + GATES);
        }
        for (I u = 0; u < ROW; u++) dw_in[u] += up[u] * x[u];
    }
    for (I i = 0; i < 4 * l; i++)
        for (I u = 0; u < b; u++) {
            const double *R v = sums + (i / 4 * 8 + i % 4) * ROW;
            dw[i * b + u] = v[u], dc[i * b + u] = v[GATES + u];
        }
    for (I u = 0; u < b; u++) ends[u] = dw_in[u], ends[b + u] = dw_out[u], ends[2 * b + u] = db_out[u];
    return lstm_loss(g, dots);
}
KERNEL(lstm) {
    struct lstm g = lstm_of(n, in, work);
    return lstm(&g);
}
/* out: the gradients by w, c, w_in, w_out, b_out. */
KERNEL(lstm_grad) {
    struct lstm g = lstm_of(n, in, work);
    return lstm_grad(&g, out, out + 4 * g.l * g.b, out + 8 * g.l * g.b);
}

/* The Kalman filter of a local level. in: y, and a0, p0, q, h. */
enum { LOGS = 512 };
NOINLINE double kalman(I n, const double *R y, double a, double p, double q, double h) {
    double s = 0;
    for (I t = 0; t < n; t++) {
        double v = y[t] - a, f = p + h, k = p / f;
        a += k * v;
        p = p * (1 - k) + q;
        s += log(f) + v * v / f;
    }
    return -0.5 * s;
}
/* The variance of what is observed by itself, f' = 2 h + q - h² / f, a quotient and a difference a step; logarithms in vectors. work: LOGS. */
NOINLINE double kalman_blocks(I n, const double *R y, double a, double p, double q, double h, double *R fs) {
    double s = 0, f = p + h;
    for (I b = 0; b < n; b += LOGS) {
        I count = min_(LOGS, n - b);
        for (I t = 0; t < count; t++) {
            double v = y[b + t] - a, r = 1 / f;
            fs[t] = f;
            a += (1 - h * r) * v;
            s += v * v * r;
            f = (2 * h + q) - h * h * r;
        }
        SIMD for (I t = 0; t < count; t++) s += log(fs[t]);
    }
    return -0.5 * s;
}
/* Forth likewise, keeping the errors v and 1 / f; then back. work: 2 n. */
NOINLINE double kalman_grad(I n, const double *R y, double a, double p, double q, double h, double *R out, double *R vs, double *R rs) {
    double s = 0, f = p + h, da = 0, dp = 0, dq = 0, dh = 0;
    for (I t = 0; t < n; t++) {
        double v = y[t] - a, r = 1 / f;
        vs[t] = v, rs[t] = r;
        a += (1 - h * r) * v;
        s += v * v * r;
        f = (2 * h + q) - h * h * r;
    }
    SIMD for (I t = 0; t < n; t++) s -= log(rs[t]);
    for (I t = n; t--;) {
        double r = rs[t], u = vs[t] * r, keep = h * r, k = 1 - keep, df = 0.5 * (u * u - r);
        dq += dp;
        dh += k * k * dp - k * u * da + df;
        dp = keep * keep * dp + keep * u * da + df;
        da = keep * da + u;
    }
    out[0] = da, out[1] = dp, out[2] = dq, out[3] = dh;
    return -0.5 * s;
}
/* The tangents of all four beside the steps. work: LOGS. */
NOINLINE double kalman_grad_forward(I n, const double *R y, double a, double p, double q, double h, double *R out, double *R fs) {
    double s = 0, f = p + h;
    v4 ds = {0}, da = {1}, dp = {0, 1};
    const v4 dq = {0, 0, 1}, dh = {0, 0, 0, 1};
    for (I b = 0; b < n; b += LOGS) {
        I count = min_(LOGS, n - b);
        for (I t = 0; t < count; t++) {
            double v = y[b + t] - a, r = 1 / f, u = v * r, keep = h * r, k = 1 - keep;
            fs[t] = f;
            ds += (r - u * u) * (dp + dh) - 2 * u * da;
            da = keep * da + u * (keep * dp - k * dh);
            dp = keep * keep * dp + (k * k * dh + dq);
            a += k * v;
            s += v * u;
            f = (2 * h + q) - h * h * r;
        }
        SIMD for (I t = 0; t < count; t++) s += log(fs[t]);
    }
    for (I i = 0; i < 4; i++) out[i] = -0.5 * ds[i];
    return -0.5 * s;
}
KERNEL(kalman) { return kalman(n[0], in[0], in[1][0], in[1][1], in[1][2], in[1][3]); }
KERNEL(kalman_blocks) { return kalman_blocks(n[0], in[0], in[1][0], in[1][1], in[1][2], in[1][3], work); }
KERNEL(kalman_grad) { return kalman_grad(n[0], in[0], in[1][0], in[1][1], in[1][2], in[1][3], out, work, work + n[0]); }
KERNEL(kalman_grad_forward) { return kalman_grad_forward(n[0], in[0], in[1][0], in[1][1], in[1][2], in[1][3], out, work); }

/* The equations of Lotka and Volterra by the method of Runge and Kutta. n: steps. in: the first state, the rates, the length of a step. */
struct rates {
    double a, b, c, d;
};
static inline struct rates rates_of(const double *p, double scale) { return (struct rates){scale * p[0], scale * p[1], scale * p[2], scale * p[3]}; }
static inline void lotka(const struct rates *p, double x, double y, double *R dx, double *R dy) {
    double e = x * y;
    *dx = p->a * x - p->b * e;
    *dy = p->c * e - p->d * y;
}
/* One step; the states of its four stages are kept, where asked. */
static inline void runge_kutta(const struct rates *p, double h, double *x, double *y, double *stages) {
    double x1 = *x, y1 = *y, a1, b1, a2, b2, a3, b3, a4, b4;
    lotka(p, x1, y1, &a1, &b1);
    double x2 = x1 + 0.5 * h * a1, y2 = y1 + 0.5 * h * b1;
    lotka(p, x2, y2, &a2, &b2);
    double x3 = x1 + 0.5 * h * a2, y3 = y1 + 0.5 * h * b2;
    lotka(p, x3, y3, &a3, &b3);
    double x4 = x1 + h * a3, y4 = y1 + h * b3;
    lotka(p, x4, y4, &a4, &b4);
    *x += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    *y += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    if (stages) memcpy(stages, (double[]){x1, y1, x2, y2, x3, y3, x4, y4}, 8 * sizeof *stages);
}
NOINLINE double orbit(I n, double x, double y, struct rates p, double h) {
    for (I t = 0; t < n; t++) runge_kutta(&p, h, &x, &y, 0);
    return x * x + y * y;
}
/* The Jacobian of a stage, transposed, times the cotangents a and b of its rates; what they add to the gradient by the rates. The elements of the
   Jacobian do not wait for the cotangents. */
static inline void lotka_back(const struct rates *p, double x, double y, double a, double b, double *R dp, double *R dx, double *R dy) {
    double e = x * y, xx = p->a - p->b * y, yx = p->c * y, xy = p->b * x, yy = p->c * x - p->d;
    dp[0] += a * x, dp[1] -= a * e, dp[2] += b * e, dp[3] -= b * y;
    *dx = xx * a + yx * b;
    *dy = yy * b - xy * a;
}
/* Forth, keeping all stages, then back; of stages 2 to 4, h times their Jacobians. work: 8 n. */
NOINLINE double orbit_grad(I n, double x, double y, const double *R rates, double h, double *R out, double *R work) {
    struct rates p = rates_of(rates, 1), half = rates_of(rates, 0.5 * h), whole = rates_of(rates, h);
    for (I t = 0; t < n; t++) runge_kutta(&p, h, &x, &y, work + 8 * t);
    double f = x * x + y * y, dx = 2 * x, dy = 2 * y, dh = 0, dp[4] = {0};
    for (I t = n; t--;) {
        const double *R s = work + 8 * t;
        double u = h / 6 * dx, v = h / 6 * dy, x1, y1, x2, y2, x3, y3, x4, y4;
        lotka_back(&whole, s[6], s[7], u, v, dp, &x4, &y4);
        lotka_back(&half, s[4], s[5], 2 * u + x4, 2 * v + y4, dp, &x3, &y3);
        lotka_back(&half, s[2], s[3], 2 * u + x3, 2 * v + y3, dp, &x2, &y2);
        lotka_back(&p, s[0], s[1], u + x2, v + y2, dp, &x1, &y1);
        double fourth = x4 * (s[6] - s[0]) + y4 * (s[7] - s[1]), third = x3 * (s[4] - s[0]) + y3 * (s[5] - s[1]);
        double second = x2 * (s[2] - s[0]) + y2 * (s[3] - s[1]), all = dx * (x - s[0]) + dy * (y - s[1]);
        dh += all + (fourth + 2 * (third + second)) / h;
        dx += x1 + (x4 + 2 * (x3 + x2)) / h;
        dy += y1 + (y4 + 2 * (y3 + y2)) / h;
        x = s[0], y = s[1];
    }
    memcpy(out, (double[]){dx, dy, dp[0], dp[1], dp[2], dp[3], dh / h}, 7 * sizeof *out);
    return f;
}
/* Tangents by the first state, the rates and the length of a step, seven in a vector. */
typedef double v8 __attribute__((vector_size(64)));
struct lotka_tangents {
    struct rates p;
    v8 a, b, c, d;
};
static inline void lotka_forward(const struct lotka_tangents *p, double x, double y, v8 dx, v8 dy, double *R a, double *R b, v8 *R da, v8 *R db) {
    double e = x * y;
    v8 de = y * dx + x * dy;
    lotka(&p->p, x, y, a, b);
    *da = p->p.a * dx - p->p.b * de + (x * p->a - e * p->b);
    *db = p->p.c * de - p->p.d * dy + (e * p->c - y * p->d);
}
NOINLINE double orbit_grad_forward(I n, double x, double y, const double *R rates, double h, double *R out) {
    struct lotka_tangents p = {rates_of(rates, 1), {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
    v8 dx = {1}, dy = {0, 1}, dh = {0, 0, 0, 0, 0, 0, 1};
    for (I t = 0; t < n; t++) {
        double a1, b1, a2, b2, a3, b3, a4, b4;
        v8 p1, q1, p2, q2, p3, q3, p4, q4;
        lotka_forward(&p, x, y, dx, dy, &a1, &b1, &p1, &q1);
        lotka_forward(&p, x + 0.5 * h * a1, y + 0.5 * h * b1, dx + 0.5 * (h * p1 + a1 * dh), dy + 0.5 * (h * q1 + b1 * dh), &a2, &b2, &p2, &q2);
        lotka_forward(&p, x + 0.5 * h * a2, y + 0.5 * h * b2, dx + 0.5 * (h * p2 + a2 * dh), dy + 0.5 * (h * q2 + b2 * dh), &a3, &b3, &p3, &q3);
        lotka_forward(&p, x + h * a3, y + h * b3, dx + (h * p3 + a3 * dh), dy + (h * q3 + b3 * dh), &a4, &b4, &p4, &q4);
        double a = (a1 + 2 * a2 + 2 * a3 + a4) / 6, b = (b1 + 2 * b2 + 2 * b3 + b4) / 6;
        x += h * a, y += h * b;
        dx += h / 6 * (p1 + 2 * p2 + 2 * p3 + p4) + a * dh;
        dy += h / 6 * (q1 + 2 * q2 + 2 * q3 + q4) + b * dh;
    }
    for (I i = 0; i < 7; i++) out[i] = 2 * (x * dx[i] + y * dy[i]);
    return x * x + y * y;
}
KERNEL(orbit) { return orbit(n[0], in[0][0], in[0][1], rates_of(in[1], 1), in[2][0]); }
KERNEL(orbit_grad) { return orbit_grad(n[0], in[0][0], in[0][1], in[1], in[2][0], out, work); }
KERNEL(orbit_grad_forward) { return orbit_grad_forward(n[0], in[0][0], in[0][1], in[1], in[2][0], out); }

/* A filter of second order over c channels, row by row. in: x (n × c), b, a. */
NOINLINE void iir(I n, I c, const double *R x, const double *R b, const double *R a, double *R y) {
    double b0 = b[0], b1 = b[1], b2 = b[2], a1 = a[0], a2 = a[1];
    for (I i = 0; i < min_(n, 1) * c; i++) y[i] = b0 * x[i];
    for (I i = c; i < min_(n, 2) * c; i++) y[i] = b0 * x[i] + b1 * x[i - c] - a1 * y[i - c];
    for (I t = 2; t < n; t++) {
        const double *R p = x + t * c, *R u = y + (t - 1) * c, *R v = y + (t - 2) * c;
        double *R o = y + t * c;
        for (I i = 0; i < c; i++) o[i] = b0 * p[i] + b1 * p[i - c] + b2 * p[i - 2 * c] - a1 * u[i] - a2 * v[i];
    }
}
/* One row of the transposed form: what the next two rows owe to this one is in r and s. */
static inline void iir_row(I c, const double *R x, const double *R b, const double *R a, double *R r, double *R s, double *R y) {
    for (I i = 0; i < c; i++) {
        double v = x[i], o = b[0] * v + r[i];
        y[i] = o;
        r[i] = b[1] * v - a[0] * o + s[i];
        s[i] = b[2] * v - a[1] * o;
    }
}
/* In strips of channels, of which r and s are in registers; c is a multiple of STRIP. Rows are asked for some rows before. */
enum { AHEAD = 8, STRIP = 64 };
NOINLINE void iir_strips(I n, I c, const double *R x, const double *R b, const double *R a, double *R y) {
    const double bs[3] = {b[0], b[1], b[2]}, as[2] = {a[0], a[1]};
    for (I k = 0; k < c; k += STRIP) {
        double r[STRIP] = {0}, s[STRIP] = {0};
        for (I t = 0; t < n; t++) {
            if (t + AHEAD < n) ask(STRIP, x + (t + AHEAD) * c + k), ask(STRIP, y + (t + AHEAD) * c + k);
            iir_row(STRIP, x + t * c + k, bs, as, r, s, y + t * c + k);
        }
    }
}
/* The adjoint by x: the same filter from the last row to the first. in: y_bar (n × c), b, a. work: 2 c. */
NOINLINE void iir_x(I n, I c, const double *R x, const double *R b, const double *R a, double *R y, double *R work) {
    const double bs[3] = {b[0], b[1], b[2]}, as[2] = {a[0], a[1]};
    zero(2 * c, work);
    for (I t = n; t--;) {
        if (t >= AHEAD) ask(c, x + (t - AHEAD) * c), ask(c, y + (t - AHEAD) * c);
        iir_row(c, x + t * c, bs, as, work, work + c, y + t * c);
    }
}
NOINLINE void iir_x_strips(I n, I c, const double *R x, const double *R b, const double *R a, double *R y) {
    const double bs[3] = {b[0], b[1], b[2]}, as[2] = {a[0], a[1]};
    for (I k = 0; k < c; k += STRIP) {
        double r[STRIP] = {0}, s[STRIP] = {0};
        for (I t = n; t--;) {
            if (t >= AHEAD) ask(STRIP, x + (t - AHEAD) * c + k), ask(STRIP, y + (t - AHEAD) * c + k);
            iir_row(STRIP, x + t * c + k, bs, as, r, s, y + t * c + k);
        }
    }
}
KERNEL(iir) { return iir(n[0], n[1], in[0], in[1], in[2], out), 0; }
KERNEL(iir_strips) { return iir_strips(n[0], n[1], in[0], in[1], in[2], out), 0; }
KERNEL(iir_x) { return iir_x(n[0], n[1], in[0], in[1], in[2], out, work), 0; }
KERNEL(iir_x_strips) { return iir_x_strips(n[0], n[1], in[0], in[1], in[2], out), 0; }
