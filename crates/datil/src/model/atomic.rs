//! Atomics for a model checker, with size, alignment and initial values of the standard library's.

use std::sync::atomic as real;
use std::sync::atomic::Ordering;

#[cfg(shuttle)]
pub(crate) fn fence(_: Ordering) {
    super::checker::point();
}

#[cfg(shuttle)]
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

#[cfg(loom)]
pub(crate) use loom::sync::atomic::fence;

/// What fits into a word of the table.
#[cfg(loom)]
pub(super) trait Word: Copy {
    fn pack(self) -> u64;
    fn unpack(word: u64) -> Self;
}

#[cfg(loom)]
macro_rules! word {
    ($($value:ty),*) => {
        $(impl Word for $value {
            fn pack(self) -> u64 {
                self as u64
            }

            fn unpack(word: u64) -> Self {
                word as $value
            }
        })*
    };
}

#[cfg(loom)]
word!(u16, u32, u64, usize);

#[cfg(loom)]
impl Word for bool {
    fn pack(self) -> u64 {
        u64::from(self)
    }

    fn unpack(word: u64) -> Self {
        word != 0
    }
}

#[cfg(loom)]
impl<T> Word for *mut T {
    fn pack(self) -> u64 {
        self.expose_provenance() as u64
    }

    fn unpack(word: u64) -> Self {
        std::ptr::with_exposed_provenance_mut(word as usize)
    }
}

#[cfg(loom)]
macro_rules! modelled {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        /// Its own memory keeps the first value; the others are in the table.
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name $(<$t>)?(real::$name $(<$t>)?);

        impl $(<$t>)? Drop for $name $(<$t>)? {
            fn drop(&mut self) {
                super::checker::forget_atomic((&raw const self.0).addr());
            }
        }

        #[allow(dead_code, reason = "not every type is used with every operation")]
        impl $(<$t>)? $name $(<$t>)? {
            pub(crate) const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            fn shadow(&self) -> std::rc::Rc<loom::sync::atomic::AtomicU64> {
                let first = || self.0.load(Ordering::Relaxed).pack();
                super::checker::atomic((&raw const self.0).addr(), first)
            }

            pub(crate) fn address(&self) -> usize {
                (&raw const self.0).addr()
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                <$value>::unpack(self.shadow().load(order))
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.shadow().store(value.pack(), order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                <$value>::unpack(self.shadow().swap(value.pack(), order))
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.shadow()
                    .compare_exchange(current.pack(), new.pack(), success, failure)
                    .map(<$value>::unpack)
                    .map_err(<$value>::unpack)
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

#[cfg(loom)]
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
            // Sums wrap in the table's words, and so in their lower bits.
            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                <$value>::unpack(self.shadow().fetch_add(value.pack(), order))
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                <$value>::unpack(self.shadow().fetch_sub(value.pack(), order))
            }

            pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                <$value>::unpack(self.shadow().fetch_or(value.pack(), order))
            }

            pub(crate) fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                // The table's words are wider; their upper bits are zero.
                <$value>::unpack(self.shadow().fetch_and(value.pack(), order))
            }
        }
    };
}

#[cfg(shuttle)]
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
modelled!(AtomicPtr<T>, *mut T);
modelled_number!(AtomicU16, u16);
modelled_number!(AtomicU32, u32);
modelled_number!(AtomicU64, u64);
modelled_number!(AtomicUsize, usize);
