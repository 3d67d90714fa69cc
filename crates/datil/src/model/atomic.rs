//! Atomics for a model checker, with size, alignment and initial values of the standard library's.

use std::sync::atomic as real;
use std::sync::atomic::Ordering;

pub(crate) fn fence(_: Ordering) {
    super::checker::point();
}

macro_rules! modelled {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name $(<$t>)?(real::$name $(<$t>)?);

        #[allow(dead_code, reason = "not every type is used with every operation")]
        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            /// The value, looked at by the model itself and not by what it models.
            pub(crate) fn peek(&self) -> $value {
                self.0.load(Ordering::SeqCst)
            }

            pub(crate) fn address(&self) -> usize {
                (&raw const self.0).addr()
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                super::checker::point();
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                super::checker::point();
                self.0.store(value, order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                super::checker::point();
                self.0.swap(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                super::checker::point();
                self.0.compare_exchange(current, new, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }
        }
    };
}

macro_rules! modelled_number {
    ($name:ident, $value:ty) => {
        modelled!($name, $value);

        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        #[allow(dead_code, reason = "not every type is used with every operation")]
        impl $name {
            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                super::checker::point();
                self.0.fetch_add(value, order)
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                super::checker::point();
                self.0.fetch_sub(value, order)
            }

            pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                super::checker::point();
                self.0.fetch_or(value, order)
            }

            pub(crate) fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                super::checker::point();
                self.0.fetch_and(value, order)
            }
        }
    };
}

modelled!(AtomicBool, bool);

impl Default for AtomicBool {
    fn default() -> Self {
        Self::new(false)
    }
}

modelled!(AtomicPtr<T>, *mut T);
modelled_number!(AtomicU16, u16);
modelled_number!(AtomicU32, u32);
modelled_number!(AtomicU64, u64);
modelled_number!(AtomicUsize, usize);
