//! Conformance: runs the handlers of an algorithm along a log and finds the first event that the
//! algorithm does not allow.
//!
//! [`follow`] takes requests, receives, exits and crashes from the log as inputs of the nodes. What
//! the handlers send and grant goes into a bag; every send and entry of the log must be in the bag.
//! What a message contains comes from the node that sent it. Events are taken in an order that
//! agrees with happens-before, so the first event that is not allowed is the first in
//! happens-before, not in the file.
//!
//! A node may handle a message some time after the line that receives it: that is a longer delay of
//! the network. So if an output is not in the bag, `node.rs` tries other times for the last
//! messages before it gives up.

mod kinds;
mod link;
mod node;
mod system;
pub mod theory;

use hashbrown::HashMap;
use kinds::{Fit, fit, is_request};
use lockstep_algorithms::find;
use lockstep_kernel::erased::DynMsg;
use lockstep_kernel::{Call, Cells, Lock, Message, NodeId};
use lockstep_trace::event::{EventKind, LogEvent};
use lockstep_trace::{Conformance, Judgement};
use node::{Input, LocalEvent, NodeRun, Output};
use system::FollowedSystem;

/// The longest log that is followed, in events.
pub const MOST_EVENTS: usize = 200_000;

/// Follows a log with an algorithm; none if no algorithm is named by the caller or by the log.
pub fn follow(judgement: &Judgement, algorithm: Option<&str>) -> Option<Result<Conformance, String>> {
    let id = algorithm.map(str::to_owned).or_else(|| judgement.log.header.algorithm.clone())?;
    Some(conformance(judgement, &id))
}

fn conformance(judgement: &Judgement, id: &str) -> Result<Conformance, String> {
    let entry = find(id)?;
    let nodes = judgement.log.nodes.len();
    let mut answer =
        Conformance { algorithm: id.to_owned(), theory: theory::messages(id, nodes.max(1)), ..Conformance::default() };
    let unknown = |mut answer: Conformance, why: String| {
        answer.unknown = Some(why);
        Ok(answer)
    };
    if let Some(why) = silent_kind(judgement) {
        return unknown(answer, why);
    }
    let system = match FollowedSystem::of(judgement, entry) {
        Ok(system) => system,
        Err(why) => return unknown(answer, why),
    };
    let mut run = Follower::new(judgement, &system);
    let outcome = run.all();
    match outcome {
        FollowOutcome::Conforms => {
            answer.ok = Some(true);
            answer.owed = run.owed();
        }
        FollowOutcome::CannotSay(why) => answer.unknown = Some(why),
        FollowOutcome::Disallowed { event, reason, allowed } => {
            let of = &judgement.log.events[event as usize];
            answer.ok = Some(false);
            answer.first = Some(format!("{} ({}): {reason}", judgement.log.phrase(of), judgement.log.place(of)));
            answer.event = Some(event);
            answer.allowed = allowed;
            match link::before(entry, &system, &run.nodes, run.restarted) {
                Ok(link) => answer.link = Some(link),
                Err(why) => answer.no_link = Some(why),
            }
            answer.names = system.renamed(&judgement.log);
        }
    }
    Ok(answer)
}

/// A kind of message that is sent and never received in a log that may lack lines.
fn silent_kind(judgement: &Judgement) -> Option<String> {
    let log = &judgement.log;
    if log.events.len() > MOST_EVENTS {
        return Some(format!("The log has {} events; expected at most {MOST_EVENTS}.", log.events.len()));
    }
    if log.header.complete == Some(true) {
        return None;
    }
    let received = |kind: &Option<u32>| log.events.iter().any(|e| e.kind == EventKind::Recv && e.message == *kind);
    let silent = judgement.messages.by_kind.iter().find(|(kind, sent)| *sent > 1 && !received(kind))?;
    let name = silent.0.map_or("message", |kind| log.words.word(kind));
    Some(format!("No line says that a {name} was received, so nothing can be said about the algorithm."))
}

enum FollowOutcome {
    Conforms,
    CannotSay(String),
    Disallowed { event: u32, reason: String, allowed: Vec<String> },
}

/// The nodes of the system along a log.
struct Follower<'a> {
    judgement: &'a Judgement,
    system: &'a FollowedSystem,
    nodes: Vec<NodeRun>,
    /// What each send of the log contains, for each receiver.
    contents: HashMap<(u32, u32), DynMsg>,
    /// The send of each receive.
    sends: HashMap<u32, u32>,
    /// Whether the log has lines for requests.
    requests: bool,
    /// Whether a node crashed or began anew so far.
    restarted: bool,
}

impl<'a> Follower<'a> {
    fn new(judgement: &'a Judgement, system: &'a FollowedSystem) -> Self {
        let nodes = system.system.setup.ids().map(|id| NodeRun::new(&system.system, id)).collect();
        let sends = judgement.messages.arrows.iter().map(|arrow| (arrow.receive, arrow.send)).collect();
        let requests = judgement.log.events.iter().any(|event| event.kind == EventKind::Request);
        Follower { judgement, system, nodes, contents: HashMap::new(), sends, requests, restarted: false }
    }

    fn all(&mut self) -> FollowOutcome {
        for event in self.judgement.order.ranked.clone() {
            let of = &self.judgement.log.events[event as usize];
            if let Err(outcome) = self.step(event, of) {
                return outcome;
            }
        }
        FollowOutcome::Conforms
    }

    fn owed(&self) -> Vec<String> {
        let setup = &self.system.system.setup;
        let mut owed = Vec::new();
        for (node, id) in self.nodes.iter().zip(setup.ids()) {
            for output in node.bag() {
                match output {
                    Output::Send(to, msg) => {
                        owed.push(format!(
                            "{} still has to send {} to {}",
                            setup.name(id),
                            msg.label(setup),
                            setup.name(*to)
                        ));
                    }
                    Output::Grant(_) => owed.push(format!("{} may enter", setup.name(id))),
                    Output::Refuse(_) => owed.push(format!("{} is refused", setup.name(id))),
                }
            }
        }
        owed.truncate(50);
        owed
    }

    fn step(&mut self, event: u32, of: &LogEvent) -> Result<(), FollowOutcome> {
        let Some(node) = self.system.node(of.node) else { return Ok(()) };
        self.restarted |= matches!(of.kind, EventKind::Crash | EventKind::Recover);
        let thread = |s: &Self| s.system.thread(of.node, of.thread, &s.judgement.log);
        match of.kind {
            EventKind::Request => {
                let Some(thread) = self.nodes[node.index()].idle_thread(self.system, node, thread(self)) else {
                    return Err(self.disallowed(event, node, "it requests again before it is served".to_owned()));
                };
                let input = match self.system.cells(of) {
                    Some(cells) => Input::Lock(Lock::Create(thread, cells)),
                    None => Input::Call(Call::Request(thread)),
                };
                self.clock(node, event);
                self.nodes[node.index()].give(&self.system.system, LocalEvent::Input(input));
            }
            EventKind::Exit => {
                let Some(thread) = self.nodes[node.index()].inside_thread(thread(self)) else {
                    return Err(self.disallowed(event, node, "it leaves without being inside".to_owned()));
                };
                self.clock(node, event);
                self.nodes[node.index()]
                    .give(&self.system.system, LocalEvent::Input(Input::Call(Call::Release(thread))));
            }
            EventKind::Recv => self.receive(event, of, node)?,
            EventKind::Send => self.send(event, of, node)?,
            EventKind::Enter => self.enter(event, of, node)?,
            EventKind::Cancel => self.cancel(event, of, node)?,
            EventKind::Crash => self.nodes[node.index()].crash(),
            EventKind::Recover => self.nodes[node.index()] = NodeRun::new(&self.system.system, node),
            _ if of.kind.is_of_server() => {
                return Err(FollowOutcome::CannotSay(
                    "The log is a server's view; expected the events of the nodes.".to_owned(),
                ));
            }
            _ => {}
        }
        Ok(())
    }

    /// A stamp of the log overrides the node's clock: the priorities of the log count.
    fn clock(&mut self, node: NodeId, event: u32) {
        if self.system.exported {
            return;
        }
        let (log, local) = (&self.judgement.log, &self.judgement.order.local);
        let mut at = event;
        while let Some(next) = local.next(at) {
            let of = &log.events[next as usize];
            match of.kind {
                EventKind::Send if of.message.is_none_or(|kind| is_request(log.words.word(kind))) => {
                    if let Some(stamp) = of.stamp.and_then(|stamp| log.words.word(stamp).parse().ok()) {
                        self.nodes[node.index()].give(&self.system.system, LocalEvent::Clock(stamp));
                        return;
                    }
                }
                EventKind::Send | EventKind::Enter | EventKind::Note => {}
                _ => return,
            }
            at = next;
        }
    }

    fn receive(&mut self, event: u32, of: &LogEvent, node: NodeId) -> Result<(), FollowOutcome> {
        let log = &self.judgement.log;
        let send = self.sends.get(&event).copied();
        let from = send.map(|send| log.events[send as usize].node).or(of.from);
        let content = send.and_then(|send| self.contents.get(&(send, of.node))).cloned();
        let content = content.or_else(|| {
            // a send without a line: it must be owed by its sender
            let sender = self.system.node(from?)?;
            let kind = of.message.map(|kind| log.words.word(kind));
            let setup = &self.system.system.setup;
            let fits = |output: &Output| match output {
                Output::Send(to, msg) => *to == node && fit(kind, msg, setup) != Fit::No,
                _ => false,
            };
            send.is_none().then(|| self.nodes[sender.index()].take(fits)).flatten()
        });
        let (Some(content), Some(from)) = (content, from.and_then(|from| self.system.node(from))) else {
            let phrase = log.phrase(of);
            return Err(FollowOutcome::CannotSay(format!(
                "{phrase} ({}): no line says which message of whom this is.",
                log.place(of)
            )));
        };
        self.clock(node, event);
        self.nodes[node.index()].give(&self.system.system, LocalEvent::Input(Input::Message(from, content)));
        Ok(())
    }

    fn send(&mut self, event: u32, of: &LogEvent, node: NodeId) -> Result<(), FollowOutcome> {
        let log = &self.judgement.log;
        let kind = of.message.map(|kind| log.words.word(kind));
        let mut receivers = Vec::new();
        of.to.each(of.node, log.nodes.len() as u32, |to| receivers.push(to));
        for receiver in receivers {
            let Some(to) = self.system.node(receiver) else { continue };
            let wanted = LocalEvent::Send { to, kind: kind.map(str::to_owned), content: None };
            let mut taken = self.nodes[node.index()].output(self.system, wanted.clone());
            if taken.is_none() && !self.requests && kind.is_none_or(is_request) {
                taken = self.request_silently(of, node, wanted);
            }
            match taken {
                Some(Output::Send(_, msg)) => {
                    self.contents.insert((event, receiver), msg);
                }
                _ => {
                    let reason = self.reason(event, of, node, receiver);
                    return Err(self.disallowed(event, node, reason));
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, event: u32, of: &LogEvent, node: NodeId) -> Result<(), FollowOutcome> {
        let thread = self.system.thread(of.node, of.thread, &self.judgement.log);
        let mut taken = self.nodes[node.index()].output(self.system, LocalEvent::Enter(thread));
        if taken.is_none() && !self.requests {
            taken = self.request_silently(of, node, LocalEvent::Enter(thread));
        }
        if taken.is_none() {
            let reason = match self.nodes[node.index()].is_waiting() {
                true => "it enters before the algorithm lets it in".to_owned(),
                false => "it enters without a request".to_owned(),
            };
            return Err(self.disallowed(event, node, reason));
        }
        Ok(())
    }

    /// A log without lines for requests: a thread requests when its first effect shows.
    fn request_silently(&mut self, of: &LogEvent, node: NodeId, wanted: LocalEvent) -> Option<Output> {
        let thread = self.system.thread(of.node, of.thread, &self.judgement.log);
        let thread = self.nodes[node.index()].idle_thread(self.system, node, thread)?;
        let input = match self.system.ranges {
            true => Input::Lock(Lock::Create(thread, self.system.cells(of).unwrap_or(Cells::WHOLE))),
            false => Input::Call(Call::Request(thread)),
        };
        self.nodes[node.index()].give(&self.system.system, LocalEvent::Input(input));
        self.nodes[node.index()].output(self.system, wanted)
    }

    fn cancel(&mut self, event: u32, of: &LogEvent, node: NodeId) -> Result<(), FollowOutcome> {
        let thread = self.system.thread(of.node, of.thread, &self.judgement.log);
        if self.nodes[node.index()].output(self.system, LocalEvent::Refuse(thread)).is_some() {
            return Ok(());
        }
        let Some(thread) = self.nodes[node.index()].waiting_thread(thread) else {
            return Err(self.disallowed(event, node, "it cancels without waiting".to_owned()));
        };
        if !self.system.cancels {
            return Err(self.disallowed(event, node, "this algorithm does not let a thread cancel".to_owned()));
        }
        self.nodes[node.index()].give(&self.system.system, LocalEvent::Input(Input::Lock(Lock::Cancel(thread))));
        Ok(())
    }

    fn disallowed(&self, event: u32, node: NodeId, reason: String) -> FollowOutcome {
        let setup = &self.system.system.setup;
        let allowed = self.nodes[node.index()].bag().iter().map(|output| match output {
            Output::Send(to, msg) => format!("send {} to {}", msg.label(setup), setup.name(*to)),
            Output::Grant(_) => "enter".to_owned(),
            Output::Refuse(_) => "refuse".to_owned(),
        });
        let allowed: Vec<String> = allowed.collect();
        let reason = match self.nodes[node.index()].impossible() {
            Some(why) => format!("{reason} ({why})"),
            None => reason,
        };
        FollowOutcome::Disallowed { event, reason, allowed }
    }

    /// Why a send is not allowed.
    fn reason(&self, event: u32, of: &LogEvent, node: NodeId, receiver: u32) -> String {
        let log = &self.judgement.log;
        if let Some(reason) = self.replies_too_early(event, of, receiver) {
            return reason;
        }
        let sends: Vec<String> = self.nodes[node.index()]
            .bag()
            .iter()
            .filter_map(|output| match output {
                Output::Send(to, msg) => {
                    let setup = &self.system.system.setup;
                    Some(format!("{} to {}", msg.label(setup), setup.name(*to)))
                }
                _ => None,
            })
            .collect();
        let kind = of.message.map_or("this message", |kind| log.words.word(kind));
        match sends.as_slice() {
            [] => format!("the algorithm sends no {kind} here"),
            sends => {
                format!("the algorithm sends {} here, not {kind} to {}", sends.join(", "), log.node_name(receiver))
            }
        }
    }

    /// Replying to a younger request: both stamps are in the log.
    fn replies_too_early(&self, event: u32, of: &LogEvent, receiver: u32) -> Option<String> {
        let log = &self.judgement.log;
        if is_request(log.words.word(of.message?)) {
            return None;
        }
        let own = &self.judgement.order.local.of_node[of.node as usize];
        let before = &own[..self.judgement.order.local.place[event as usize] as usize - 1];
        let is_asking =
            |e: &&LogEvent| e.stamp.is_some() && e.message.is_some_and(|kind| is_request(log.words.word(kind)));
        let mut past = before.iter().rev().map(|at| &log.events[*at as usize]);
        let theirs = past.clone().filter(is_asking).find(|e| e.kind == EventKind::Recv && e.from == Some(receiver))?;
        let mine = past.find(|e| is_asking(e) && e.kind == EventKind::Send)?;
        Some(format!(
            "replies to {} ({}) although its own request ({}) comes first",
            log.node_name(receiver),
            log.words.word(theirs.stamp?),
            log.words.word(mine.stamp?)
        ))
    }
}
