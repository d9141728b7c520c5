//! Our worlds as a model for stateright, for a second opinion and for comparing speeds.

use lockstep_kernel::world::{Faults, System, World};
use lockstep_kernel::{Algorithm, Effects, Event, Setup};
use stateright::{Checker, Model, Property};
use std::fmt::{Debug, Formatter};
use std::hash::{Hash, Hasher};

/// A world as a state for stateright.
pub struct State<A: Algorithm>(World<A>);

impl<A: Algorithm> Clone for State<A> {
    fn clone(&self) -> Self {
        State(self.0.clone())
    }
}
impl<A: Algorithm> Hash for State<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<A: Algorithm> PartialEq for State<A> {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint() == other.0.fingerprint()
    }
}
impl<A: Algorithm> Debug for State<A> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0.nodes)
    }
}

/// A small system as a model.
pub struct Small<A: Algorithm> {
    system: System<A>,
    requests: u32,
}

impl<A: Algorithm> Model for Small<A>
where
    A::Node: Send + Sync,
    A::Msg: Send + Sync,
{
    type State = State<A>;
    type Action = Event;

    fn init_states(&self) -> Vec<State<A>> {
        vec![State(World::start(&self.system, self.requests, Faults::default()))]
    }

    fn actions(&self, state: &State<A>, actions: &mut Vec<Event>) {
        state.0.enabled(&self.system, actions);
    }

    fn next_state(&self, last: &State<A>, event: Event) -> Option<State<A>> {
        let mut world = last.0.clone();
        world.apply(&self.system, event, &mut Effects::new(self.system.setup.without));
        Some(State(world))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("safe", |model: &Self, state: &State<A>| state.0.violation(&model.system).is_none())]
    }
}

/// Stateright's state count, and whether an invariant is violated.
pub fn stateright<A>(setup: &Setup, requests: u32) -> (usize, bool)
where
    A: Algorithm + Send + Sync,
    A::Node: Send + Sync,
    A::Msg: Send + Sync,
{
    let checker = Small { system: System::<A>::new(setup.clone()), requests }.checker().spawn_bfs().join();
    (checker.unique_state_count(), checker.discovery("safe").is_some())
}
