//! Prints the answers of the native core, for `tests/node/equal.mjs` and the browser tests to compare with.

fn main() {
    println!("{}", lockstep_probe::answers());
}
