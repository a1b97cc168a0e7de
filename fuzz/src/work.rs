//! A counter of work, so that an input that takes more than linear time is a failure like a crash.
//!
//! `fuzz/run` builds everything with LLVM's callbacks for loads and stores; here they count. What the standard
//! library copies is not built that way, so bytes that are allocated count too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static WORK: AtomicU64 = AtomicU64::new(0);

/// A load or store of eight bytes is as much work as one of one byte. LLVM leaves functions whose names begin with
/// `__sanitizer_` alone, so these do not count themselves.
macro_rules! count_accesses {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name(_: *const u8) {
            WORK.fetch_add(1, Relaxed);
        }
    )* };
}

count_accesses! {
    __sanitizer_cov_load1 __sanitizer_cov_load2 __sanitizer_cov_load4 __sanitizer_cov_load8 __sanitizer_cov_load16
    __sanitizer_cov_store1 __sanitizer_cov_store2 __sanitizer_cov_store4 __sanitizer_cov_store8
    __sanitizer_cov_store16
}

struct CountedBytes;

/// Eight bytes of memory are one access.
fn count_bytes(size: usize) {
    WORK.fetch_add(size as u64 / 8 + 1, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for CountedBytes {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_bytes(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_bytes(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountedBytes = CountedBytes;

/// What a call takes.
pub fn work(call: impl FnOnce()) -> u64 {
    let before = WORK.load(Relaxed);
    call();
    WORK.load(Relaxed) - before
}

/// The input is repeated up to these sizes: tables that are filled once, and buffers that grow, weigh little there.
const SIZES: [usize; 2] = [1 << 13, 1 << 15];
/// Repeating is slow, so it is done for one input in so many, chosen by what is in it: a finding fails each time.
const REPEATED: u64 = 128;
/// Beside the input: what a fresh buffer or a table costs.
const FIXED_WORK: u64 = 1 << 20;
/// A page's byte is looked at by some ten passes; a phrase that begins there goes into 84 minima.
const WORK_PER_BYTE: u64 = 2_000;
/// What a longer input may cost beside its share: a second pass, as ssdeep's over repetitive text.
const SECOND_PASS: u64 = 128;

/// The kernel's work is in proportion to its input, and stays so when the input is repeated.
pub fn assert_linear(input: &[u8], kernel: impl Fn(&[u8])) {
    static COUNTER_WORKS: Once = Once::new();
    COUNTER_WORKS.call_once(|| assert!(growth_beyond_linear(b"any bytes", every_pair).is_some(), "nothing is counted"));
    let once = work(|| kernel(input));
    assert!(once <= FIXED_WORK + WORK_PER_BYTE * input.len() as u64, "work {once} for {} bytes", input.len());
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    if !input.is_empty() && hasher.finish().is_multiple_of(REPEATED) {
        assert_eq!(growth_beyond_linear(input, kernel), None);
    }
}

/// The work for the input repeated to each of the sizes, if it grows faster than they do.
fn growth_beyond_linear(input: &[u8], kernel: impl Fn(&[u8])) -> Option<[u64; 2]> {
    let times = SIZES.map(|size| size.div_ceil(input.len()));
    let found = times.map(|times| {
        let repeated = input.repeat(times);
        work(|| kernel(&repeated))
    });
    let share = (times[1] as f64 / times[0] as f64).powf(1.15) * found[0] as f64;
    let spare = FIXED_WORK + SECOND_PASS * (times[1] * input.len()) as u64;
    (found[1] as f64 > share + spare as f64).then_some(found)
}

/// A kernel as none may be: it looks at the whole input again and again.
fn every_pair(bytes: &[u8]) {
    for byte in bytes.iter().step_by(128) {
        black_box(bytes.iter().filter(|&other| black_box(other) == byte).count());
    }
}
