//! One function, compiled twice: for any CPU, and for those with AVX2. Both give the same results.

/// Defines a function whose plain loops the compiler may also turn into AVX2 instructions, used where the CPU has them.
macro_rules! with_avx2 {
    ($(#[$doc:meta])* $visible:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        $visible fn $name($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn plain($($arg: $type),*) $(-> $out)? $body

            #[cfg(simd_x86)]
            {
                #[target_feature(enable = "avx2,popcnt")]
                #[allow(clippy::too_many_arguments)]
                fn avx2($($arg: $type),*) $(-> $out)? {
                    plain($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
                    // SAFETY: the CPU has what the function was compiled for.
                    return unsafe { avx2($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}

pub(crate) use with_avx2;
