/* The projection of a point, its residual, and the gradient of ½ w² |projection - feature|² of an observation, hand-derived, over numbers of type T: vectors, one observation a lane, or pairs of a value
   and its tangent, with which it is the product with the Hessian as well. Names are made by N(…). */

struct N(projection) {
    T r0, r1, r2, f, k2;
    T y0, y1, y2, n0, n1, n2, s, c, e, by_t, along, m, z, u, v, g, kg, l, fl;
    mask turns;
};

static inline struct N(projection) N(project)(const T *cam, const T *x) {
    T r0 = cam[0], r1 = cam[1], r2 = cam[2];
    T y0 = N(sub)(x[0], cam[3]), y1 = N(sub)(x[1], cam[4]), y2 = N(sub)(x[2], cam[5]);
    T f = cam[6], k1 = cam[9], k2 = cam[10];
    /* Rodrigues' formula; the angle is one where there is no rotation, and what comes of it is not taken. */
    T q = N(dot)(r0, r1, r2, r0, r1, r2);
    mask turns = N(positive)(q);
    q = N(pick)(turns, q, N(number)(same(1)));
    T s, c, t = N(root)(q), by_t = N(inverse)(t);
    N(circle)(t, &s, &c);
    T n0 = N(mul)(r0, by_t), n1 = N(mul)(r1, by_t), n2 = N(mul)(r2, by_t), e = N(sub)(N(number)(same(1)), c);
    T a0 = N(minor)(n1, y2, n2, y1), a1 = N(minor)(n2, y0, n0, y2), a2 = N(minor)(n0, y1, n1, y0), along = N(dot)(n0, n1, n2, y0, y1, y2);
    T m = N(mul)(along, e);
    T p0 = N(dot)(y0, a0, n0, c, s, m), p1 = N(dot)(y1, a1, n1, c, s, m), p2 = N(dot)(y2, a2, n2, c, s, m);
    p0 = N(pick)(turns, p0, N(add)(y0, N(minor)(r1, y2, r2, y1)));
    p1 = N(pick)(turns, p1, N(add)(y1, N(minor)(r2, y0, r0, y2)));
    p2 = N(pick)(turns, p2, N(add)(y2, N(minor)(r0, y1, r1, y0)));
    /* The camera. */
    T z = N(inverse)(p2), u = N(mul)(p0, z), v = N(mul)(p1, z), g = N(plus)(N(mul)(u, u), v, v);
    T kg = N(plus)(k1, k2, g), l = N(plus)(N(number)(same(1)), kg, g), fl = N(mul)(f, l);
    return (struct N(projection)){r0, r1, r2, f, k2, y0, y1, y2, n0, n1, n2, s, c, e, by_t, along, m, z, u, v, g, kg, l, fl, turns};
}

/* The difference to the feature, without its weight. */
static inline void N(residual)(const T *cam, const struct N(projection) *p, const V *o, T *e) {
    e[0] = N(sub)(N(plus)(cam[7], p->fl, p->u), N(number)(o[0]));
    e[1] = N(sub)(N(plus)(cam[8], p->fl, p->v), N(number)(o[1]));
}

static inline T N(energy)(const T *cam, const T *x, T w, const V *o, T *dcam, T *dx, T *dw) {
    struct N(projection) p = N(project)(cam, x);
    T y0 = p.y0, y1 = p.y1, y2 = p.y2, n0 = p.n0, n1 = p.n1, n2 = p.n2, s = p.s, c = p.c, e = p.e;
    T by_t = p.by_t, along = p.along, m = p.m, z = p.z, u = p.u, v = p.v, g = p.g, kg = p.kg, l = p.l, fl = p.fl;
    T r0 = p.r0, r1 = p.r1, r2 = p.r2, f = p.f, k2 = p.k2, d[2];
    mask turns = p.turns;
    N(residual)(cam, &p, o, d);
    T e0 = d[0], e1 = d[1];
    T squares = N(plus)(N(mul)(e0, e0), e1, e1), w2 = N(mul)(w, w);
    *dw = N(mul)(w, squares);
    /* Back. */
    e0 = N(mul)(w2, e0), e1 = N(mul)(w2, e1);
    T eu = N(plus)(N(mul)(e0, u), e1, v), dl = N(mul)(f, eu), dlg = N(mul)(dl, g);
    T dg = N(mul)(dl, N(plus)(kg, k2, g)), dg2 = N(add)(dg, dg);
    T du = N(plus)(N(mul)(fl, e0), u, dg2), dv = N(plus)(N(mul)(fl, e1), v, dg2);
    T b0 = N(mul)(du, z), b1 = N(mul)(dv, z), b2 = N(mul)(N(minus)(z), N(plus)(N(mul)(u, du), v, dv));
    dcam[6] = N(mul)(eu, l), dcam[7] = e0, dcam[8] = e1, dcam[9] = dlg, dcam[10] = N(mul)(dlg, g);
    T h0 = N(minor)(y1, b2, y2, b1), h1 = N(minor)(y2, b0, y0, b2), h2 = N(minor)(y0, b1, y1, b0), nb = N(dot)(n0, n1, n2, b0, b1, b2);
    T i0 = N(minor)(b1, n2, b2, n1), i1 = N(minor)(b2, n0, b0, n2), i2 = N(minor)(b0, n1, b1, n0), em = N(mul)(nb, e);
    T x0 = N(dot)(b0, i0, n0, c, s, em), x1 = N(dot)(b1, i1, n1, c, s, em), x2 = N(dot)(b2, i2, n2, c, s, em);
    /* By the angle and by the axis. */
    T yb = N(dot)(y0, y1, y2, b0, b1, b2), ab = N(dot)(n0, n1, n2, h0, h1, h2);
    T dt = N(minor)(c, ab, s, N(sub)(yb, N(mul)(along, nb)));
    T d0 = N(dot)(h0, b0, y0, s, m, em), d1 = N(dot)(h1, b1, y1, s, m, em), d2 = N(dot)(h2, b2, y2, s, m, em);
    dt = N(sub)(dt, N(mul)(by_t, N(dot)(d0, d1, d2, n0, n1, n2)));
    dcam[0] = N(pick)(turns, N(plus)(N(mul)(d0, by_t), dt, n0), h0);
    dcam[1] = N(pick)(turns, N(plus)(N(mul)(d1, by_t), dt, n1), h1);
    dcam[2] = N(pick)(turns, N(plus)(N(mul)(d2, by_t), dt, n2), h2);
    dx[0] = N(pick)(turns, x0, N(add)(b0, N(minor)(b1, r2, b2, r1)));
    dx[1] = N(pick)(turns, x1, N(add)(b1, N(minor)(b2, r0, b0, r2)));
    dx[2] = N(pick)(turns, x2, N(add)(b2, N(minor)(b0, r1, b1, r0)));
    dcam[3] = N(minus)(dx[0]), dcam[4] = N(minus)(dx[1]), dcam[5] = N(minus)(dx[2]);
    return N(mul)(N(number)(same(0.5)), N(mul)(w2, squares));
}
