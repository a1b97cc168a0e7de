//! Code that uses the CPU's vector instructions, each with a plain equivalent for other CPUs.

#[cfg(target_arch = "x86_64")]
pub mod blocks;
pub mod dispatch;
pub mod find;
