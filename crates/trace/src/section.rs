//! Critical sections: which entry belongs to which exit, and who still waits when the log ends.

use crate::event::{EventKind, LogEvent, WordId};
use crate::log::Log;
use hashbrown::HashMap;

/// How a section ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SectionEnd {
    /// The thread leaves, at this event.
    Exit(u32),
    /// The node crashes, at this event.
    Crash(u32),
    /// The time of a lease is up, at this event or when the next client is granted.
    Expired(u32),
    /// The log ends while the thread is inside.
    Open,
    /// A line is missing: nothing says when it ended.
    Unknown,
}

impl SectionEnd {
    /// The event with which the section ends.
    pub fn event(self) -> Option<u32> {
        match self {
            SectionEnd::Exit(event) | SectionEnd::Crash(event) | SectionEnd::Expired(event) => Some(event),
            SectionEnd::Open | SectionEnd::Unknown => None,
        }
    }
}

/// A critical section, or what a server grants to a client.
#[derive(Clone, Debug)]
pub struct Section {
    /// The node, or the server.
    pub node: u32,
    /// The thread, if the log names it.
    pub thread: Option<WordId>,
    /// The client, if a server speaks.
    pub client: Option<WordId>,
    /// The lock.
    pub lock: Option<WordId>,
    /// The cells.
    pub range: Option<(i64, i64)>,
    /// Whether it is for reading only.
    pub reads: bool,
    /// The request, if the log has it.
    pub request: Option<u32>,
    /// The entry or the grant.
    pub enter: u32,
    /// The end.
    pub end: SectionEnd,
    /// Whether the same thread was inside twice, and left twice.
    pub nested: bool,
}

impl Section {
    /// Whether two sections must not overlap: same lock, a common cell, not both for reading.
    pub fn conflicts(&self, other: &Section) -> bool {
        let meet = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => a < d && c < b,
            _ => true,
        };
        let same_view = self.client.is_some() == other.client.is_some();
        self.lock == other.lock && meet && !(self.reads && other.reads) && same_view
    }

    /// Whether two sections are of the same thread or client.
    pub fn same_user(&self, other: &Section) -> bool {
        match (self.client, other.client) {
            (None, None) => (self.node, self.thread) == (other.node, other.thread),
            (a, b) => a == b && self.node == other.node,
        }
    }
}

/// A request that is not served when the log ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenRequest {
    /// The request.
    pub event: u32,
    /// Its node.
    pub node: u32,
    /// Its thread.
    pub thread: Option<WordId>,
    /// The client, if a server speaks.
    pub client: Option<WordId>,
}

/// The sections of a log.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The sections, in the order of their entries.
    pub list: Vec<Section>,
    /// Requests that are not served.
    pub waiting: Vec<OpenRequest>,
    /// Lines that do not fit, with what is wrong: the event, the problem, whether it is serious.
    pub problems: Vec<(u32, String, bool)>,
}

type UserKey = (u32, Option<WordId>, Option<WordId>);

/// What is known of one thread or client while the log is read.
#[derive(Default)]
struct UserLog {
    requests: Vec<u32>,
    /// Sections that are open, by their position.
    open: Vec<usize>,
    /// Sections that were open together with others since nobody was inside.
    group: Vec<usize>,
    stray_exit: bool,
}

/// Finds the sections of a log.
pub fn sections(log: &Log) -> Sections {
    let mut found = Sections::default();
    let mut users: HashMap<UserKey, UserLog> = HashMap::new();
    let mut of_node: HashMap<u32, Vec<UserKey>> = HashMap::new();
    for (at, event) in log.events.iter().enumerate() {
        let at = at as u32;
        match event.kind {
            EventKind::Note | EventKind::Send | EventKind::Recv => continue,
            EventKind::Crash | EventKind::Recover => {
                crash(event, at, &of_node, &mut users, &mut found);
                continue;
            }
            _ => {}
        }
        let key = (event.node, event.thread, event.client);
        let user = users.entry(key).or_insert_with(|| {
            of_node.entry(key.0).or_default().push(key);
            UserLog::default()
        });
        match event.kind {
            EventKind::Request | EventKind::Asked => user.requests.push(at),
            EventKind::Enter | EventKind::Grant => enter(log, event, at, user, &mut found),
            EventKind::Exit | EventKind::Released | EventKind::Expire => exit(log, event, at, user, &mut found),
            EventKind::Cancel | EventKind::Deny => cancel(log, event, at, user, &mut found),
            _ => {}
        }
    }
    let leaves = log.events.iter().any(|e| matches!(e.kind, EventKind::Exit | EventKind::Crash | EventKind::Released));
    for (key, user) in &users {
        for section in &user.open {
            let last = user.open.last() == Some(section);
            let later = found.list[*section].enter;
            let again = user.requests.iter().any(|request| *request > later);
            let speaks_of_leases = found.list[*section].client.is_some();
            if !last || again || !(leaves || speaks_of_leases) {
                found.list[*section].end = SectionEnd::Unknown;
            }
        }
        if user.stray_exit {
            user.group.iter().for_each(|section| found.list[*section].nested = false);
        }
        let open = |event: &u32| OpenRequest { event: *event, node: key.0, thread: key.1, client: key.2 };
        found.waiting.extend(user.requests.iter().map(open));
    }
    found.waiting.sort_by_key(|request| request.event);
    if !leaves && let Some(first) = found.list.first().filter(|section| section.client.is_none()) {
        let message = "No line says when a section ends; expected a line at each exit.".to_owned();
        found.problems.push((first.enter, message, true));
    }
    expire_leases(log, &mut found);
    found
}

fn user_name(log: &Log, event: &LogEvent) -> String {
    match (event.client, event.thread) {
        (Some(client), _) => format!("client {}", log.words.word(client)),
        (None, Some(thread)) => format!("{}.{}", log.node_name(event.node), log.words.word(thread)),
        (None, None) => log.node_name(event.node).to_owned(),
    }
}

fn enter(log: &Log, event: &LogEvent, at: u32, user: &mut UserLog, found: &mut Sections) {
    let asked = |request: &u32| log.events[*request as usize].lock == event.lock;
    let request = user.requests.iter().position(asked).map(|position| user.requests.remove(position));
    let section = Section {
        node: event.node,
        thread: event.thread,
        client: event.client,
        lock: event.lock,
        range: event.range.or_else(|| log.events[request? as usize].range),
        reads: event.reads,
        request,
        enter: at,
        end: SectionEnd::Open,
        nested: false,
    };
    if let Some(inside) = user.open.iter().find(|inside| found.list[**inside].conflicts(&section)) {
        let since = log.place(&log.events[found.list[*inside].enter as usize]);
        let message = match event.client {
            None => format!("{} enters again before it leaves; it is inside since {since}.", user_name(log, event)),
            Some(_) => format!("{} is granted the lock that it has held since {since}.", user_name(log, event)),
        };
        found.problems.push((at, message, true));
    } else if event.kind == EventKind::Grant && request.is_none() {
        found.problems.push((
            at,
            format!("{} is granted the lock without asking for it.", user_name(log, event)),
            false,
        ));
    }
    if user.open.is_empty() {
        user.group.clear();
    }
    user.group.push(found.list.len());
    user.open.push(found.list.len());
    found.list.push(section);
}

fn exit(log: &Log, event: &LogEvent, at: u32, user: &mut UserLog, found: &mut Sections) {
    let fits = |section: &Section| {
        (event.lock.is_none() || section.lock == event.lock)
            && (event.range.is_none() || section.range.is_none() || section.range == event.range)
    };
    let Some(position) = user.open.iter().rposition(|section| fits(&found.list[*section])) else {
        user.stray_exit = true;
        let name = user_name(log, event);
        let (message, serious) = match event.kind {
            EventKind::Exit => (format!("{name} leaves without having entered."), true),
            EventKind::Expire => (format!("The time of {name} is up, but it does not hold the lock."), false),
            _ => (format!("{name} returns a lock that it does not hold."), false),
        };
        found.problems.push((at, message, serious));
        return;
    };
    let section = user.open.remove(position);
    found.list[section].end =
        if event.kind == EventKind::Expire { SectionEnd::Expired(at) } else { SectionEnd::Exit(at) };
    // ranges of one thread that do not meet are not the same section twice
    let twice = |a: &usize, b: &usize| a != b && found.list[*a].conflicts(&found.list[*b]);
    if user.open.is_empty() && user.group.len() > 1 {
        let doubled: Vec<usize> =
            user.group.iter().filter(|a| user.group.iter().any(|b| twice(a, b))).copied().collect();
        doubled.into_iter().for_each(|section| found.list[section].nested = true);
    }
}

fn cancel(log: &Log, event: &LogEvent, at: u32, user: &mut UserLog, found: &mut Sections) {
    let asked = |request: &u32| log.events[*request as usize].lock == event.lock;
    match user.requests.iter().position(asked) {
        Some(position) => {
            user.requests.remove(position);
        }
        None if event.kind == EventKind::Deny => {
            found.problems.push((at, format!("{} is refused without asking.", user_name(log, event)), false));
        }
        None => {}
    }
}

fn crash(
    event: &LogEvent,
    at: u32,
    of_node: &HashMap<u32, Vec<UserKey>>,
    users: &mut HashMap<UserKey, UserLog>,
    found: &mut Sections,
) {
    for key in of_node.get(&event.node).into_iter().flatten().filter(|key| key.2.is_none()) {
        let Some(user) = users.get_mut(key) else { continue };
        for section in user.open.drain(..) {
            found.list[section].end = SectionEnd::Crash(at);
        }
        user.requests.clear();
        user.group.clear();
    }
}

/// Leases whose time is up when the server grants the lock to the next client.
fn expire_leases(log: &Log, found: &mut Sections) {
    let mut last: HashMap<(u32, Option<WordId>), usize> = HashMap::new();
    for at in 0..found.list.len() {
        let section = &found.list[at];
        let Some(client) = section.client else { continue };
        let granted = &log.events[section.enter as usize];
        if let Some(before) = last.insert((section.node, section.lock), at) {
            let earlier = &found.list[before];
            let lease = &log.events[earlier.enter as usize];
            let over = match (lease.time, lease.ttl, granted.time) {
                (Some(since), Some(ttl), Some(now)) => since + ttl <= now,
                _ => false,
            };
            let kept = earlier.end.event().is_none_or(|end| end > section.enter);
            if over && kept && earlier.client != Some(client) {
                found.list[before].end = SectionEnd::Expired(found.list[at].enter);
            }
        }
    }
}
