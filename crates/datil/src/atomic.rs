//! Atomics: the standard library's, a model checker's (`crate::model`), or with the feature `count-atomics` ones that count the expensive operations.
//!
//! Expensive are read-modify-write operations and sequentially consistent fences, some 20 cycles each; loads and (weaker) stores cost
//! what plain ones cost. Locks are not counted.

#[cfg(not(any(shuttle, feature = "count-atomics")))]
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

#[cfg(shuttle)]
pub(crate) use crate::model::atomic::{
    AtomicBool, AtomicPtr, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence,
};
#[cfg(all(feature = "count-atomics", not(shuttle)))]
pub(crate) use counting::{AtomicBool, AtomicPtr, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, fence};
#[cfg(any(shuttle, feature = "count-atomics"))]
pub(crate) use std::sync::atomic::Ordering;

#[cfg(feature = "count-atomics")]
pub(crate) mod counting {
    use std::sync::atomic as real;
    use std::sync::atomic::Ordering::{self, Relaxed, SeqCst};

    static EXCHANGES: real::AtomicU64 = real::AtomicU64::new(0);
    static FENCES: real::AtomicU64 = real::AtomicU64::new(0);

    /// What all threads of the process have done so far.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AtomicsCount {
        /// Read-modify-write operations, also those that failed.
        pub exchanges: u64,
        /// Sequentially consistent fences and stores.
        pub fences: u64,
    }

    /// Reads the counts of the whole process; see the crate's feature `count-atomics`.
    pub fn count() -> AtomicsCount {
        AtomicsCount {
            exchanges: EXCHANGES.load(Relaxed),
            fences: FENCES.load(Relaxed),
        }
    }

    pub(crate) fn fence(order: Ordering) {
        if order == SeqCst {
            FENCES.fetch_add(1, Relaxed);
        }
        real::fence(order);
    }

    fn exchange() {
        EXCHANGES.fetch_add(1, Relaxed);
    }

    macro_rules! counted {
        ($name:ident $(<$t:ident>)?, $value:ty) => {
            #[derive(Debug)]
            #[repr(transparent)]
            pub(crate) struct $name $(<$t>)?(real::$name $(<$t>)?);

            impl $(<$t>)? $name $(<$t>)? {
                pub(crate) const fn new(value: $value) -> Self {
                    Self(real::$name::new(value))
                }

                pub(crate) fn load(&self, order: Ordering) -> $value {
                    self.0.load(order)
                }

                pub(crate) fn store(&self, value: $value, order: Ordering) {
                    if order == SeqCst {
                        FENCES.fetch_add(1, Relaxed);
                    }
                    self.0.store(value, order);
                }

                #[allow(dead_code, reason = "not every type is used with every operation")]
                pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                    exchange();
                    self.0.swap(value, order)
                }

                #[allow(dead_code, reason = "not every type is used with every operation")]
                pub(crate) fn compare_exchange(
                    &self,
                    current: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    exchange();
                    self.0.compare_exchange(current, new, success, failure)
                }

                #[allow(dead_code, reason = "not every type is used with every operation")]
                pub(crate) fn compare_exchange_weak(
                    &self,
                    current: $value,
                    new: $value,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$value, $value> {
                    exchange();
                    self.0.compare_exchange_weak(current, new, success, failure)
                }
            }
        };
    }

    macro_rules! counted_number {
        ($name:ident, $value:ty) => {
            counted!($name, $value);

            impl Default for $name {
                fn default() -> Self {
                    Self::new(0)
                }
            }

            #[allow(dead_code, reason = "not every type is used with every operation")]
            impl $name {
                pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                    exchange();
                    self.0.fetch_add(value, order)
                }

                pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                    exchange();
                    self.0.fetch_sub(value, order)
                }

                pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                    exchange();
                    self.0.fetch_or(value, order)
                }

                pub(crate) fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                    exchange();
                    self.0.fetch_and(value, order)
                }

                pub(crate) const fn as_ptr(&self) -> *mut $value {
                    self.0.as_ptr()
                }
            }
        };
    }

    counted!(AtomicBool, bool);

    impl Default for AtomicBool {
        fn default() -> Self {
            Self::new(false)
        }
    }

    counted!(AtomicPtr<T>, *mut T);
    counted_number!(AtomicU16, u16);
    counted_number!(AtomicU32, u32);
    counted_number!(AtomicU64, u64);
    counted_number!(AtomicUsize, usize);
}
