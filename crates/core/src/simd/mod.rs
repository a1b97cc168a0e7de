//! Code that uses the CPU's vector instructions, each with a plain equivalent for other CPUs.
//!
//! `simd_x86` (build.rs) says whether it is compiled: on x86-64, unless the feature `portable` forbids it.

#[cfg(simd_x86)]
pub mod blocks;
pub mod dispatch;
pub mod find;
