//! `cargo xtask serve`: the page on this machine, rebuilt on every change.

use std::net::TcpListener;

use anyhow::{Context, Result};

use crate::{args::Args, process, setup};

const ADDRESS: &str = "127.0.0.1";
/// Not dist/: the served page reloads itself, and the published page must not.
const SERVED: &str = "target/serve";

pub fn command(mut args: Args) -> Result<()> {
    let port = args.value("--port")?.unwrap_or_else(|| "8080".to_owned());
    let open = args.flag("--open");
    let dev = args.flag("--dev");
    args.finish()?;
    let port: u16 =
        port.parse().ok().with_context(|| format!("--port: `{port}` is not allowed; expected 0 to 65535"))?;

    let mut trunk = setup::trunk()?;
    // before the build, which takes a minute
    drop(
        TcpListener::bind((ADDRESS, port))
            .with_context(|| format!("Port {port} is in use; choose another with `--port`"))?,
    );
    trunk.args(["serve", "--address", ADDRESS, "--dist", SERVED]);
    trunk.arg("--port").arg(port.to_string());
    if !dev {
        trunk.arg("--release");
    }
    if open {
        trunk.arg("--open");
    }
    println!("\n    Lockstep: http://{ADDRESS}:{port}/    (once it is built; Ctrl-C stops it)\n");
    process::become_aside(trunk).context("The page could not be served")
}
