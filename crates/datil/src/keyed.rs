//! A list whose items are found by a key: by looking at all of them as long as they are few, as they mostly are, and through a table beyond that.
//!
//! The order is that of the calls alone (not of hashes or addresses), so that what a simulation does with one is the same in each run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash};

/// Items that are looked at one by one.
const FEW: usize = 16;

/// Something with a key.
pub(crate) trait Keyed {
    type Key: Copy + Eq + Hash;

    fn key(&self) -> Self::Key;
}

pub(crate) struct KeyedList<T: Keyed> {
    items: Vec<T>,
    /// Where each item is; none as long as they are few.
    places: Option<Box<Places<T::Key>>>,
}

type Places<K> = HashMap<K, usize, BuildHasherDefault<DefaultHasher>>;

impl<T: Keyed> Default for KeyedList<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            places: None,
        }
    }
}

impl<T: Keyed> KeyedList<T> {
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn place(&self, key: T::Key) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(&key).copied(),
            None => self.items.iter().position(|item| item.key() == key),
        }
    }

    pub(crate) fn contains(&self, key: T::Key) -> bool {
        self.place(key).is_some()
    }

    /// Adds an item whose key is new.
    pub(crate) fn push(&mut self, item: T) {
        if let Some(places) = &mut self.places {
            places.insert(item.key(), self.items.len());
        }
        self.items.push(item);
        if self.places.is_none() && self.items.len() > FEW {
            self.note_places();
        }
    }

    /// As [`KeyedList::push`]. Before the list grows it drops those that are gone, so that they take no place for ever; they come back.
    pub(crate) fn push_and_prune(&mut self, item: T, gone: impl FnMut(&mut T) -> bool) -> Vec<T> {
        let mut pruned = Vec::new();
        if self.items.len() == self.items.capacity() {
            pruned.extend(self.items.extract_if(.., gone));
            self.note_places();
            if self.items.len() > self.items.capacity() / 2 {
                // Or the few that have gone would soon be looked for again, among all.
                self.items.reserve(self.items.len());
            }
        }
        self.push(item);
        pruned
    }

    /// Takes an item out; the last one comes to its place.
    pub(crate) fn remove(&mut self, key: T::Key) -> Option<T> {
        let place = self.place(key)?;
        let item = self.items.swap_remove(place);
        if let Some(places) = &mut self.places {
            places.remove(&key);
            if let Some(moved) = self.items.get(place) {
                places.insert(moved.key(), place);
            }
        }
        self.shrink();
        Some(item)
    }

    /// Gives memory back if the list was much longer.
    fn shrink(&mut self) {
        let room = self.items.capacity();
        if self.items.len() < room / 4 {
            self.items.shrink_to(room / 2);
            self.note_places();
        }
    }

    /// Makes the table anew, or none if the items are few.
    fn note_places(&mut self) {
        let places = || self.items.iter().enumerate().map(|(at, item)| (item.key(), at));
        self.places = (self.items.len() > FEW).then(|| Box::new(places().collect()));
    }
}

impl<T: Keyed> IntoIterator for KeyedList<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use proptest::prelude::*;

    use super::*;

    thread_local! {
        static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts how often it is looked at.
    #[derive(Clone, Copy, Debug)]
    struct Number(u32);

    fn look() {
        LOOKS.set(LOOKS.get() + 1);
    }

    impl PartialEq for Number {
        fn eq(&self, other: &Self) -> bool {
            look();
            self.0 == other.0
        }
    }

    impl Eq for Number {}

    impl Hash for Number {
        fn hash<H: Hasher>(&self, state: &mut H) {
            look();
            self.0.hash(state);
        }
    }

    impl Keyed for Number {
        type Key = Self;

        fn key(&self) -> Self {
            *self
        }
    }

    /// Looks that it takes to fill a list of so many, asking for each before, and to empty it from either end.
    fn looks(count: u32, backwards: bool) -> usize {
        let before = LOOKS.get();
        let mut list = KeyedList::default();
        for n in 0..count {
            assert!(!list.contains(Number(n)));
            assert!(list.push_and_prune(Number(n), |_| false).is_empty());
        }
        for n in 0..count {
            let n = if backwards { count - 1 - n } else { n };
            assert_eq!(list.remove(Number(n)).map(|found| found.0), Some(n));
        }
        assert!(list.is_empty() && list.items.capacity() <= FEW);
        LOOKS.get() - before
    }

    #[test]
    fn a_long_list_takes_as_many_looks_for_each_as_a_short_one() {
        for backwards in [false, true] {
            let most = 2 * FEW * 1000;
            let looks = looks(1000, backwards);
            assert!(looks < most, "{looks} looks, backwards: {backwards}");
        }
    }

    #[test]
    fn the_gone_take_no_place_and_are_not_looked_for_each_time() {
        let mut list = KeyedList::default();
        let (live, pushed) = (100, 10_000);
        let mut asked = 0;
        for n in 0..pushed {
            // Each goes before the next one comes, but for the first ones.
            list.push_and_prune(Number(n), |item| {
                asked += 1;
                item.0 >= live
            });
            assert!(list.len() <= 3 * live as usize, "{} are kept of {n}", list.len());
        }
        assert!(asked < 4 * pushed, "asked {asked} times");
    }

    proptest! {
        #[test]
        fn holds_what_a_plain_list_holds(steps in prop::collection::vec((0u8..8, 0u32..60), 1..400)) {
            let mut list = KeyedList::default();
            let mut plain: Vec<u32> = Vec::new();
            for (step, n) in steps {
                match step {
                    0..5 if plain.contains(&n) => prop_assert!(list.contains(Number(n))),
                    0..5 => {
                        let pruned = list.push_and_prune(Number(n), |item| item.0 % 7 == 0);
                        for gone in &pruned {
                            prop_assert!(gone.0 % 7 == 0);
                            plain.retain(|&other| other != gone.0);
                        }
                        plain.push(n);
                    }
                    _ => {
                        let place = plain.iter().position(|&other| other == n);
                        let expected = place.map(|place| plain.swap_remove(place));
                        prop_assert_eq!(list.remove(Number(n)).map(|item| item.0), expected);
                    }
                }
                prop_assert_eq!(list.len(), plain.len());
                prop_assert_eq!(list.places.is_some() || plain.len() <= FEW, true);
                prop_assert!(plain.iter().all(|&n| list.contains(Number(n))));
            }
            prop_assert_eq!(list.into_iter().map(|item| item.0).collect::<Vec<_>>(), plain);
        }
    }
}
