/* All C references as one unit, built once for each compiler under a name of its own. */
#include "vectors.c"
#include "bundle.c"
#include "gmm.c"
#include "hessians.c"
#include "matrices.c"
#include "models.c"
#include "recurrences.c"
#include "stencils.c"

#define ENTRY(name) {#name, k_##name},
static const struct entry all[] = {
    ENTRY(dot) ENTRY(dot_grad) ENTRY(squares) ENTRY(squares_grad) ENTRY(logsumexp) ENTRY(logsumexp_grad)
    ENTRY(exp) ENTRY(exp_grad) ENTRY(ln) ENTRY(ln_grad) ENTRY(tanh) ENTRY(tanh_grad) ENTRY(sigmoid) ENTRY(sigmoid_grad)
    ENTRY(sin) ENTRY(sin_grad) ENTRY(corner) ENTRY(corner_grad) ENTRY(traces) ENTRY(traces_grad)
    ENTRY(matvec) ENTRY(matvec_rows) ENTRY(matvec_a) ENTRY(matvec_x)
    ENTRY(matmul) ENTRY(matmul_rows) ENTRY(matmul_a) ENTRY(matmul_a_rows) ENTRY(matmul_b) ENTRY(matmul_b_rows)
    ENTRY(conv) ENTRY(conv_dots) ENTRY(conv_x) ENTRY(conv_x_gather) ENTRY(conv_w) ENTRY(conv_w_axpy)
    ENTRY(energy) ENTRY(energy_grad) ENTRY(laplace) ENTRY(laplace_grad) ENTRY(blur)
    ENTRY(springs) ENTRY(springs_grad) ENTRY(springs_grad_passes)
    ENTRY(softmax) ENTRY(softmax_grad) ENTRY(perceptron) ENTRY(perceptron_grad) ENTRY(gmm) ENTRY(gmm_grad)
    ENTRY(gmm_columns) ENTRY(gmm_columns_grad)
    ENTRY(transposed) ENTRY(transposed_loops) ENTRY(logistic_hessian) ENTRY(classes_hessian) ENTRY(least_squares_hessian) ENTRY(means_hessian) ENTRY(mixture_hessian)
    ENTRY(log_sum_hessian) ENTRY(pairs_grad) ENTRY(pairs_hessian) ENTRY(pairs_hessian_half) ENTRY(springs_hessian) ENTRY(springs_hessian_scatter)
    ENTRY(rosenbrock_hessian) ENTRY(bundle) ENTRY(bundle_grad) ENTRY(bundle_hvp)
    ENTRY(lstm) ENTRY(lstm_grad) ENTRY(kalman) ENTRY(kalman_blocks) ENTRY(kalman_grad) ENTRY(kalman_grad_forward)
    ENTRY(orbit) ENTRY(orbit_grad) ENTRY(orbit_grad_forward) ENTRY(iir) ENTRY(iir_strips) ENTRY(iir_x) ENTRY(iir_x_strips)
};

kernel *FIND(const char *name) { return find_in(all, sizeof all / sizeof *all, name); }
