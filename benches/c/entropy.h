#pragma once
#include "common.h"

/* Cross-entropy of the softmax of a row of scores with y; the scores become the cotangents, where asked. */
static inline double entropy_row(I k, double *R s, const double *R y, int cotangents) {
    double m = s[0], t = 0, dot = 0, all = 0;
    for (I c = 0; c < k; c++) m = s[c] > m ? s[c] : m;
    for (I c = 0; c < k; c++) {
        dot += y[c] * s[c];
        all += y[c];
    }
    for (I c = 0; c < k; c++) {
        double e = exp(s[c] - m);
        t += e;
        if (cotangents) s[c] = e;
    }
    double r = all / t;
    if (cotangents)
        for (I c = 0; c < k; c++) s[c] = s[c] * r - y[c];
    return all * (m + log(t)) - dot;
}
