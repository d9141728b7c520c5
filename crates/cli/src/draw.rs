//! `lockstep draw`: a step of a scenario or a link as a picture, drawn by the code that draws the
//! page.

use crate::answer::{BadInput, CommandOutput};
use crate::replay::Tape;
use anyhow::Context;
use lockstep_kernel::Frame;
use lockstep_scenario::link::Address;
use lockstep_scene::diagram::{self, DiagramAxis, DiagramInput, NamedStep};
use lockstep_scene::{Arrangement, Painter, Room, Scene, StageInput, to_svg};
use resvg::{tiny_skia, usvg};
use std::path::PathBuf;

/// Options of `draw`.
#[derive(clap::Args)]
pub struct Args {
    /// A scenario file, a run saved by the page, the id of a prepared scenario, or a link
    #[arg(value_name = "FILE|LINK")]
    what: String,
    /// The step to draw, or the name of a stop [default: the step at which the page opens]
    #[arg(long, value_name = "STEP|STOP")]
    at: Option<String>,
    /// Draw the space-time diagram instead of the stage
    #[arg(long)]
    diagram: bool,
    /// Scale the diagram by virtual time instead of a column for each event
    #[arg(long, requires = "diagram")]
    by_time: bool,
    /// Arrangement of the nodes: auto, initial, living, ring or clusters
    #[arg(long, value_name = "NAME")]
    layout: Option<String>,
    /// Width and height of the picture; the height of a diagram depends on its lanes
    #[arg(long, value_name = "WxH", default_value = "960x600")]
    size: String,
    /// The file to write, .svg or .png (PNG at twice the size, for slides) [default: print SVG]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The allowed width and height in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 200..=4000;

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let room = room(&args.size)?;
    let layout = args.layout.clone().or(Address::of(&args.what).layout);
    let arrange = match &layout {
        Some(name) => Arrangement::named(name).ok_or_else(|| {
            let names = Arrangement::ALL.map(|(name, _)| name).join(", ");
            BadInput::one(format!("layout: `{name}` is not allowed; expected one of {names}"))
        })?,
        None => Arrangement::Auto,
    };
    let tape = Tape::of(&args.what)?;
    let mut frames = Vec::new();
    let player = tape.play(|frame| frames.push(frame.clone()));
    let at = step(args.at.as_deref(), &tape, &frames)?;
    let scene = if args.diagram {
        let stops: Vec<NamedStep<'_>> =
            tape.stops.iter().map(|(index, name, _)| NamedStep { index: *index, name }).collect();
        let axis = if args.by_time { DiagramAxis::Time } else { DiagramAxis::Events };
        let plain = DiagramInput::new(&frames, at, player.setup(), room.width);
        diagram::draw(&DiagramInput { stops: &stops, axis, ..plain })
    } else {
        let before = at.checked_sub(1).map(|before| &frames[before]);
        let plain = StageInput::new(&frames[at], player.setup(), tape.algorithm.tree_link, room);
        Painter::new().draw_stage(&StageInput { arrange, before, ..plain }).scene
    };
    let svg = to_svg(&scene);
    let Some(out) = &args.out else { return Ok(CommandOutput { out: svg, complaints: tape.complaints }) };
    let bytes = match out.extension().and_then(|kind| kind.to_str()) {
        Some("svg") => svg.into_bytes(),
        Some("png") => png(&svg)?,
        _ => {
            return Err(BadInput::one(format!(
                "out: `{}` is not allowed; expected a file name that ends in .svg or .png",
                out.display()
            ))
            .into());
        }
    };
    std::fs::write(out, bytes).with_context(|| format!("`{}` cannot be written", out.display()))?;
    Ok(CommandOutput { out: describe(&scene), complaints: tape.complaints })
}

/// What the picture shows, in words.
fn describe(scene: &Scene) -> String {
    format!("{}\n{}\n", scene.title, scene.about)
}

fn room(size: &str) -> Result<Room, BadInput> {
    let side = |text: &str| text.parse().ok().filter(|side| SIDES.contains(side)).map(f64::from);
    let sides = size.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
    let (width, height) = sides.ok_or_else(|| {
        BadInput::one(format!(
            "size: `{size}` is not allowed; expected WIDTHxHEIGHT such as 960x600, each from {} to {}",
            SIDES.start(),
            SIDES.end()
        ))
    })?;
    Ok(Room { width, height })
}

/// The step named by `--at`: the name of a stop, or else a number.
fn step(at: Option<&str>, tape: &Tape, frames: &[Frame]) -> Result<usize, BadInput> {
    let Some(at) = at else { return Ok(tape.opens) };
    let last = frames.len() - 1;
    let stop = tape.stops.iter().find(|(_, name, _)| name == at).map(|(step, ..)| *step);
    stop.or_else(|| at.parse().ok().filter(|step| *step <= last)).ok_or_else(|| {
        let names: Vec<&str> = tape.stops.iter().map(|(_, name, _)| name.as_str()).collect();
        let stops =
            if names.is_empty() { String::new() } else { format!(", or one of the stops {}", names.join(", ")) };
        BadInput::one(format!("at: `{at}` is not allowed; expected a step from 0 to {last}{stops}"))
    })
}

/// The picture as PNG, with the fonts of this machine.
fn png(svg: &str) -> anyhow::Result<Vec<u8>> {
    const SCALE: f32 = 2.0;
    let mut options = usvg::Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let Some(any) = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone())) else {
        return Err(BadInput::one("A PNG needs a font, and this machine has none; write a .svg file instead.").into());
    };
    let known = |name: &str| fonts.faces().any(|face| face.families.iter().any(|(family, _)| family == name));
    let sans = ["Arial", "Liberation Sans", "DejaVu Sans"].into_iter().find(|name| known(name)).map(str::to_owned);
    fonts.set_sans_serif_family(sans.unwrap_or(any));
    let picture = usvg::Tree::from_str(svg, &options).context("The SVG cannot be converted")?;
    let size = picture.size().to_int_size().scale_by(SCALE).context("The picture is empty")?;
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).context("The picture is empty")?;
    resvg::render(&picture, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().context("The picture cannot be written as PNG")
}
