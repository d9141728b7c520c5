//! Quorums of Maekawa's algorithm: rows and columns of a square, or lines of a projective plane.

use lockstep_kernel::NodeId;

/// Perfect difference sets: every difference mod k² + k + 1 occurs exactly once, so any two lines
/// share exactly one node.
const PLANES: &[&[usize]] = &[&[0, 1], &[0, 1, 3], &[0, 1, 3, 9], &[0, 1, 4, 14, 16], &[0, 1, 3, 8, 12, 18]];

/// The quorum of each of `n` nodes.
pub fn quorums(n: usize, plane: bool) -> Vec<Vec<NodeId>> {
    let side = (1..).find(|s| s * s >= n).unwrap_or(1);
    let meet = |i: usize, j: usize| i / side == j / side || i % side == j % side;
    let line = line(n).filter(|_| plane);
    let in_quorum = |i, j| line.map_or_else(|| meet(i, j), |set| set.contains(&((j + n - i) % n)));
    (0..n).map(|i| (0..n).filter(|j| in_quorum(i, *j)).map(|j| NodeId(j as u32)).collect()).collect()
}

/// A line of the projective plane with `n` points, where there is one here.
fn line(n: usize) -> Option<&'static [usize]> {
    PLANES.iter().copied().find(|set| set.len() * (set.len() - 1) + 1 == n)
}

/// Why a kind of quorum means nothing for `n` nodes.
pub fn refused(n: usize, quorums: &str) -> Option<(&'static str, String)> {
    let refused = quorums == "plane" && line(n).is_none();
    refused.then(|| {
        let expected = "grid, or 3, 7, 13, 21 or 31 nodes";
        ("quorums", format!("`plane` is not allowed with {n} nodes; expected {expected}."))
    })
}
