//! Bundle adjustment with ADBench's camera.

use tensor_rt::tensor;

tensor! {
    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
    /// Rodrigues' formula, to first order where there is no rotation.
    fn rotate(r: [f64; 3], x: [f64; 3]) -> [f64; 3] {
        let t2 = sum c in 0..3 { r[c].powi(2) };
        let t = t2.sqrt();
        let w = for c in 0..3 { r[c] / t };
        let wx = cross(w, x);
        let dot = sum c in 0..3 { w[c] * x[c] };
        if t2 > 0.0 {
            for c in 0..3 { x[c] * t.cos() + wx[c] * t.sin() + w[c] * dot * (1.0 - t.cos()) }
        } else {
            let rx = cross(r, x);
            for c in 0..3 { x[c] + rx[c] }
        }
    }
    /// A camera is a rotation vector, a centre, a focal length, a principal point and two radial distortions.
    fn project(cam: [f64; 11], x: [f64; 3]) -> [f64; 2] {
        let y = for c in 0..3 { x[c] - cam[3 + c] };
        let p = rotate(for c in 0..3 { cam[c] }, y);
        let u = p[0] / p[2];
        let v = p[1] / p[2];
        let r2 = u * u + v * v;
        let l = 1.0 + cam[9] * r2 + cam[10] * r2 * r2;
        [cam[6] * u * l + cam[7], cam[6] * v * l + cam[8]]
    }
    /// Reprojection errors of n observations, each with a camera, a point and a weight of its own.
    pub fn residual<n>(cam: [f64; n, 11], x: [f64; n, 3], w: [f64; n], feature: [f64; n, 2]) -> [f64; n, 2] {
        for i in 0..n, c in 0..2 {
            let p = project(cam[i], x[i]);
            w[i] * (p[c] - feature[i, c])
        }
    }
    fn energy<n>(cam: [f64; n, 11], x: [f64; n, 3], w: [f64; n], feature: [f64; n, 2]) -> f64 {
        let r = residual(cam, x, w, feature);
        0.5 * sum i, c { r[i, c].powi(2) }
    }
    /// Half the sum of their squares, and its gradient by all parameters.
    pub fn energy_grad = value_and_grad(energy, cam, x, w);
    /// Its gradient by cameras and points, and the Hessian times a direction.
    pub fn energy_hvp = hvp(energy, cam, x);
}
