//! Hues and markers, and the style sheet that gives classes their colours.

/// Hue and marker of each style: colours that differ for colour-blind readers come first, and no
/// two have hue and marker in common. Light (also print), dark, marker.
pub const STYLES: [(&str, &str, Marker); 25] = [
    ("#0072B2", "#56B4E9", Marker::Circle),
    ("#B35900", "#F2A65A", Marker::Square),
    ("#00805D", "#3CCB9B", Marker::Triangle),
    ("#9C4C87", "#E09BCB", Marker::Diamond),
    ("#55616F", "#9AA7B6", Marker::Cross),
    ("#8A6D00", "#E6C229", Marker::Down),
    ("#5B4BC4", "#A99BFF", Marker::Plus),
    ("#A33A3A", "#F08A80", Marker::Ring),
    ("#0F766E", "#4FD1C5", Marker::Square),
    ("#7A4B1E", "#D6A46A", Marker::Circle),
    ("#2457C5", "#7AA2FF", Marker::Triangle),
    ("#6B7F00", "#B9D13C", Marker::Diamond),
    ("#0072B2", "#56B4E9", Marker::Diamond),
    ("#B35900", "#F2A65A", Marker::Down),
    ("#00805D", "#3CCB9B", Marker::Circle),
    ("#9C4C87", "#E09BCB", Marker::Square),
    ("#55616F", "#9AA7B6", Marker::Circle),
    ("#8A6D00", "#E6C229", Marker::Triangle),
    ("#5B4BC4", "#A99BFF", Marker::Circle),
    ("#A33A3A", "#F08A80", Marker::Triangle),
    ("#0F766E", "#4FD1C5", Marker::Down),
    ("#7A4B1E", "#D6A46A", Marker::Plus),
    ("#2457C5", "#7AA2FF", Marker::Cross),
    ("#6B7F00", "#B9D13C", Marker::Ring),
    ("#A3277A", "#F472B6", Marker::Down),
];

/// The form of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marker {
    /// A filled disc.
    Circle,
    /// A filled square.
    Square,
    /// A filled triangle.
    Triangle,
    /// A filled square on its corner.
    Diamond,
    /// Two strokes, slanted.
    Cross,
    /// A filled triangle on its corner.
    Down,
    /// Two strokes, upright.
    Plus,
    /// A circle that is not filled.
    Ring,
}

/// The style sheet of charts: everything but the hues, which [`crate::Picture::svg`] adds for the
/// styles it uses.
pub const STYLE: &str = "\
.chart{--ground:#fff;--ink:#17202B;--muted:#55616F;--hairline:#D5DCE4;font:13px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink)}
.chart .ground{fill:var(--ground)}
.chart .title{font-size:16px;font-weight:600}
.chart .panel-title{font-weight:600}
.chart .note{font-size:11.5px;fill:var(--muted)}
.chart .tick{font-size:12px;fill:var(--muted)}
.chart .grid{stroke:var(--hairline);stroke-width:1;fill:none}
.chart .axis{stroke:var(--muted);stroke-width:1;fill:none}
.chart .line{stroke:var(--hue);stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}
.chart .theory{stroke:var(--hue);stroke-width:1.5;stroke-dasharray:6 4;fill:none}
.chart .band{fill:var(--hue);fill-opacity:.18;stroke:none}
.chart .bar{stroke:var(--hue);stroke-width:1.25;stroke-opacity:.7}
.chart .mark{fill:var(--hue);stroke:var(--ground);stroke-width:1}
.chart .mark.open{fill:none;stroke:var(--hue);stroke-width:1.75}
.chart .ghost{fill:var(--ground);fill-opacity:.6;stroke:var(--hue);stroke-width:1.5;stroke-opacity:.75}
.chart .label{fill:var(--hue);font-weight:600;paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
.chart .leader{stroke:var(--hue);stroke-width:1;stroke-opacity:.6;fill:none}
.chart .key{fill:var(--ink)}
.chart .off{opacity:.35}
";

/// The dark colours, where the page is dark; a printed page stays ink on white.
pub const DARK: &str = ".chart{--ground:#161D27;--ink:#E7ECF3;--muted:#9AA7B6;--hairline:#2A3442}";
