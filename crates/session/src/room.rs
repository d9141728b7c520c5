//! The room of the stage: how large the picture is drawn, and where facts and legend stand.

use lockstep_scene::{Arrangement, Layout, Room};

/// The factor by which the picture is enlarged where there is more room than on a small laptop; the
/// largest that fits when presenting.
pub fn zoom(room: Room, presenting: bool) -> f64 {
    let spare = (room.width / 758.0).min(room.height / 440.0);
    if presenting { spare } else { spare.max(1.0).sqrt() }.clamp(1.0, 1.6)
}

/// Whether there is room beside the cards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpareRoom {
    /// For the facts, which otherwise stand above the picture.
    pub facts: bool,
    /// For the legend, which otherwise stands below it.
    pub legend: bool,
}

impl SpareRoom {
    /// The room that a layout leaves; a layout whose cards move leaves none.
    pub fn beside(layout: &Layout, room: Room, zoom: f64) -> SpareRoom {
        let stays = layout.arrange != Arrangement::Living;
        SpareRoom {
            facts: stays
                && layout.cards.iter().all(|c| c.x * zoom > 170.0 || c.y * zoom > 96.0)
                && layout.hulls.iter().all(|h| h.bounds.x * zoom > 150.0),
            legend: stays
                && layout.bar.is_none()
                && room.height > 330.0
                && layout.cards.iter().all(|c| c.x * zoom > 220.0),
        }
    }

    /// Room that was once missing stays missing. Facts and legend above and below take room from
    /// the picture, whose layout may then leave room beside it: without this they would alternate.
    pub fn and(self, found: SpareRoom) -> SpareRoom {
        SpareRoom { facts: self.facts && found.facts, legend: self.legend && found.legend }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_was_once_missing_stays_missing() {
        let (all, none) = (SpareRoom { facts: true, legend: true }, SpareRoom { facts: false, legend: false });
        assert_eq!((all.and(all), all.and(none), none.and(all)), (all, none, none));
    }

    #[test]
    fn a_large_room_has_a_large_picture() {
        let laptop = Room { width: 742.0, height: 400.0 };
        let hall = Room { width: 1900.0, height: 760.0 };
        assert_eq!((zoom(laptop, false), zoom(laptop, true)), (1.0, 1.0));
        assert!(zoom(hall, false) > 1.2 && zoom(hall, true) > zoom(hall, false));
        assert_eq!(zoom(hall.times(4.0), true), 1.6, "up to a limit");
    }
}
