//! Random numbers: one seed, a named stream for each purpose, the same bits on every machine.
//!
//! A change in one place (one more message, one more thread) does not shift the numbers of another,
//! so two algorithms under one seed meet the same workload.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use std::sync::OnceLock;

/// What a stream is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Times between the requests of a node or thread.
    Arrival = 1,
    /// Which idle thread of a node requests.
    Pick = 2,
    /// Message delays.
    Delay = 3,
    /// Lengths of critical sections.
    Section = 4,
    /// Which cells a thread requests.
    Cells = 5,
}

/// A stream of random numbers. Sixteen bytes, so that each node can have its own.
#[derive(Clone, Debug)]
pub struct Stream(Pcg32);

impl Stream {
    /// The stream of a purpose; `who` is the node or thread where each has its own.
    pub fn new(seed: u64, purpose: Purpose, who: u32) -> Self {
        let name = (purpose as u64) << 32 | u64::from(who);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&mix(seed ^ mix(name)).to_le_bytes());
        bytes[8..].copy_from_slice(&mix(name).to_le_bytes());
        Stream(Pcg32::from_seed(bytes))
    }

    /// 32 random bits.
    #[inline]
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Uniform in [0, 1), in steps of 2⁻³².
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        f64::from(self.bits()) * (1.0 / 4_294_967_296.0)
    }

    /// Uniform in 0..n.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// Exponential with mean 1, by the ziggurat of Marsaglia and Tsang: one table look-up and one
    /// multiplication, nearly always.
    #[inline]
    pub fn exponential(&mut self, table: &Ziggurat) -> f64 {
        loop {
            let bits = self.0.next_u64();
            let layer = (bits & 0xff) as usize;
            let u = (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0);
            let x = u * table.x[layer];
            if x < table.x[layer + 1] {
                return x;
            }
            if let Some(x) = self.edge(table, layer, x) {
                return x;
            }
        }
    }

    #[cold]
    fn edge(&mut self, table: &Ziggurat, layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            return Some(TAIL - libm::log(1.0 - self.uniform()));
        }
        let y = table.y[layer + 1] + (table.y[layer] - table.y[layer + 1]) * self.uniform();
        (y < libm::exp(-x)).then_some(x)
    }
}

const LAYERS: usize = 256;
const TAIL: f64 = 7.697_117_470_131_05;
const AREA: f64 = 0.003_949_659_822_581_557;

/// Layers of equal area under e⁻ˣ.
pub struct Ziggurat {
    x: [f64; LAYERS + 1],
    y: [f64; LAYERS + 1],
}

/// The table of [`Stream::exponential`], computed once with portable mathematics.
pub fn ziggurat() -> &'static Ziggurat {
    static TABLE: OnceLock<Ziggurat> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut x = [0.0; LAYERS + 1];
        x[0] = AREA / libm::exp(-TAIL);
        x[1] = TAIL;
        for i in 2..LAYERS {
            x[i] = -libm::log(libm::exp(-x[i - 1]) + AREA / x[i - 1]);
        }
        x[LAYERS] = 0.0;
        let y = x.map(|x| libm::exp(-x));
        Ziggurat { x, y }
    })
}

/// SplitMix64's finaliser: spreads seeds that differ in one bit over all bits.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_has_its_moments_and_its_tail() {
        let (table, n) = (ziggurat(), 2_000_000);
        let mut stream = Stream::new(1, Purpose::Arrival, 0);
        let (mut sum, mut squares, mut over_three, mut over_nine) = (0.0, 0.0, 0, 0);
        for _ in 0..n {
            let x = stream.exponential(table);
            sum += x;
            squares += x * x;
            over_three += u32::from(x > 3.0);
            over_nine += u32::from(x > 9.0);
        }
        let n = f64::from(n);
        assert!((sum / n - 1.0).abs() < 0.003, "mean {}", sum / n);
        assert!((squares / n - 2.0).abs() < 0.02, "second moment {}", squares / n);
        assert!((f64::from(over_three) / n / libm::exp(-3.0) - 1.0).abs() < 0.02);
        assert!((f64::from(over_nine) / n / libm::exp(-9.0) - 1.0).abs() < 0.25);
    }

    #[test]
    fn streams_are_the_same_everywhere_and_differ_by_name() {
        let first = |p, who| Stream::new(7, p, who).bits();
        assert_eq!(
            [first(Purpose::Arrival, 0), first(Purpose::Arrival, 1), first(Purpose::Delay, 0)],
            [2_814_374_256, 1_983_211_715, 3_180_710_604]
        );
    }
}
