//! The events of a log, whatever its format was, and the words they share.

use hashbrown::HashMap;

/// The number of a word in [`Words`].
pub type WordId = u32;

/// Every name, message kind and message id of a log, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Words {
    list: Vec<Box<str>>,
    index: HashMap<Box<str>, WordId>,
}

impl Words {
    /// The number of a word; a new word gets the next number.
    pub fn id(&mut self, word: &str) -> WordId {
        if let Some(id) = self.index.get(word) {
            return *id;
        }
        let id = self.list.len() as WordId;
        self.list.push(word.into());
        self.index.insert(word.into(), id);
        id
    }

    /// The number of a word that is already known.
    pub fn find(&self, word: &str) -> Option<WordId> {
        self.index.get(word).copied()
    }

    /// The word with a number.
    pub fn word(&self, id: WordId) -> &str {
        self.list.get(id as usize).map_or("?", |word| word)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// What happened at a node, or at a lock server about one of its clients.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EventKind {
    /// A thread of the node starts to wait for the lock.
    Request,
    /// A thread enters the critical section.
    Enter,
    /// A thread leaves the critical section.
    Exit,
    /// A waiting thread gives its request up.
    Cancel,
    /// The node sends a message.
    Send,
    /// The node receives a message.
    Recv,
    /// The node stops.
    Crash,
    /// The node begins anew.
    Recover,
    /// Anything else that is worth a line.
    Note,
    /// A client asks the server for the lock.
    Asked,
    /// The server gives the lock to a client.
    Grant,
    /// The server refuses a client.
    Deny,
    /// A client returns the lock to the server.
    Released,
    /// The server takes the lock back because its time is up.
    Expire,
}

impl EventKind {
    /// Every kind with its name in logs.
    pub const ALL: [(&'static str, EventKind); 14] = [
        ("request", EventKind::Request),
        ("enter", EventKind::Enter),
        ("exit", EventKind::Exit),
        ("cancel", EventKind::Cancel),
        ("send", EventKind::Send),
        ("recv", EventKind::Recv),
        ("crash", EventKind::Crash),
        ("recover", EventKind::Recover),
        ("note", EventKind::Note),
        ("asked", EventKind::Asked),
        ("grant", EventKind::Grant),
        ("deny", EventKind::Deny),
        ("released", EventKind::Released),
        ("expire", EventKind::Expire),
    ];

    /// The kind with this name.
    pub fn named(name: &str) -> Option<EventKind> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name in logs.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("note", |(name, _)| name)
    }

    /// Whether a lock server says this about a client.
    pub fn is_of_server(self) -> bool {
        self >= EventKind::Asked
    }
}

/// To whom a message is sent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Destinations {
    /// The event sends nothing.
    #[default]
    None,
    /// One node, by its position among the nodes.
    One(u32),
    /// Several nodes.
    Many(Box<[u32]>),
    /// Every other node.
    All,
}

impl Destinations {
    /// The nodes, out of `nodes`, when node `me` sends. A node never sends to itself.
    pub fn each(&self, me: u32, nodes: u32, mut show: impl FnMut(u32)) {
        match self {
            Destinations::None => {}
            Destinations::One(node) if *node == me => {}
            Destinations::One(node) => show(*node),
            Destinations::Many(list) => list.iter().filter(|node| **node != me).for_each(|node| show(*node)),
            Destinations::All => (0..nodes).filter(|node| *node != me).for_each(show),
        }
    }

    /// How many nodes that are.
    pub fn count(&self, me: u32, nodes: u32) -> usize {
        match self {
            Destinations::None => 0,
            Destinations::One(node) => usize::from(*node != me),
            Destinations::Many(list) => list.iter().filter(|node| **node != me).count(),
            Destinations::All => nodes.saturating_sub(1) as usize,
        }
    }
}

/// One event of a log.
#[derive(Clone, Debug)]
pub struct LogEvent {
    /// What happened.
    pub kind: EventKind,
    /// The node at which it happened, by its position in [`crate::Log::nodes`].
    pub node: u32,
    /// The thread, if the log names it.
    pub thread: Option<WordId>,
    /// The receivers of a message that is sent here.
    pub to: Destinations,
    /// The sender of a message that is received here, if the log names it.
    pub from: Option<u32>,
    /// The kind of the message, in lower case.
    pub message: Option<WordId>,
    /// The id of the message.
    pub id: Option<WordId>,
    /// The time stamp that travels with the message.
    pub stamp: Option<WordId>,
    /// The lock; none is the one nameless lock.
    pub lock: Option<WordId>,
    /// The cells of the lock that are concerned: the first, and the one after the last.
    pub range: Option<(i64, i64)>,
    /// Whether this is an entry for reading only.
    pub reads: bool,
    /// The node's Lamport clock at the event.
    pub lamport: Option<i64>,
    /// The node's vector clock at the event: nodes and their counts.
    pub vector: Option<Box<[(u32, u64)]>>,
    /// Wall time in seconds.
    pub time: Option<f64>,
    /// Wall time is exact to this many seconds.
    pub resolution: f64,
    /// The client of whom a server speaks.
    pub client: Option<WordId>,
    /// How long a lease lasts, in seconds.
    pub ttl: Option<f64>,
    /// The fencing token of a grant or an access.
    pub token: Option<i64>,
    /// Whether the log itself says that the message was lost.
    pub lost: bool,
    /// Whether the rule says that this message answers a deferred request.
    pub owed: bool,
    /// The file, by its position.
    pub file: u32,
    /// The line in the file, counted from 1.
    pub line: u32,
}

impl LogEvent {
    /// An event without details.
    pub fn new(kind: EventKind, node: u32, file: u32, line: u32) -> Self {
        LogEvent {
            kind,
            node,
            thread: None,
            to: Destinations::None,
            from: None,
            message: None,
            id: None,
            stamp: None,
            lock: None,
            range: None,
            reads: false,
            lamport: None,
            vector: None,
            time: None,
            resolution: 0.0,
            client: None,
            ttl: None,
            token: None,
            lost: false,
            owed: false,
            file,
            line,
        }
    }
}
