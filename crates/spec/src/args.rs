//! The options of `lockstep run` and `lockstep check`, made from the table.

use crate::{Field, FieldKind, Spec, Use};
use clap::builder::{BoolishValueParser, StyledStr};
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};

/// The options of the use with this number in [`Use::ALL`].
pub struct SystemArgs<const OF: usize>(pub Spec);

/// One sentence of help with default and limits.
pub fn help(field: &Field, of: Use) -> String {
    let mut text = field.help.trim_end_matches('.').to_owned();
    let default = field.default(of).filter(|d| !d.is_empty()).map(|d| format!(" [default: {d}]"));
    let limits = field.bound(of).map(|b| format!(" [{}]", b.words()));
    text.extend(default.into_iter().chain(limits));
    text
}

fn option(field: &'static Field, of: Use) -> Arg {
    let arg = Arg::new(field.name).help(StyledStr::from(help(field, of)));
    match field.kind {
        FieldKind::Algorithm => arg.value_name("ALGO"),
        FieldKind::Params => arg.long("param").value_name("NAME=VALUE").action(ArgAction::Append),
        FieldKind::Flag => {
            let arg = arg.long(field.option()).value_name("BOOL").num_args(0..=1).default_missing_value("true");
            // `--symmetry true` was always read; elsewhere the algorithm may follow a flag
            arg.require_equals(field.name != "symmetry").value_parser(BoolishValueParser::new())
        }
        kind => arg.long(field.option()).value_name(kind_name(kind)).allow_negative_numbers(true),
    }
}

fn kind_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Duration => "DURATION",
        FieldKind::Share => "SHARE",
        FieldKind::Whole | FieldKind::Number | FieldKind::PerNode => "NUMBER",
        _ => "TEXT",
    }
}

impl<const OF: usize> clap::Args for SystemArgs<OF> {
    fn augment_args(command: Command) -> Command {
        let of = Use::ALL[OF].1;
        Field::of(of).fold(command, |command, field| command.arg(option(field, of)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const OF: usize> FromArgMatches for SystemArgs<OF> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut args = SystemArgs(Spec::default());
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let wrong = |message: String| Error::raw(clap::error::ErrorKind::ValueValidation, message + "\n");
        for field in Field::of(Use::ALL[OF].1) {
            if field.kind == FieldKind::Flag {
                *(field.slot)(&mut self.0) = matches.get_one::<bool>(field.name).map(bool::to_string);
            } else if field.kind != FieldKind::Params {
                *(field.slot)(&mut self.0) = matches.get_one::<String>(field.name).cloned();
            }
        }
        for text in matches.get_many::<String>("params").into_iter().flatten() {
            let Some((name, value)) = text.split_once('=') else {
                return Err(wrong(format!("param: {text} is not allowed; expected name=value, as variant=v2.")));
            };
            if self.0.given.insert(name.into(), value.into()).is_some() {
                return Err(wrong(format!("{name}: given twice; expected once.")));
            }
        }
        Ok(())
    }
}
