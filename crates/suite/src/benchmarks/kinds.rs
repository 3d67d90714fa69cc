//! Kinds of messages as types of their own, for [`Context::tell_kind`](crate::library::Context::tell_kind).

/// Makes types of their own out of variants without fields, for kinds that are sent often.
macro_rules! kinds {
    ($($kind:ident),+ of $message:ident) => {
        $(
            #[doc = concat!("[`", stringify!($message), "::", stringify!($kind), "`] as a type of its own.")]
            struct $kind;

            impl From<$kind> for $message {
                #[inline(always)]
                fn from(_: $kind) -> Self {
                    Self::$kind
                }
            }
        )+
    };
    ($($kind:ident),+ of $message:ident<L>) => {
        $(
            #[doc = concat!("[`", stringify!($message), "::", stringify!($kind), "`] as a type of its own.")]
            struct $kind;

            impl<L: crate::library::ActorLibrary> From<$kind> for $message<L> {
                #[inline(always)]
                fn from(_: $kind) -> Self {
                    Self::$kind
                }
            }
        )+
    };
}

pub(super) use kinds;
