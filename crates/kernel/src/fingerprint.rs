//! A portable 64-bit digest of states.

use std::hash::Hasher;

/// MurmurHash3's mixing, word by word. `usize` is hashed as 64 bits, so 32-bit wasm and 64-bit
/// native agree.
#[derive(Clone, Copy, Default)]
pub struct Fingerprint(u64);

impl Hasher for Fingerprint {
    #[inline]
    fn write_u64(&mut self, word: u64) {
        let word = word.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31).wrapping_mul(0x4cf5_ad43_2745_937f);
        self.0 = (self.0 ^ word).rotate_left(27).wrapping_mul(5).wrapping_add(0x52dc_e729);
    }
    #[inline]
    fn write_u8(&mut self, i: u8) {
        self.write_u64(u64::from(i));
    }
    #[inline]
    fn write_u16(&mut self, i: u16) {
        self.write_u64(u64::from(i));
    }
    #[inline]
    fn write_u32(&mut self, i: u32) {
        self.write_u64(u64::from(i));
    }
    #[inline]
    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }
    // names of nodes and of threads: see `explore::symmetry`
    #[inline]
    fn write_i32(&mut self, node: i32) {
        self.write_u64(u64::from(node as u32));
    }
    #[inline]
    fn write_i64(&mut self, thread: i64) {
        self.write_u64(thread as u64);
    }
    // the tag of an enum is hashed as an isize, which is narrower on wasm
    #[inline]
    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as i64 as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn finish(&self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        z = (z ^ (z >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        z ^ (z >> 33)
    }
}
