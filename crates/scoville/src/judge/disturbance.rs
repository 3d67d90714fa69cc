//! How much of what a number rests on was disturbed. The number stays what it is; from half on it is shown with a mark.
//!
//! Why half: fewer disturbed blocks leave a majority of undisturbed ones, and the ratio over those stands beside the
//! ratio over all, to be compared with. From half on the undisturbed ones are no majority any more, so no median over all
//! of them need be that of an undisturbed machine; and where every block is disturbed there is no other ratio to look at.
//! A block counts as soon as either of its invocations was disturbed: it gives one ratio, and that has both in it.

use std::collections::BTreeSet;

use crate::model::analysis::{Disturbance, Sensor};

/// Of observations, each with the sensors that fired at it.
pub(super) fn of(observations: impl Iterator<Item = BTreeSet<Sensor>>) -> Disturbance {
    let mut all = Disturbance::default();
    for fired in observations {
        all.of += 1;
        all.disturbed += u32::from(!fired.is_empty());
        for sensor in fired {
            *all.sensors.entry(sensor).or_default() += 1;
        }
    }
    judged(all)
}

/// Of everything that several numbers rest on, taken together.
pub(super) fn sum<'a>(parts: impl Iterator<Item = &'a Disturbance>) -> Disturbance {
    let mut all = Disturbance::default();
    for part in parts {
        all.of += part.of;
        all.disturbed += part.disturbed;
        for (sensor, count) in &part.sensors {
            *all.sensors.entry(*sensor).or_default() += count;
        }
    }
    judged(all)
}

/// The one with the larger share: a quotient of two numbers is no better than the worse of them.
pub(super) fn worse<'a>(a: &'a Disturbance, b: &'a Disturbance) -> &'a Disturbance {
    let times = |x: u32, y: u32| u64::from(x) * u64::from(y);
    if times(a.disturbed, b.of) >= times(b.disturbed, a.of) {
        a
    } else {
        b
    }
}

fn judged(counts: Disturbance) -> Disturbance {
    Disturbance {
        mostly: counts.disturbed > 0 && 2 * counts.disturbed >= counts.of,
        ..counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many observations of which so many were disturbed, by steal.
    fn share(disturbed: u32, of: u32) -> Disturbance {
        let fired = |i| (i < disturbed).then_some(Sensor::Steal).into_iter().collect();
        super::of((0..of).map(fired))
    }

    #[test]
    fn half_is_most_and_less_is_not() {
        for (disturbed, of, mostly) in [
            (0, 0, false),
            (0, 1, false),
            (1, 1, true),
            (1, 2, true),
            (1, 3, false),
            (2, 3, true),
            (5, 11, false),
            (6, 11, true),
            (5, 12, false),
            (6, 12, true),
            (12, 12, true),
        ] {
            let share = share(disturbed, of);
            assert_eq!((share.disturbed, share.of), (disturbed, of));
            assert_eq!(share.mostly, mostly, "{disturbed} of {of}");
        }
    }

    #[test]
    fn several_sensors_at_one_observation_disturb_it_once() {
        let fired = [vec![Sensor::Steal, Sensor::Foreign], vec![Sensor::Steal], vec![]];
        let all = of(fired.into_iter().map(BTreeSet::from_iter));
        assert_eq!((all.disturbed, all.of), (2, 3));
        assert_eq!(all.sensors, [(Sensor::Steal, 2), (Sensor::Foreign, 1)].into());
    }

    #[test]
    fn parts_add_up_before_they_are_judged() {
        let parts = [share(6, 12), share(0, 12)];
        let all = sum(parts.iter());
        assert_eq!((all.disturbed, all.of, all.mostly), (6, 24, false));
        assert_eq!(all.sensors, [(Sensor::Steal, 6)].into());
        assert!(!sum([].into_iter()).mostly);
    }

    #[test]
    fn the_worse_of_two_has_the_larger_share() {
        let (few, many) = (share(3, 4), share(5, 10));
        assert_eq!(worse(&few, &many), &few);
        assert_eq!(worse(&many, &few), &few);
    }
}
