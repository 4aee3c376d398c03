/* The mixture of Gaussians of ADBench. */
#include "common.h"

/* The mixture of Gaussians of ADBench, less its constants: the structure of its hand-written gradient.
   n: n, k, d. in: α (k), μ (k × d), q (k × d), l (k × d × d, strict lower triangles), x (n × d), (γ, m).
   out: the gradients by α, μ, q, l. work: 4 k d + 4 k + d. */
struct mixture {
    I n, k, d;
    const double *alpha, *mu, *q, *l, *x;
};
/* Residuals c = x - μ, products z = Q c, and the exponent of each component. */
static inline double exponents(const struct mixture *g, const double *R x, const double *R eq, const double *R sum,
                               double *R c, double *R z, double *R t, I step) {
    I d = g->d;
    double m = -INFINITY;
    for (I k = 0; k < g->k; k++) {
        const double *R mu = g->mu + k * d, *R l = g->l + k * d * d, *R e = eq + k * d;
        double *R ck = c + k * step, *R zk = z + k * step, s = 0;
        for (I a = 0; a < d; a++) ck[a] = x[a] - mu[a];
        for (I a = 0; a < d; a++) {
            double v = e[a] * ck[a];
            for (I b = 0; b < a; b++) v += l[a * d + b] * ck[b];
            zk[a] = v;
            s += v * v;
        }
        t[k] = g->alpha[k] + sum[k] - 0.5 * s;
        m = t[k] > m ? t[k] : m;
    }
    return m;
}
/* The terms that do not depend on the points; `eq` and `sum` are exp q and Σ q. */
static double prior(const struct mixture *g, double gamma, double m, double *R eq, double *R sum, double *R t) {
    I d = g->d;
    double f = 0, top = -INFINITY, s = 0;
    for (I k = 0; k < g->k; k++) {
        double squares = 0;
        sum[k] = 0;
        for (I a = 0; a < d; a++) {
            double e = exp(g->q[k * d + a]);
            eq[k * d + a] = e;
            sum[k] += g->q[k * d + a];
            squares += e * e;
            for (I b = 0; b < a; b++) squares += g->l[(k * d + a) * d + b] * g->l[(k * d + a) * d + b];
        }
        f += 0.5 * gamma * gamma * squares - m * sum[k];
        top = g->alpha[k] > top ? g->alpha[k] : top;
    }
    for (I k = 0; k < g->k; k++) {
        t[k] = exp(g->alpha[k] - top);
        s += t[k];
    }
    for (I k = 0; k < g->k; k++) t[k] /= s;
    return f - (double)g->n * (top + log(s));
}
NOINLINE double gmm(const struct mixture *g, double gamma, double m, double *R work) {
    I k = g->k, d = g->d;
    double *R eq = work, *R sum = eq + k * d, *R t = sum + k, *R soft = t + k, *R c = soft + k, *R z = c + d;
    double f = prior(g, gamma, m, eq, sum, soft);
    for (I i = 0; i < g->n; i++) {
        double top = exponents(g, g->x + i * d, eq, sum, c, z, t, 0), s = 0;
        for (I a = 0; a < k; a++) s += exp(t[a] - top);
        f += top + log(s);
    }
    return f;
}
/* What one point adds to the gradients by one component, of posterior weight p. */
static inline void component_back(I d, double p, const double *R eq, const double *R l, const double *R c,
                                  double *R z, double *R dmu, double *R dq, double *R dl) {
    for (I a = 0; a < d; a++) z[a] *= -p;
    for (I a = 0; a < d; a++) {
        dq[a] += z[a] * c[a];
        dmu[a] -= eq[a] * z[a];
    }
    for (I a = 1; a < d; a++) {
        double v = z[a];
        for (I b = 0; b < a; b++) {
            dl[a * d + b] += v * c[b];
            dmu[b] -= v * l[a * d + b];
        }
    }
}
NOINLINE double gmm_grad(const struct mixture *g, double gamma, double m, double *R dalpha, double *R dmu,
                         double *R dq, double *R dl, double *R work) {
    I k = g->k, d = g->d;
    double *R eq = work, *R sum = eq + k * d, *R t = sum + k, *R soft = t + k, *R c = soft + k, *R z = c + k * d;
    double f = prior(g, gamma, m, eq, sum, soft);
    zero(k, dalpha), zero(k * d, dmu), zero(k * d, dq), zero(k * d * d, dl);
    for (I i = 0; i < g->n; i++) {
        double top = exponents(g, g->x + i * d, eq, sum, c, z, t, d), s = 0;
        for (I a = 0; a < k; a++) {
            t[a] = exp(t[a] - top);
            s += t[a];
        }
        f += top + log(s);
        s = 1 / s;
        for (I a = 0; a < k; a++) {
            double p = t[a] * s;
            dalpha[a] += p;
            component_back(d, p, eq + a * d, g->l + a * d * d, c + a * d, z + a * d, dmu + a * d, dq + a * d,
                           dl + a * d * d);
        }
    }
    for (I a = 0; a < k; a++) {
        for (I b = 0; b < d; b++) {
            double e = eq[a * d + b];
            dq[a * d + b] = e * (dq[a * d + b] + gamma * gamma * e) + dalpha[a] - m;
            for (I h = 0; h < b; h++) dl[(a * d + b) * d + h] += gamma * gamma * g->l[(a * d + b) * d + h];
        }
        dalpha[a] -= (double)g->n * soft[a];
    }
    return f;
}
KERNEL(gmm) {
    struct mixture g = {n[0], n[1], n[2], in[0], in[1], in[2], in[3], in[4]};
    return gmm(&g, in[5][0], in[5][1], work);
}
KERNEL(gmm_grad) {
    struct mixture g = {n[0], n[1], n[2], in[0], in[1], in[2], in[3], in[4]};
    I k = g.k, d = g.d;
    return gmm_grad(&g, in[5][0], in[5][1], out, out + k, out + k + k * d, out + k + 2 * k * d, work);
}

/* The same with strict triangles packed by columns, as in ADBench's files: packed on entry, the gradient unpacked at the end.
   All inner loops are contiguous. work: besides, k d (d - 1) for the triangles and their gradient. */
static inline double columns_exponents(const struct mixture *g, const double *R x, const double *R eq, const double *R sum,
                                       const double *R pack, double *R c, double *R z, double *R t, I step) {
    I d = g->d;
    double m = -INFINITY;
    for (I k = 0; k < g->k; k++) {
        const double *R mu = g->mu + k * d, *R l = pack + k * (d * (d - 1) / 2), *R e = eq + k * d;
        double *R ck = c + k * step, *R zk = z + k * step, s = 0;
        for (I a = 0; a < d; a++) {
            ck[a] = x[a] - mu[a];
            zk[a] = e[a] * ck[a];
        }
        for (I b = 0; b < d; b++) {
            double v = ck[b];
            for (I a = b + 1; a < d; a++) zk[a] += *l++ * v;
        }
        for (I a = 0; a < d; a++) s += zk[a] * zk[a];
        t[k] = g->alpha[k] + sum[k] - 0.5 * s;
        m = t[k] > m ? t[k] : m;
    }
    return m;
}
static inline void columns_back(I d, double p, const double *R eq, const double *R l, const double *R c, double *R z,
                                double *R dmu, double *R dq, double *R dl) {
    for (I a = 0; a < d; a++) {
        z[a] *= -p;
        dq[a] += z[a] * c[a];
    }
    for (I b = 0; b < d; b++) {
        double v = c[b], s = eq[b] * z[b];
        for (I a = b + 1; a < d; a++) {
            dl[a - b - 1] += z[a] * v;
            s += l[a - b - 1] * z[a];
        }
        l += d - 1 - b;
        dl += d - 1 - b;
        dmu[b] -= s;
    }
}
/* Between the matrices by rows and the packed columns. */
static void pack_columns(I k, I d, const double *R l, double *R pack) {
    for (I c = 0; c < k; c++)
        for (I b = 0; b < d; b++)
            for (I a = b + 1; a < d; a++) *pack++ = l[(c * d + a) * d + b];
}
static void unpack_columns(I k, I d, const double *R pack, double *R l) {
    zero(k * d * d, l);
    for (I c = 0; c < k; c++)
        for (I b = 0; b < d; b++)
            for (I a = b + 1; a < d; a++) l[(c * d + a) * d + b] = *pack++;
}
NOINLINE double gmm_columns(const struct mixture *g, double gamma, double m, double *R work) {
    I k = g->k, d = g->d;
    double *R eq = work, *R sum = eq + k * d, *R t = sum + k, *R soft = t + k, *R c = soft + k, *R z = c + d, *R pack = z + d;
    double f = prior(g, gamma, m, eq, sum, soft);
    pack_columns(k, d, g->l, pack);
    for (I i = 0; i < g->n; i++) {
        double top = columns_exponents(g, g->x + i * d, eq, sum, pack, c, z, t, 0), s = 0;
        for (I a = 0; a < k; a++) s += exp(t[a] - top);
        f += top + log(s);
    }
    return f;
}
NOINLINE double gmm_columns_grad(const struct mixture *g, double gamma, double m, double *R dalpha, double *R dmu,
                                 double *R dq, double *R dl, double *R work) {
    I k = g->k, d = g->d, half = d * (d - 1) / 2;
    double *R eq = work, *R sum = eq + k * d, *R t = sum + k, *R soft = t + k, *R c = soft + k, *R z = c + k * d;
    double *R pack = z + k * d, *R back = pack + k * half;
    double f = prior(g, gamma, m, eq, sum, soft);
    zero(k, dalpha), zero(k * d, dmu), zero(k * d, dq);
    pack_columns(k, d, g->l, pack);
    for (I i = 0; i < k * half; i++) back[i] = gamma * gamma * pack[i];
    for (I i = 0; i < g->n; i++) {
        double top = columns_exponents(g, g->x + i * d, eq, sum, pack, c, z, t, d), s = 0;
        for (I a = 0; a < k; a++) {
            t[a] = exp(t[a] - top);
            s += t[a];
        }
        f += top + log(s);
        s = 1 / s;
        for (I a = 0; a < k; a++) {
            double p = t[a] * s;
            dalpha[a] += p;
            columns_back(d, p, eq + a * d, pack + a * half, c + a * d, z + a * d, dmu + a * d, dq + a * d, back + a * half);
        }
    }
    unpack_columns(k, d, back, dl);
    for (I a = 0; a < k; a++) {
        for (I b = 0; b < d; b++) {
            double e = eq[a * d + b];
            dq[a * d + b] = e * (dq[a * d + b] + gamma * gamma * e) + dalpha[a] - m;
        }
        dalpha[a] -= (double)g->n * soft[a];
    }
    return f;
}
KERNEL(gmm_columns) {
    struct mixture g = {n[0], n[1], n[2], in[0], in[1], in[2], in[3], in[4]};
    return gmm_columns(&g, in[5][0], in[5][1], work);
}
KERNEL(gmm_columns_grad) {
    struct mixture g = {n[0], n[1], n[2], in[0], in[1], in[2], in[3], in[4]};
    I k = g.k, d = g.d;
    return gmm_columns_grad(&g, in[5][0], in[5][1], out, out + k, out + k + k * d, out + k + 2 * k * d, work);
}
