//! What a lock server does wrong, and what its clients do against its word.

use crate::event::{EventKind, WordId};
use crate::log::Log;
use crate::order::CausalOrder;
use crate::section::{Section, SectionEnd, Sections};
use hashbrown::HashMap;

/// An access that was accepted with a smaller fencing token than one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaleAccess {
    /// The access with the smaller token.
    pub event: u32,
    /// The access before it, with the larger token.
    pub after: u32,
}

/// Accesses that were accepted with too small a token, in the order of the log. A resource notes an
/// access with its token; its own lines are in order, so this needs no clock.
pub fn stale_accesses(log: &Log) -> Vec<StaleAccess> {
    let mut largest: HashMap<(u32, Option<WordId>), u32> = HashMap::new();
    let mut stale = Vec::new();
    for (at, event) in log.events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Note) {
        let Some(token) = event.token else { continue };
        let newest = largest.entry((event.node, event.lock)).or_insert(at as u32);
        match log.events[*newest as usize].token {
            Some(before) if token < before => stale.push(StaleAccess { event: at as u32, after: *newest }),
            _ => *newest = at as u32,
        }
    }
    stale
}

/// Finds grants and refusals that are wrong, and clients that enter before their grant or leave
/// after their release.
pub(crate) fn check(log: &Log, order: &CausalOrder, found: &mut Sections) {
    if !log.events.iter().any(|event| event.kind.is_of_server()) {
        return;
    }
    let mut problems = refused_though_free(log, found);
    problems.extend(tokens_of_grants(log));
    problems.extend(against_the_server(log, order, found));
    found.problems.extend(problems.into_iter().map(|(event, message)| (event, message, false)));
}

fn name(log: &Log, client: Option<WordId>) -> &str {
    client.map_or("?", |client| log.words.word(client))
}

/// Refusals while nobody holds the lock, in the order of the server's own lines.
fn refused_though_free(log: &Log, found: &Sections) -> Vec<(u32, String)> {
    type ServerLock = (u32, Option<WordId>);
    let mut changes: Vec<(u32, ServerLock, i32)> = Vec::new();
    let mut endless: HashMap<ServerLock, u32> = HashMap::new();
    for section in found.list.iter().filter(|section| section.client.is_some()) {
        let lock = (section.node, section.lock);
        changes.push((section.enter, lock, 1));
        match section.end {
            SectionEnd::Exit(end) | SectionEnd::Crash(end) | SectionEnd::Expired(end) => changes.push((end, lock, -1)),
            // it may have ended anywhere: nothing is said from here on
            SectionEnd::Unknown => {
                let since = endless.entry(lock).or_insert(section.enter);
                *since = section.enter.min(*since);
            }
            SectionEnd::Open => {}
        }
    }
    changes.sort_unstable();
    let mut changes = changes.into_iter().peekable();
    let mut held: HashMap<ServerLock, i32> = HashMap::new();
    let mut wrong = Vec::new();
    for (at, event) in log.events.iter().enumerate() {
        while let Some((_, lock, by)) = changes.next_if(|(change, ..)| *change <= at as u32) {
            *held.entry(lock).or_default() += by;
        }
        // a request for cells can be refused because of others, and a reader because of a writer
        let whole = event.range.is_none() && !event.reads;
        let lock = (event.node, event.lock);
        let known = endless.get(&lock).is_none_or(|since| *since > at as u32);
        if event.kind == EventKind::Deny && whole && known && held.get(&lock).is_none_or(|count| *count <= 0) {
            wrong.push((at as u32, format!("client {} is refused though the lock is free.", name(log, event.client))));
        }
    }
    wrong
}

/// Fencing tokens of grants that do not grow.
fn tokens_of_grants(log: &Log) -> Vec<(u32, String)> {
    let mut last: HashMap<(u32, Option<WordId>), i64> = HashMap::new();
    let mut wrong = Vec::new();
    for (at, event) in log.events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Grant) {
        let Some(token) = event.token else { continue };
        let before = last.insert((event.node, event.lock), token);
        if let Some(before) = before.filter(|before| token <= *before) {
            let client = name(log, event.client);
            wrong.push((at as u32, format!("client {client} is granted token {token} after token {before}.")));
        }
    }
    wrong
}

/// Clients that certainly enter before their grant, or leave after the server took their release.
/// The n-th entry belongs to the n-th grant; where the numbers differ, nothing is said.
fn against_the_server(log: &Log, order: &CausalOrder, found: &Sections) -> Vec<(u32, String)> {
    let mut views: HashMap<(u32, Option<WordId>), [Vec<&Section>; 2]> = HashMap::new();
    for section in &found.list {
        let client = section.client.map_or(Some(section.node), |client| log.node_named(log.words.word(client)));
        if let Some(node) = client {
            views.entry((node, section.lock)).or_default()[usize::from(section.client.is_some())].push(section);
        }
    }
    let mut wrong = Vec::new();
    for ((node, _), [own, granted]) in views.iter().filter(|(_, [own, granted])| own.len() == granted.len()) {
        let user = log.node_name(*node);
        let line = |event: u32| log.place(&log.events[event as usize]);
        for (section, grant) in own.iter().zip(granted) {
            if order.before(section.enter, grant.enter) {
                let granted = line(grant.enter);
                wrong.push((section.enter, format!("{user} enters before it is granted the lock ({granted}).")));
            }
            if let (SectionEnd::Exit(exit), SectionEnd::Exit(released)) = (section.end, grant.end)
                && order.before(released, exit)
            {
                let released = line(released);
                wrong.push((exit, format!("{user} leaves after the server took its release ({released}).")));
            }
        }
    }
    wrong.sort_unstable();
    wrong
}
