//! The title of an event: what happens, in the words of scripts and lists.

use crate::world::{Event, Flight, System, World};
use crate::{Algorithm, Message, ThreadId};

impl<A: Algorithm> World<A> {
    /// The event as text.
    pub fn title(&self, system: &System<A>, event: Event) -> String {
        let setup = &system.setup;
        let here = |thread: ThreadId| setup.name(self.threads[thread.index()].at);
        let described = |flight: Option<&Flight<A::Msg>>| match flight {
            Some(f) if f.is_local() => f.msg.label(setup),
            Some(f) => format!("{} {}→{}", f.msg.label(setup), setup.name(f.from), setup.name(f.to)),
            None => "a message that no longer exists".into(),
        };
        let what = |id: u32| described(self.flight(id));
        let user = |thread: ThreadId| {
            let (name, at) = (setup.thread_name(thread), here(thread));
            if setup.home(thread) == self.threads[thread.index()].at { name } else { format!("{name} (now at {at})") }
        };
        match event {
            Event::Request(t) => format!("{} asks", user(t)),
            Event::Lock(t, cells) => format!("{} asks for {cells}", user(t)),
            Event::Cancel(t) => format!("{} gives up", user(t)),
            Event::Release(t) => format!("{} leaves", user(t)),
            Event::Deliver(id) => match self.flight(id) {
                Some(f) if f.is_local() => format!("{}: {}", setup.name(f.to), f.msg.label(setup)),
                flight => format!("deliver {}", described(flight)),
            },
            Event::Drop(id) => format!("lose {}", what(id)),
            Event::Duplicate(id) => format!("double {}", what(id)),
            Event::Hold(id) => format!("hold {}", what(id)),
            Event::Resume(id) => format!("let go {}", what(id)),
            Event::Crash(n) => format!("{} crashes", setup.name(n)),
            Event::Restart(n) => format!("{} restarts", setup.name(n)),
            Event::Migrate(t, to) => format!("{} migrates to {}", user(t), setup.name(to)),
        }
    }
}
