// The program of rust-debug.test and rust-release.test.

use std::collections::BTreeMap;

extern "C" {
    fn __verso_grad(f: *const u8, ...);
    static verso_dup: i32;
    static verso_const: i32;
}

/// Sum of sin(x^2), the long way.
pub extern "C" fn energy(x: *const f64, n: usize) -> f64 {
    let s = unsafe { std::slice::from_raw_parts(x, n) };
    let squares: Vec<f64> = s.iter().map(|a| a * a).collect();
    let mut map = BTreeMap::new();
    for (i, a) in squares.iter().enumerate() {
        map.insert(i, *a);
    }
    map.values().map(|a| a.sin()).sum()
}

fn main() {
    let x = [1.0f64, 2.0, 3.0];
    let mut d = [0.0f64; 3];
    unsafe {
        __verso_grad(
            energy as *const u8,
            verso_dup,
            x.as_ptr(),
            d.as_mut_ptr(),
            verso_const,
            x.len(),
        );
    }
    for i in 0..3 {
        let expected = 2.0 * x[i] * (x[i] * x[i]).cos();
        assert!((d[i] - expected).abs() < 1e-12, "{} {}", d[i], expected);
    }
}
