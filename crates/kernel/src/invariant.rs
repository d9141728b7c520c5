//! Invariants: what must hold in every state. Algorithms choose among these and supply the
//! functions that say what a token or an owner is.

use crate::world::{System, World};
use crate::{Algorithm, NodeId};

/// A property of single states.
pub struct Invariant<A: Algorithm> {
    /// Its name on the page and in scripts.
    pub name: &'static str,
    /// Checks it; the error says why it does not hold.
    #[expect(clippy::type_complexity, reason = "one function, named by its field")]
    pub check: Box<dyn Fn(&System<A>, &World<A>) -> Result<(), String> + Send + Sync>,
}

/// At most one thread is in the critical section; of a divided resource: no two have a cell in
/// common.
pub fn mutual_exclusion<A: Algorithm>() -> Invariant<A> {
    Invariant {
        name: "mutual exclusion",
        check: Box::new(|system, world| {
            for a in world.inside() {
                let mine = world.threads[a.index()].cells;
                let mut others = world.inside().filter(|b| *b > a);
                if let Some(b) = others.find(|b| mine.overlaps(world.threads[b.index()].cells)) {
                    let name = |t| system.setup.thread_name(t);
                    return Err(format!("{} and {} are both in the critical section", name(a), name(b)));
                }
            }
            Ok(())
        }),
    }
}

/// Exactly one token exists, at a node or in a message.
pub fn one_token<A: Algorithm>(has: fn(&A::Node) -> bool, carries: fn(&A::Msg) -> bool) -> Invariant<A> {
    Invariant {
        name: "one token",
        check: Box::new(move |_, world| {
            let held = world.nodes.iter().filter(|n| has(n)).count();
            let moving = world.flights.iter().filter(|f| carries(&f.msg)).count();
            match held + moving {
                1 => Ok(()),
                0 => Err("the token is lost".into()),
                n => Err(format!("there are {n} tokens")),
            }
        }),
    }
}

/// Following the owner pointers from any node leads to the token holder, or to the node that the
/// token travels to.
pub fn owner_chains<A: Algorithm>(
    owner: fn(&A::Node) -> NodeId,
    has: fn(&A::Node) -> bool,
    carries: fn(&A::Msg) -> bool,
) -> Invariant<A> {
    Invariant {
        name: "owner chains",
        check: Box::new(move |system, world| {
            let mut reaches: Vec<bool> = world.nodes.iter().map(has).collect();
            for flight in world.flights.iter().filter(|f| carries(&f.msg)) {
                reaches[flight.to.index()] = true;
            }
            for start in system.setup.ids() {
                let end = follow(start, world.nodes.len(), |at| {
                    (!reaches[at.index()]).then(|| owner(&world.nodes[at.index()]))
                });
                if !reaches[end.index()] {
                    return Err(format!(
                        "the chain of probable owners from {} does not reach the token",
                        system.setup.name(start)
                    ));
                }
                reaches[start.index()] = true;
            }
            Ok(())
        }),
    }
}

/// Following the owner pointers from any node leads to a node without one: the tail of a
/// distributed queue.
pub fn owners_lead_to_a_tail<A: Algorithm>(owner: fn(&A::Node) -> Option<NodeId>) -> Invariant<A> {
    Invariant {
        name: "owner chains",
        check: Box::new(move |system, world| {
            for start in system.setup.ids() {
                let mut at = start;
                let mut hops = 0;
                while let Some(next) = owner(&world.nodes[at.index()]) {
                    at = next;
                    hops += 1;
                    if hops > world.nodes.len() {
                        return Err(format!("the owner pointers from {} form a cycle", system.setup.name(start)));
                    }
                }
            }
            Ok(())
        }),
    }
}

/// The last node of a chain of pointers, or the one after so many hops.
fn follow(start: NodeId, hops: usize, next: impl Fn(NodeId) -> Option<NodeId>) -> NodeId {
    let mut at = start;
    for _ in 0..hops {
        match next(at) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}
