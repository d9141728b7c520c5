//! Prints the results of the native core, with which `tests/node/equal.mjs` and the browser tests
//! compare theirs.

fn main() {
    println!("{}", lockstep_probe::answers());
}
