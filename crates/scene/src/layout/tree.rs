//! The arrangements as a tree: the initial tree, in which a node keeps its place throughout the
//! run, and the living tree, in which a node stands above the nodes that point at it.

use crate::geometry::{Rect, between};
use crate::layout::{Arrangement, CardSize, ENOUGH, Layout, MARGIN, Room};
use lockstep_kernel::{NodeId, sort};

/// The least space between a card and the cards of the next level, and between cards of one level.
fn gaps(size: CardSize) -> (f64, f64) {
    match size {
        CardSize::Full => (54.0, 40.0),
        CardSize::Compact => (50.0, 10.0),
        CardSize::Tiny => (54.0, 4.0),
        CardSize::Mini | CardSize::Dot => (44.0, 3.0),
    }
}

/// The shape of a tree: the level of each node and its horizontal place, in units of leaves.
pub struct TreeShape {
    /// The distance of each node from its root.
    pub level: Vec<usize>,
    /// The horizontal place of each node, in units of leaves.
    pub across: Vec<f64>,
    /// The number of levels.
    pub levels: usize,
    /// The number of leaves.
    pub leaves: usize,
}

impl TreeShape {
    /// The nodes from left to right.
    pub fn leftmost_first(&self) -> Vec<usize> {
        sort::positions(self.across.len(), &|a, b| self.across[a].total_cmp(&self.across[b]))
    }
}

/// Computes the shape of a tree from its pointers.
pub fn shape(parents: &[NodeId]) -> TreeShape {
    let n = parents.len();
    let mut children = vec![Vec::new(); n];
    for (i, parent) in parents.iter().enumerate() {
        if parent.index() != i && parent.index() < n {
            children[parent.index()].push(i);
        }
    }
    let mut t = TreeShape { level: vec![usize::MAX; n], across: vec![0.0; n], levels: 0, leaves: 0 };
    let roots = (0..n).filter(|i| parents[*i].index() == *i);
    // a cycle of pointers has no root: take its first node
    for root in roots.chain(0..n).collect::<Vec<_>>() {
        if t.level[root] == usize::MAX {
            place(root, 0, &children, &mut t);
        }
    }
    t
}

fn place(node: usize, level: usize, children: &[Vec<usize>], t: &mut TreeShape) {
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

/// Trees with fewer levels are never folded: they are readable as they are.
const LONG: usize = 6;

/// Places the cards with the largest size that fits: from top to bottom if possible, else from left
/// to right. A long, narrow tree is folded: from left to right, then below it from right to left,
/// and so on.
pub fn layout(parents: &[NodeId], room: Room, noted: bool) -> Layout {
    let tree = shape(parents);
    let mut best: Option<(f64, Layout)> = None;
    for size in CardSize::CARDS {
        let folds = if tree.levels < LONG { 1 } else { tree.levels.div_ceil(2) };
        let directions = [(true, 1)].into_iter().chain((1..=folds).map(|bands| (false, bands)));
        for (down, bands) in directions {
            let (scale, layout) = arrange(&tree, size, noted, down, bands, room);
            if best.as_ref().is_none_or(|(s, _)| scale > s + 0.02) {
                best = Some((scale, layout));
            }
        }
        if best.as_ref().is_some_and(|(s, _)| *s >= ENOUGH) {
            break;
        }
    }
    best.map_or_else(|| Layout::new(Arrangement::Initial, CardSize::Full, room, Vec::new()), |(_, l)| l)
}

fn arrange(tree: &TreeShape, size: CardSize, noted: bool, down: bool, bands: usize, room: Room) -> (f64, Layout) {
    let (w, h) = size.extent(noted);
    let (between_levels, between_cards) = gaps(size);
    let (along, across) = if down { (h, w) } else { (w, h) };
    let need = |count: usize, extent: f64, gap: f64| count as f64 * (extent + gap) - gap + 2.0 * MARGIN;
    let levels = tree.levels.div_ceil(bands);
    // bands are as far apart as levels
    let between_bands = (bands - 1) as f64 * (between_levels - between_cards);
    let (need_along, need_across) =
        (need(levels, along, between_levels), need(tree.leaves * bands, across, between_cards) + between_bands);
    let (need_w, need_h) = if down { (need_across, need_along) } else { (need_along, need_across) };
    let scale = (room.width / need_w).min(room.height / need_h).min(1.0);
    let (width, height) = (room.width.max(need_w), room.height.max(need_h));
    let (have_along, have_across) = if down { (height, width) } else { (width, height) };

    // spare space goes between the cards, up to a limit
    let spare = |have: f64, need: f64, count: usize, most: f64| {
        if count < 2 { 0.0 } else { between(0.0, (have - need) / (count - 1) as f64, most) }
    };
    let pitch_along = along + between_levels + spare(have_along, need_along, levels, 44.0);
    let pitch_across = across + between_cards + spare(have_across, need_across, tree.leaves * bands, 32.0);
    let extent = |pitch: f64, count: usize, card: f64| pitch * (count as f64 - 1.0) + card;
    let start_along = (have_along - extent(pitch_along, levels, along)) / 2.0;
    let start_across = (have_across - extent(pitch_across, tree.leaves * bands, across) - between_bands) / 2.0;
    let pitch_bands = pitch_across * tree.leaves as f64 + between_levels - between_cards;

    let card = |i: usize| {
        let (band, place) = (tree.level[i] / levels.max(1), tree.level[i] % levels.max(1));
        let place = if band % 2 == 0 { place } else { levels - 1 - place };
        let a = start_along + pitch_along * place as f64;
        let c = start_across + pitch_bands * band as f64 + pitch_across * tree.across[i];
        let (x, y) = if down { (c, a) } else { (a, c) };
        Rect { x: x.round(), y: y.round(), w, h }
    };
    let cards = (0..tree.level.len()).map(card).collect();
    (scale, Layout::new(Arrangement::Initial, size, Room { width, height }, cards))
}

/// The drawing of a living tree grows only by these factors, so that its scale does not change at
/// every step.
const GROWN: [f64; 12] = [1.0, 1.12, 1.25, 1.4, 1.55, 1.75, 2.0, 2.3, 2.7, 3.3, 4.5, 6.0];

/// The level of each node in a living tree: its level in the initial tree, or higher if a node that
/// points at it would not be below it. Levels above the initial root are negative.
///
/// The level of a node depends only on its descendants. So when the token moves along an edge and
/// one pointer is reversed, one node changes its level: the new root rises above the old one, or
/// the old root returns to its initial level.
pub fn living_levels(initial: &TreeShape, now: &[NodeId]) -> Vec<i32> {
    let mut levels: Vec<i32> = initial.level.iter().map(|l| *l as i32).collect();
    let depth = shape(now).level;
    // a node comes before the node that it points at
    for i in sort::positions(now.len(), &|a, b| depth[b].cmp(&depth[a])) {
        let owner = now[i].index();
        // a cycle of pointers is cut at the node where its tree begins
        if owner != i && owner < levels.len() && depth[owner] < depth[i] {
            levels[owner] = levels[owner].min(levels[i] - 1);
        }
    }
    levels
}

/// Places the tree of the current pointers: a pure function of the initial and the current
/// pointers.
///
/// Every node prefers its place in the initial tree, and the horizontal order never changes. A node
/// stands higher than the nodes that point at it ([`living_levels`]), in its own column. Cards of
/// one level move aside only as far as they must.
pub fn living(initial: &[NodeId], now: &[NodeId], room: Room, noted: bool) -> Layout {
    let preferred = shape(initial);
    let levels = living_levels(&preferred, now);
    // reserve space for a leaf that becomes the root: else all nodes would move when one rises
    let lowest = preferred.levels.saturating_sub(1) as i32;
    let highest = levels.iter().copied().min().unwrap_or(0).min(-lowest);
    let fullest = (highest..=lowest).map(|l| levels.iter().filter(|k| **k == l).count()).max().unwrap_or(1);
    let edges = initial.iter().enumerate().filter(|(i, p)| p.index() != *i && p.index() < initial.len());
    let aside =
        edges.map(|(i, p)| (preferred.across[i] - preferred.across[p.index()]).abs()).fold(f64::INFINITY, f64::min);
    let tree = LivingTree { preferred: &preferred, levels: &levels, lowest, highest, fullest, aside, noted };
    let good = |l: &Layout| l.scale(room) >= living_scale(l.size) && !overlapping(&l.cards);
    // a chain has space beside it: if it cannot grow upwards, it grows to the left
    let directions: &[(bool, bool)] =
        if preferred.leaves > 1 { &[(true, true), (false, true)] } else { &[(false, true), (false, false)] };
    let tries =
        CardSize::CARDS.into_iter().flat_map(|size| directions.iter().map(move |(close, up)| (size, *close, *up)));
    let found = tries.into_iter().find_map(|(size, close, up)| tree.placed(size, close, up, room).filter(good));
    let smallest = || {
        let all = directions.iter().filter_map(|(close, up)| tree.placed(CardSize::Mini, *close, *up, room));
        let clear = all.filter(|l| !overlapping(&l.cards));
        clear.max_by(|a, b| a.scale(room).total_cmp(&b.scale(room)))
    };
    found
        .or_else(smallest)
        .or_else(|| tree.placed(CardSize::Mini, false, true, room))
        .unwrap_or_else(|| Layout::new(Arrangement::Living, CardSize::Mini, room, vec![Rect::default(); initial.len()]))
}

/// A living tree shrinks to this scale before its cards get smaller; the smallest cards show very
/// little.
fn living_scale(size: CardSize) -> f64 {
    if size == CardSize::Tiny { 0.72 } else { 0.84 }
}

fn overlapping(cards: &[Rect]) -> bool {
    cards.iter().enumerate().any(|(i, a)| cards[..i].iter().any(|b| a.overlaps(*b)))
}

/// A living tree whose size is to be found.
struct LivingTree<'a> {
    preferred: &'a TreeShape,
    levels: &'a [i32],
    lowest: i32,
    highest: i32,
    /// The number of cards on the fullest level.
    fullest: usize,
    /// The least horizontal distance between a node and its initial parent, in units of leaves.
    aside: f64,
    noted: bool,
}

impl LivingTree<'_> {
    /// Places cards of a size. Above the initial root there is one card on each level; if no card
    /// stands straight above the next, these levels may be `close`. The tree grows `up`, or else to
    /// the left: then heights and widths change roles.
    fn placed(&self, size: CardSize, close: bool, up: bool, room: Room) -> Option<Layout> {
        let turned = |(a, b)| if up { (a, b) } else { (b, a) };
        let (preferred, leaves) = (self.preferred, self.preferred.leaves.max(1) as f64);
        let ((w, h), (_, gap)) = (turned(size.extent(self.noted)), gaps(size));
        let (room_w, room_h) = turned((room.width, room.height));
        let least = if close { ((w + gap) / self.aside).max(w + gap) } else { w + gap };
        if !least.is_finite() {
            return None;
        }
        let (above, below) = (f64::from(-self.highest) * if close { 0.5 } else { 1.0 }, f64::from(self.lowest));
        let full = ((leaves - 1.0) * least + w).max(self.fullest as f64 * (w + gap) - gap);
        let (need_w, need_h) = (full + 2.0 * MARGIN, (above + below) * (h + BETWEEN.0) + h + 2.0 * MARGIN);
        let grown = GROWN.into_iter().find(|f| room_w * f >= need_w && room_h * f >= need_h);
        let factor = grown.unwrap_or(GROWN[GROWN.len() - 1]);
        let (width, height) = ((room_w * factor).max(need_w), (room_h * factor).max(need_h));
        let pitch = ((height - 2.0 * MARGIN - h) / (above + below).max(1.0)).min(h + BETWEEN.1);
        let top = (height - pitch * (above + below) - h) / 2.0;
        let y = |level: i32| top + pitch * (above + f64::from(level) * if close && level < 0 { 0.5 } else { 1.0 });
        let across = ((width - 2.0 * MARGIN - w) / (leaves - 1.0).max(1.0)).min(least.max(w * 1.8));
        let start = (width - w - across * (leaves - 1.0)) / 2.0;
        let order = preferred.leftmost_first();
        let mut cards = vec![Rect::default(); self.levels.len()];
        for level in self.highest..=self.lowest {
            let row: Vec<usize> = order.iter().copied().filter(|i| self.levels[*i] == level).collect();
            let wanted: Vec<f64> = row.iter().map(|i| start + preferred.across[*i] * across).collect();
            let places = spread_out(&wanted, w + gap, MARGIN, width - MARGIN - w);
            for (i, x) in row.into_iter().zip(places) {
                let ((x, y), (w, h)) = (turned((x.round(), y(level).round())), turned((w, h)));
                cards[i] = Rect { x, y, w, h };
            }
        }
        let (width, height) = turned((width, height));
        Some(Layout::new(Arrangement::Living, size, Room { width, height }, cards))
    }
}

/// The least and the most space between the levels of a living tree.
const BETWEEN: (f64, f64) = (20.0, 70.0);

/// Places in the given order, at least `pitch` apart and within bounds, each as close to its
/// preferred place as its neighbours allow: groups that would overlap are centred on the mean of
/// their preferred places.
fn spread_out(wanted: &[f64], pitch: f64, low: f64, high: f64) -> Vec<f64> {
    let mut runs: Vec<(f64, usize)> = Vec::new(); // first place wanted, length
    for &want in wanted {
        let mut run = (want, 1);
        while let Some(&(before, count)) = runs.last() {
            if before + count as f64 * pitch <= run.0 {
                break;
            }
            let all = count + run.1;
            let shifted = run.0 - count as f64 * pitch;
            run = ((before * count as f64 + shifted * run.1 as f64) / all as f64, all);
            runs.pop();
        }
        runs.push(run);
    }
    let mut places: Vec<f64> =
        runs.iter().flat_map(|(first, count)| (0..*count).map(move |k| first + k as f64 * pitch)).collect();
    let mut free = low;
    for place in &mut places {
        *place = place.max(free);
        free = *place + pitch;
    }
    let mut bound = high;
    for place in places.iter_mut().rev() {
        *place = place.min(bound);
        bound = *place - pitch;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_kernel::{Setup, Topology};

    const STAGE: Room = Room { width: 758.0, height: 460.0 };

    fn laid(n: usize, topology: Topology, room: Room) -> Layout {
        layout(&Setup::new(n, 1, topology).parents, room, false)
    }

    #[test]
    fn three_in_a_chain_stand_below_each_other_in_full() {
        let l = laid(3, Topology::Chain, STAGE);
        assert_eq!(l.size, CardSize::Full);
        assert_eq!((l.width, l.height), (758.0, 460.0));
        assert!(l.cards.iter().all(|c| c.x == l.cards[0].x));
        assert!(l.cards[0].y < l.cards[1].y && l.cards[1].y < l.cards[2].y);
    }

    #[test]
    fn seven_make_a_tree_that_fits() {
        let l = laid(7, Topology::BinaryTree, STAGE);
        assert_eq!(l.size, CardSize::Compact);
        assert_eq!(l.width, 758.0);
        assert_eq!(laid(7, Topology::BinaryTree, Room { width: 726.0, height: 370.0 }).size, CardSize::Compact);
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
    fn a_long_chain_is_folded_and_neighbours_stay_neighbours() {
        let l = laid(31, Topology::Chain, STAGE);
        assert!(l.scale(STAGE) >= ENOUGH, "it can be read: {}", l.scale(STAGE));
        let far = |a: &Rect, b: &Rect| (a.x - b.x).abs().min((a.y - b.y).abs());
        assert!(
            l.cards.windows(2).all(|pair| far(&pair[0], &pair[1]) == 0.0),
            "each stands beside or below the one before"
        );
        assert_eq!(laid(5, Topology::Chain, STAGE).cards.windows(2).filter(|p| p[0].x > p[1].x).count(), 0);
    }

    #[test]
    fn pointers_in_a_circle_are_placed_too() {
        let parents = [NodeId(1), NodeId(2), NodeId(0)];
        assert_eq!(layout(&parents, STAGE, false).cards.len(), 3);
        assert!(layout(&[], STAGE, false).cards.is_empty());
    }
}
