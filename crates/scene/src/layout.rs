//! Where the cards stand: the arrangement, the size of the cards, and the space reserved beside
//! them.
//!
//! Every arrangement is a pure function of the frame, the system and the room, never of the
//! previous picture. So going back shows exactly the earlier picture, and a link opens the same
//! picture on another machine. The living tree moves little because every node has a preferred
//! place: see [`tree::living`].

pub mod clusters;
mod crowd;
pub mod ring;
pub mod tree;

use crate::geometry::{Point, Rect, point};
use crate::stage::{cells, link};
use lockstep_kernel::{Frame, NodeId, Role, Setup};

/// The space for a drawing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Pixels from left to right.
    pub width: f64,
    /// Pixels from top to bottom.
    pub height: f64,
}

impl Room {
    /// The room scaled by a factor.
    pub fn times(self, factor: f64) -> Room {
        Room { width: self.width * factor, height: self.height * factor }
    }

    /// Its centre.
    pub fn centre(self) -> Point {
        point(self.width / 2.0, self.height / 2.0)
    }
}

/// How the nodes are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrangement {
    /// Clusters if there are several, a ring if no pointers form a tree, else the initial tree.
    #[default]
    Auto,
    /// The initial tree: a node keeps its place throughout the run.
    Initial,
    /// The tree of the current pointers.
    Living,
    /// On an ellipse; servers and registers at its centre.
    Ring,
    /// A hull for each cluster.
    Clusters,
}

impl Arrangement {
    /// Every arrangement with its name, for menus and links.
    pub const ALL: [(&'static str, Arrangement); 5] = [
        ("auto", Arrangement::Auto),
        ("initial", Arrangement::Initial),
        ("living", Arrangement::Living),
        ("ring", Arrangement::Ring),
        ("clusters", Arrangement::Clusters),
    ];

    /// The arrangement of that name.
    pub fn named(name: &str) -> Option<Arrangement> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, a)| *a)
    }
}

/// How much a card shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CardSize {
    /// Captions, large marks.
    Full,
    /// No captions.
    Compact,
    /// Names, marks and the queue, in the least space.
    Tiny,
    /// A name, who is inside, how many wait.
    Mini,
    /// No card: a dot whose shape shows the node's state.
    Dot,
}

impl CardSize {
    /// The sizes of cards, the largest first.
    pub const CARDS: [CardSize; 4] = [CardSize::Full, CardSize::Compact, CardSize::Tiny, CardSize::Mini];

    /// Width and height of a card.
    pub fn card(self) -> (f64, f64) {
        match self {
            CardSize::Full => (248.0, 100.0),
            CardSize::Compact => (164.0, 76.0),
            CardSize::Tiny => (86.0, 72.0),
            CardSize::Mini => (44.0, 46.0),
            CardSize::Dot => (7.0, 7.0),
        }
    }

    /// Width and height of a card with or without a note line.
    pub fn extent(self, noted: bool) -> (f64, f64) {
        let (w, h) = self.card();
        (w, if noted && self != CardSize::Mini { h + NOTE } else { h })
    }
}

/// The height of the note line.
pub const NOTE: f64 = 18.0;
/// The space between the cards and the bar of cells: a message may pass there.
const BESIDE: f64 = 14.0;
/// The space around all cards, for pointers that go around them.
pub const MARGIN: f64 = 8.0;
/// The drawing may shrink to this scale if the cards can be larger then.
pub const ENOUGH: f64 = 0.93;
/// With more nodes than this there are dots instead of cards.
pub const MOST_CARDS: usize = 64;

/// The outline of a cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct Hull {
    /// The cluster's number.
    pub cluster: u32,
    /// Its area, label included.
    pub bounds: Rect,
}

/// Where the cards stand.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// How they are arranged; never [`Arrangement::Auto`].
    pub arrange: Arrangement,
    /// How much a card shows.
    pub size: CardSize,
    /// Whether cards have a note line.
    pub noted: bool,
    /// Width of the drawing: that of the room, or larger if the cards need more.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// The cards, by node.
    pub cards: Vec<Rect>,
    /// The pairs of nodes that most pointers connect.
    pub edges: Vec<(usize, usize)>,
    /// Whether no pointers are drawn, so that messages may take straight routes.
    pub open: bool,
    /// The outlines of the clusters.
    pub hulls: Vec<Hull>,
    /// The area of the bar of cells.
    pub bar: Option<Rect>,
}

impl Layout {
    /// A layout with cards only.
    pub fn new(arrange: Arrangement, size: CardSize, room: Room, cards: Vec<Rect>) -> Layout {
        let (width, height) = (room.width, room.height);
        let (edges, hulls) = (Vec::new(), Vec::new());
        Layout { arrange, size, noted: false, width, height, cards, edges, open: false, hulls, bar: None }
    }

    /// The whole drawing.
    pub fn whole(&self) -> Rect {
        Rect { x: 0.0, y: 0.0, w: self.width, h: self.height }
    }

    /// The drawing without the bar of cells: where cards, pointers and messages may be.
    pub fn field(&self) -> Rect {
        Rect { h: self.height - self.bar.map_or(0.0, |b| b.h), ..self.whole() }
    }

    /// The scale that fits the drawing into the room.
    pub fn scale(&self, room: Room) -> f64 {
        (room.width / self.width).min(room.height / self.height)
    }
}

/// The input of a layout.
#[derive(Clone, Copy)]
pub struct LayoutInput<'a> {
    /// The state; only the living tree depends on its pointers.
    pub frame: &'a Frame,
    /// Initial pointers, clusters, added nodes.
    pub setup: &'a Setup,
    /// The pointer along which requests travel.
    pub tree_link: &'a str,
    /// The requested arrangement.
    pub arrange: Arrangement,
    /// The space for the drawing.
    pub room: Room,
}

impl LayoutInput<'_> {
    /// Whether pointers form a tree: those of broadcasts and quorums do not.
    pub fn has_tree(&self) -> bool {
        !self.tree_link.is_empty() && !link::on_demand(self.tree_link)
    }

    /// Whether the pointers form a ring of all hosts.
    fn is_ring(&self) -> bool {
        let hosts = self.setup.hosts();
        let mut at = NodeId(0);
        for step in 1..=hosts {
            let Some(next) = self.frame.nodes.get(at.index()).and_then(|n| n.view.link(self.tree_link)) else {
                return false;
            };
            at = next;
            if at == NodeId(0) {
                return step == hosts && hosts > 2;
            }
        }
        false
    }

    /// The arrangement that is drawn.
    pub fn resolve(&self) -> Arrangement {
        let several = self.setup.clusters.iter().any(|c| *c != self.setup.clusters[0]);
        match self.arrange {
            Arrangement::Auto if several => Arrangement::Clusters,
            Arrangement::Auto if !self.has_tree() || self.is_ring() => Arrangement::Ring,
            Arrangement::Auto => Arrangement::Initial,
            Arrangement::Living if !self.has_tree() => Arrangement::Ring,
            requested => requested,
        }
    }

    /// The nodes that an algorithm without a tree has added, such as servers: every host talks to
    /// them.
    pub fn middle(&self) -> std::ops::Range<usize> {
        let n = self.setup.nodes();
        if self.has_tree() { n..n } else { self.setup.hosts()..n }
    }

    /// The initial tree; a server is the parent of every node.
    pub fn parents(&self) -> Vec<NodeId> {
        let n = self.frame.nodes.len();
        let server = self.middle().next().map(|i| NodeId(i as u32));
        let parent = |i: usize| match server {
            Some(server) => server,
            // a node without an initial pointer is a root
            None => self.setup.parents.get(i).copied().unwrap_or(NodeId(i as u32)),
        };
        (0..n).map(parent).collect()
    }

    /// The current pointers. A node without one is a root. So is the node to which the token
    /// travels: until it arrives, sender and receiver point at each other.
    pub fn living_parents(&self) -> Vec<NodeId> {
        let coming: Vec<NodeId> =
            self.frame.flights.iter().filter(|f| f.role == Role::Token && f.from != f.to).map(|f| f.to).collect();
        let parent = |n: &std::rc::Rc<lockstep_kernel::view::NodeFrame>| {
            n.view.link(self.tree_link).filter(|_| !coming.contains(&n.id)).unwrap_or(n.id)
        };
        self.frame.nodes.iter().map(parent).collect()
    }
}

/// Everything that a layout is a function of: equal keys have equal layouts.
#[derive(Clone, PartialEq)]
pub(crate) struct LayoutKey {
    arrange: Arrangement,
    room: Room,
    noted: bool,
    open: bool,
    middle: std::ops::Range<usize>,
    cells: u16,
    parents: Vec<NodeId>,
    now: Vec<NodeId>,
    clusters: Vec<u32>,
    roles: usize,
}

impl LayoutKey {
    pub(crate) fn of(input: &LayoutInput<'_>) -> LayoutKey {
        let arrange = input.resolve();
        LayoutKey {
            arrange,
            room: input.room,
            noted: crate::card::note::has_line(input),
            open: input.frame.nodes.iter().all(|n| n.view.links.iter().all(|l| link::on_demand(&l.kind))),
            middle: input.middle(),
            cells: input.setup.cells,
            parents: input.parents(),
            now: if arrange == Arrangement::Living { input.living_parents() } else { Vec::new() },
            clusters: input.setup.clusters.clone(),
            roles: input.setup.hosts(),
        }
    }
}

/// Places everything with the largest cards that fit, or as dots if there are too many nodes.
pub fn arrange(input: &LayoutInput<'_>) -> Layout {
    place(input, &LayoutKey::of(input))
}

pub(crate) fn place(input: &LayoutInput<'_>, key: &LayoutKey) -> Layout {
    let n = input.frame.nodes.len();
    let reserved = cells::reserved(input.setup, input.room);
    let apart = if reserved > 0.0 { BESIDE } else { 0.0 };
    let room = Room { width: input.room.width, height: (input.room.height - reserved - apart).max(80.0) };
    let LayoutKey { arrange, noted, parents, .. } = key;
    let (arrange, mut noted) = (*arrange, *noted);
    let mut layout = match arrange {
        _ if n > MOST_CARDS => crowd::layout(input, arrange, room),
        Arrangement::Ring => ring::layout(n, input.middle(), room, noted),
        Arrangement::Clusters => {
            let [with, without] = [true, false].map(|noted| clusters::layout(input.setup, n, room, noted));
            // larger cards are worth more than their note line
            noted &= with.size <= without.size;
            if noted { with } else { without }
        }
        Arrangement::Living => tree::living(parents, &key.now, room, noted),
        _ => tree::layout(parents, room, noted),
    };
    layout.arrange = arrange;
    layout.noted = noted && layout.size != CardSize::Mini && layout.size != CardSize::Dot;
    layout.open = key.open;
    if matches!(arrange, Arrangement::Initial | Arrangement::Living) && n <= MOST_CARDS {
        let edges = parents.iter().enumerate().map(|(i, p)| (i, p.index()));
        layout.edges = edges.filter(|(i, p)| i != p && *p < n).collect();
    }
    if reserved > 0.0 {
        let y = layout.height + apart;
        layout.bar = Some(Rect { x: MARGIN, y, w: layout.width - 2.0 * MARGIN, h: reserved });
        layout.height += reserved + apart;
    }
    layout
}

/// The layout with the largest cards for which `place` succeeds in the room or in a slightly larger
/// drawing; else the smallest cards in as large a drawing as they need. `place` returns `None` if
/// the cards do not fit.
pub fn fit_largest_cards(
    arrange: Arrangement,
    room: Room,
    place: impl Fn(CardSize, Room) -> Option<(Vec<Rect>, Vec<Hull>)>,
) -> Layout {
    let nearly = CardSize::CARDS.into_iter().flat_map(|size| [1.0, 1.035, 1.0 / ENOUGH].map(|factor| (size, factor)));
    let growing = std::iter::successors(Some(1.1), |factor| (*factor < 20.0).then_some(factor * 1.04));
    let tries = nearly.chain(growing.map(|factor| (CardSize::Mini, factor)));
    let fits = tries.into_iter().find_map(|(size, factor)| {
        let (cards, hulls) = place(size, room.times(factor))?;
        Some(Layout { hulls, ..Layout::new(arrange, size, room.times(factor), cards) })
    });
    fits.unwrap_or_else(|| Layout::new(arrange, CardSize::Mini, room, Vec::new()))
}

/// Whether all cards lie in the room and at least `gap` apart.
pub fn are_apart(cards: &[Rect], gap: f64, room: Room) -> bool {
    let whole = Rect { x: 0.0, y: 0.0, w: room.width, h: room.height };
    cards.iter().enumerate().all(|(i, card)| {
        let wide = card.grown(gap / 2.0);
        whole.holds(*card) && cards[i + 1..].iter().all(|o| !o.grown(gap / 2.0 - 0.01).overlaps(wide))
    })
}
