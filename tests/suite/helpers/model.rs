//! Our worlds as a model for stateright, for a second opinion and for comparing speeds.

use lockstep_kernel::world::{Faults, System, World};
use lockstep_kernel::{Algorithm, Effects, Event, Setup};
use stateright::{Checker, Model, Property};
use std::fmt::{Debug, Formatter};
use std::hash::{Hash, Hasher};

/// A world as a state for stateright.
pub struct ModelState<A: Algorithm>(World<A>);

impl<A: Algorithm> Clone for ModelState<A> {
    fn clone(&self) -> Self {
        ModelState(self.0.clone())
    }
}
impl<A: Algorithm> Hash for ModelState<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl<A: Algorithm> PartialEq for ModelState<A> {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint() == other.0.fingerprint()
    }
}
impl<A: Algorithm> Debug for ModelState<A> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0.nodes)
    }
}

/// A small system as a model.
pub struct SmallModel<A: Algorithm> {
    system: System<A>,
    requests: u32,
}

impl<A: Algorithm> Model for SmallModel<A>
where
    A::Node: Send + Sync,
    A::Msg: Send + Sync,
{
    type State = ModelState<A>;
    type Action = Event;

    fn init_states(&self) -> Vec<ModelState<A>> {
        vec![ModelState(World::start(&self.system, self.requests, Faults::default()))]
    }

    fn actions(&self, state: &ModelState<A>, actions: &mut Vec<Event>) {
        state.0.enabled(&self.system, actions);
    }

    fn next_state(&self, last: &ModelState<A>, event: Event) -> Option<ModelState<A>> {
        let mut world = last.0.clone();
        world.apply(&self.system, event, &mut Effects::new(self.system.setup.without));
        Some(ModelState(world))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("safe", |model: &Self, state: &ModelState<A>| state.0.violation(&model.system).is_none())]
    }
}

/// Stateright's state count, and whether an invariant is violated.
pub fn stateright<A>(setup: &Setup, requests: u32) -> (usize, bool)
where
    A: Algorithm + Send + Sync,
    A::Node: Send + Sync,
    A::Msg: Send + Sync,
{
    let checker = SmallModel { system: System::<A>::new(setup.clone()), requests }.checker().spawn_bfs().join();
    (checker.unique_state_count(), checker.discovery("safe").is_some())
}
