use tensor_rt::tensor;

tensor! {
    extern fn step<n>(x: [f64; n]) -> [f64; n] { vjp = step_vjp }
    fn f<n>(x: [f64; n]) -> [f64; n] { fold t in 0..9 from s = x { step(s) } }
    fn df = vjp(f);
}

fn main() {}
