//! Pictures of real runs: what is promised of every arrangement, of the diagram, and of how long a picture takes.

mod arrangements;
mod cells;
mod diagram;
mod golden;
mod living;
mod pointers;
mod runs;
mod speed;
mod texts;
