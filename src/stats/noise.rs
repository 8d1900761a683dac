//! Noise for simulations, the same to the bit on every machine.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use super::indices::generator;

/// An endless stream of standard normal numbers (Box & Muller 1958, Annals of Mathematical Statistics 29:610–611).
pub(super) struct Noise {
    generator: Pcg64,
    spare: Option<f64>,
}

impl Noise {
    /// The stream of `seed` and `length`: simulations of different lengths are independent.
    pub(super) fn new(seed: u64, length: usize) -> Self {
        Self { generator: generator(seed, length as u64), spare: None }
    }

    /// The next number.
    pub(super) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * self.uniform());
        self.spare = Some(radius * sine);
        radius * cosine
    }

    /// Above 0 and at most 1.
    fn uniform(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits and one more number fit")]
        let above = ((self.generator.next_u64() >> 11) + 1) as f64;
        libm::ldexp(above, -53)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_normal() {
        let mut noise = Noise::new(7, 20);
        let numbers: Vec<f64> = (0..40_000).map(|_| noise.normal()).collect();
        let moment = |power: i32| numbers.iter().map(|z| z.powi(power)).sum::<f64>() / 40_000.0;
        // Four standard errors of each moment.
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.03, "{} {}", moment(1), moment(2));
        assert!(moment(3).abs() < 0.08 && (moment(4) - 3.0).abs() < 0.2, "{} {}", moment(3), moment(4));
        let mut again = Noise::new(7, 20);
        assert!(numbers.iter().all(|z| z.to_bits() == again.normal().to_bits()));
        assert_ne!(Noise::new(8, 20).normal().to_bits(), numbers[0].to_bits());
    }
}
