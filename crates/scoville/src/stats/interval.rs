//! A confidence interval.

/// A closed interval with the confidence that its method reached, which exact methods on few observations cannot choose
/// freely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability that such an interval covers the truth, 0 to 1.
    pub confidence: f64,
}

impl Interval {
    /// Half of its width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Both ends through `exp`: an interval of logarithms becomes one of ratios.
    pub fn exp(self) -> Interval {
        Interval {
            low: self.low.exp(),
            high: self.high.exp(),
            ..self
        }
    }
}
