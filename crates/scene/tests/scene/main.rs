//! Pictures of real runs: properties of every arrangement and of the diagram, and the time that a
//! picture takes.

mod arrangements;
mod cells;
mod diagram;
mod golden;
mod labels;
mod living;
mod pointers;
mod runs;
mod speed;
