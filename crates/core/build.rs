//! Sets `simd_x86` where the vector code for x86-64 is compiled; without it, only its portable equals are.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(simd_x86)");
    let portable = var("CARGO_FEATURE_PORTABLE").is_ok();
    if !portable && var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        println!("cargo::rustc-cfg=simd_x86");
    }
}
