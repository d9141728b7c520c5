//! Where the cards stand. Only the initial pointers count, so that a node keeps its place through the whole run.

use crate::geometry::Rect;
use lockstep_kernel::NodeId;

/// The space there is for a drawing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Pixels from left to right.
    pub width: f64,
    /// Pixels from top to bottom.
    pub height: f64,
}

/// How much a card shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Captions, large marks.
    Full,
    /// No captions.
    Compact,
    /// Only what the protocol needs.
    Tiny,
}

impl Size {
    /// Every size, the best one first.
    pub const ALL: [Size; 3] = [Size::Full, Size::Compact, Size::Tiny];

    /// Width and height of a card.
    pub fn card(self) -> (f64, f64) {
        match self {
            Size::Full => (248.0, 100.0),
            Size::Compact => (164.0, 76.0),
            Size::Tiny => (86.0, 72.0),
        }
    }

    /// The least space between a card and the cards of the next level, and between cards of one level.
    fn gaps(self) -> (f64, f64) {
        match self {
            Size::Full => (54.0, 40.0),
            Size::Compact => (50.0, 10.0),
            Size::Tiny => (54.0, 4.0),
        }
    }
}

/// The space around all cards, for links that go around them.
const MARGIN: f64 = 8.0;
/// Larger cards are worth shrinking the drawing to this scale.
const ENOUGH: f64 = 0.93;

/// Where the cards stand.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// How much a card shows.
    pub size: Size,
    /// Width of the drawing: the room's, or more if that is too little.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// The cards, by node.
    pub cards: Vec<Rect>,
    /// The initial pointers: ways that most pointers will take.
    pub edges: Vec<(usize, usize)>,
}

/// The shape of a tree: each node's level, and its place across, counted in leaves.
struct Tree {
    level: Vec<usize>,
    across: Vec<f64>,
    levels: usize,
    leaves: usize,
}

fn tree(parents: &[NodeId]) -> Tree {
    let n = parents.len();
    let mut children = vec![Vec::new(); n];
    for (i, parent) in parents.iter().enumerate() {
        if parent.index() != i && parent.index() < n {
            children[parent.index()].push(i);
        }
    }
    let mut t = Tree { level: vec![usize::MAX; n], across: vec![0.0; n], levels: 0, leaves: 0 };
    let roots = (0..n).filter(|i| parents[*i].index() == *i);
    // a circle of pointers has no root: its first node will do
    for root in roots.chain(0..n).collect::<Vec<_>>() {
        if t.level[root] == usize::MAX {
            place(root, 0, &children, &mut t);
        }
    }
    t
}

fn place(node: usize, level: usize, children: &[Vec<usize>], t: &mut Tree) {
    t.level[node] = level;
    t.levels = t.levels.max(level + 1);
    let (mut first, mut last) = (None, 0.0);
    for child in &children[node] {
        if t.level[*child] == usize::MAX {
            place(*child, level + 1, children, t);
            last = t.across[*child];
            first.get_or_insert(last);
        }
    }
    t.across[node] = match first {
        Some(first) => (first + last) / 2.0,
        None => {
            t.leaves += 1;
            (t.leaves - 1) as f64
        }
    };
}

/// Places the cards: from top to bottom if there is room, else from left to right, with the largest cards that fit.
pub fn layout(parents: &[NodeId], room: Room) -> Layout {
    let tree = tree(parents);
    let mut best: Option<(f64, Layout)> = None;
    for size in Size::ALL {
        for down in [true, false] {
            let (scale, layout) = arrange(&tree, size, down, room);
            if best.as_ref().is_none_or(|(s, _)| scale > s + 0.02) {
                best = Some((scale, layout));
            }
        }
        if best.as_ref().is_some_and(|(s, _)| *s >= ENOUGH) {
            break;
        }
    }
    let mut layout = best.map_or(
        Layout { size: Size::Full, width: room.width, height: room.height, cards: Vec::new(), edges: Vec::new() },
        |(_, l)| l,
    );
    let edges = parents.iter().enumerate().map(|(i, p)| (i, p.index()));
    layout.edges = edges.filter(|(i, p)| i != p && *p < parents.len()).collect();
    layout
}

fn arrange(tree: &Tree, size: Size, down: bool, room: Room) -> (f64, Layout) {
    let (w, h) = size.card();
    let (between_levels, between_cards) = size.gaps();
    let (along, across) = if down { (h, w) } else { (w, h) };
    let need = |count: usize, extent: f64, gap: f64| count as f64 * (extent + gap) - gap + 2.0 * MARGIN;
    let (need_along, need_across) =
        (need(tree.levels, along, between_levels), need(tree.leaves, across, between_cards));
    let (need_w, need_h) = if down { (need_across, need_along) } else { (need_along, need_across) };
    let scale = (room.width / need_w).min(room.height / need_h).min(1.0);
    let (width, height) = (room.width.max(need_w), room.height.max(need_h));
    let (have_along, have_across) = if down { (height, width) } else { (width, height) };

    // spare room goes between the cards, up to a point
    let spare = |have: f64, need: f64, count: usize, most: f64| {
        if count < 2 { 0.0 } else { ((have - need) / (count - 1) as f64).clamp(0.0, most) }
    };
    let pitch_along = along + between_levels + spare(have_along, need_along, tree.levels, 44.0);
    let pitch_across = across + between_cards + spare(have_across, need_across, tree.leaves, 32.0);
    let extent = |pitch: f64, count: usize, card: f64| pitch * (count as f64 - 1.0) + card;
    let start_along = (have_along - extent(pitch_along, tree.levels, along)) / 2.0;
    let start_across = (have_across - extent(pitch_across, tree.leaves, across)) / 2.0;

    let card = |i: usize| {
        let a = start_along + pitch_along * tree.level[i] as f64;
        let c = start_across + pitch_across * tree.across[i];
        let (x, y) = if down { (c, a) } else { (a, c) };
        Rect { x: x.round(), y: y.round(), w, h }
    };
    (scale, Layout { size, width, height, cards: (0..tree.level.len()).map(card).collect(), edges: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_kernel::{Setup, Topology};

    const STAGE: Room = Room { width: 758.0, height: 460.0 };

    fn laid(n: usize, topology: Topology, room: Room) -> Layout {
        layout(&Setup::new(n, 1, topology).parents, room)
    }

    #[test]
    fn three_in_a_chain_stand_below_each_other_in_full() {
        let l = laid(3, Topology::Chain, STAGE);
        assert_eq!(l.size, Size::Full);
        assert_eq!((l.width, l.height), (758.0, 460.0));
        assert!(l.cards.iter().all(|c| c.x == l.cards[0].x));
        assert!(l.cards[0].y < l.cards[1].y && l.cards[1].y < l.cards[2].y);
    }

    #[test]
    fn seven_make_a_tree_that_fits() {
        let l = laid(7, Topology::BinaryTree, STAGE);
        assert_eq!(l.size, Size::Compact);
        assert_eq!(l.width, 758.0);
        assert_eq!(laid(7, Topology::BinaryTree, Room { width: 726.0, height: 370.0 }).size, Size::Compact);
        assert!(laid(7, Topology::BinaryTree, Room { width: 374.0, height: 420.0 }).width <= 374.0, "and on a phone");
    }

    #[test]
    fn no_two_cards_overlap_and_all_are_inside() {
        for room in [STAGE, Room { width: 374.0, height: 440.0 }, Room { width: 1200.0, height: 800.0 }] {
            for n in [1, 2, 3, 5, 7, 15, 31] {
                for (name, topology) in Topology::ALL {
                    let l = laid(n, topology, room);
                    let whole = Rect { x: 0.0, y: 0.0, w: l.width, h: l.height };
                    for (i, a) in l.cards.iter().enumerate() {
                        assert!(whole.holds(*a), "{name} {n}: card {i} {a:?} leaves {whole:?}");
                        for (j, b) in l.cards.iter().enumerate().skip(i + 1) {
                            assert!(!a.overlaps(*b), "{name} {n}: {i} and {j} overlap");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pointers_in_a_circle_are_placed_too() {
        let parents = [NodeId(1), NodeId(2), NodeId(0)];
        assert_eq!(layout(&parents, STAGE).cards.len(), 3);
        assert!(layout(&[], STAGE).cards.is_empty());
    }
}
