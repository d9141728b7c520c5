//! Where the cards stand: which arrangement, how large, and what is kept free beside them.
//!
//! Every arrangement is a pure function of the frame, the system and the room, never of the picture before. So going back shows exactly what
//! was there, and a link opens the same picture on another machine. What keeps the living tree calm is not memory but fixed wishes:
//! see [`crate::layout::tree::living`].

pub mod clusters;
mod crowd;
pub mod ring;
pub mod tree;

use crate::geometry::{Point, Rect, point};
use crate::stage::{cells, link};
use lockstep_kernel::{Frame, NodeId, Role, Setup};

/// The space there is for a drawing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Pixels from left to right.
    pub width: f64,
    /// Pixels from top to bottom.
    pub height: f64,
}

impl Room {
    /// The same, larger on both sides.
    pub fn times(self, factor: f64) -> Room {
        Room { width: self.width * factor, height: self.height * factor }
    }

    /// Its middle.
    pub fn centre(self) -> Point {
        point(self.width / 2.0, self.height / 2.0)
    }
}

/// How the nodes are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrangement {
    /// Clusters if there are several, a ring where no pointers make a tree, else the initial tree.
    #[default]
    Auto,
    /// The tree of the initial pointers: a node keeps its place through the whole run.
    Initial,
    /// The tree of the pointers as they are now.
    Living,
    /// On an ellipse; servers and registers in its middle.
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
    /// Only what the protocol needs.
    Tiny,
    /// A name, who is inside, how many wait.
    Mini,
    /// No card at all: a dot whose shape says what the node does.
    Dot,
}

impl CardSize {
    /// Every size of a card, the best one first.
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

    /// Width and height of a card with or without a line for clocks and replies.
    pub fn extent(self, noted: bool) -> (f64, f64) {
        let (w, h) = self.card();
        (w, if noted && self != CardSize::Mini { h + NOTE } else { h })
    }
}

/// The height of the line for clocks and replies.
pub const NOTE: f64 = 18.0;
/// The space between the cards and the bar of cells: a message may pass there.
const BESIDE: f64 = 14.0;
/// The space around all cards, for links that go around them.
pub const MARGIN: f64 = 8.0;
/// Larger cards are worth shrinking the drawing to this scale.
pub const ENOUGH: f64 = 0.93;
/// More nodes than this have no cards.
pub const MOST_CARDS: usize = 64;

/// The outline of a cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct Hull {
    /// Which one.
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
    /// Whether cards have a line for clocks and replies.
    pub noted: bool,
    /// Width of the drawing: the room's, or more if that is too little.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// The cards, by node.
    pub cards: Vec<Rect>,
    /// Ways that most pointers will take.
    pub edges: Vec<(usize, usize)>,
    /// Whether no pointers are drawn, so that messages may take the straight ways.
    pub open: bool,
    /// The outlines of the clusters.
    pub hulls: Vec<Hull>,
    /// The place of the bar of cells.
    pub bar: Option<Rect>,
}

impl Layout {
    /// Cards on a drawing, nothing else yet.
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

    /// How many pixels of the room one pixel of the drawing has.
    pub fn scale(&self, room: Room) -> f64 {
        (room.width / self.width).min(room.height / self.height)
    }
}

/// What a layout depends on.
#[derive(Clone, Copy)]
pub struct LayoutInput<'a> {
    /// The state: its pointers matter to the living tree only.
    pub frame: &'a Frame,
    /// Initial pointers, clusters, added nodes.
    pub setup: &'a Setup,
    /// The pointer along which requests travel.
    pub tree_link: &'a str,
    /// The wish.
    pub arrange: Arrangement,
    /// The space.
    pub room: Room,
}

impl LayoutInput<'_> {
    /// Whether pointers make a tree: broadcasts and quorums do not.
    pub fn has_tree(&self) -> bool {
        !self.tree_link.is_empty() && !link::on_demand(self.tree_link)
    }

    /// Whether the pointers lead once around all hosts.
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
    pub fn resolved(&self) -> Arrangement {
        let several = self.setup.clusters.iter().any(|c| *c != self.setup.clusters[0]);
        match self.arrange {
            Arrangement::Auto if several => Arrangement::Clusters,
            Arrangement::Auto if !self.has_tree() || self.is_ring() => Arrangement::Ring,
            Arrangement::Auto => Arrangement::Initial,
            Arrangement::Living if !self.has_tree() => Arrangement::Ring,
            wished => wished,
        }
    }

    /// The nodes that an algorithm without a tree added: everybody talks to them.
    pub fn middle(&self) -> std::ops::Range<usize> {
        let n = self.setup.nodes();
        if self.has_tree() { n..n } else { self.setup.hosts()..n }
    }

    /// The initial pointers; a server is everybody's root.
    pub fn parents(&self) -> Vec<NodeId> {
        let n = self.frame.nodes.len();
        let server = self.middle().next().map(|i| NodeId(i as u32));
        let parent = |i: usize| match server {
            Some(server) => server,
            // a node without an initial pointer stands for itself
            None => self.setup.parents.get(i).copied().unwrap_or(NodeId(i as u32)),
        };
        (0..n).map(parent).collect()
    }

    /// The pointers as they are now. A node without one is a root, and so is the one to which the token travels: until it arrives, the nodes at
    /// both ends of its way point at each other.
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
    pub(crate) fn of(plan: &LayoutInput<'_>) -> LayoutKey {
        let arrange = plan.resolved();
        LayoutKey {
            arrange,
            room: plan.room,
            noted: crate::card::note::any(plan),
            open: plan.frame.nodes.iter().all(|n| n.view.links.iter().all(|l| link::on_demand(&l.kind))),
            middle: plan.middle(),
            cells: plan.setup.cells,
            parents: plan.parents(),
            now: if arrange == Arrangement::Living { plan.living_parents() } else { Vec::new() },
            clusters: plan.setup.clusters.clone(),
            roles: plan.setup.hosts(),
        }
    }
}

/// Places everything: with the largest cards that fit, or dots where there are too many nodes for cards.
pub fn arrange(plan: &LayoutInput<'_>) -> Layout {
    place(plan, &LayoutKey::of(plan))
}

pub(crate) fn place(plan: &LayoutInput<'_>, key: &LayoutKey) -> Layout {
    let n = plan.frame.nodes.len();
    let reserved = cells::reserved(plan.setup, plan.room);
    let apart = if reserved > 0.0 { BESIDE } else { 0.0 };
    let room = Room { width: plan.room.width, height: (plan.room.height - reserved - apart).max(80.0) };
    let LayoutKey { arrange, noted, parents, .. } = key;
    let (arrange, noted) = (*arrange, *noted);
    let mut layout = match arrange {
        _ if n > MOST_CARDS => crowd::layout(plan, arrange, room),
        Arrangement::Ring => ring::layout(n, plan.middle(), room, noted),
        Arrangement::Clusters => clusters::layout(plan.setup, n, room, noted),
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

/// The largest cards that a way of placing them finds room for, in the room itself or in a drawing that is hardly larger; the smallest ones in as
/// large a drawing as they need. `place` says nothing where the cards do not fit.
pub fn fitted(
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

/// Whether cards keep this distance from each other and lie in the room.
pub fn apart(cards: &[Rect], gap: f64, room: Room) -> bool {
    let whole = Rect { x: 0.0, y: 0.0, w: room.width, h: room.height };
    cards.iter().enumerate().all(|(i, card)| {
        let wide = card.grown(gap / 2.0);
        whole.holds(*card) && cards[i + 1..].iter().all(|o| !o.grown(gap / 2.0 - 0.01).overlaps(wide))
    })
}
