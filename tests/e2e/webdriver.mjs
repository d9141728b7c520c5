// Firefox and WebKit without a tool chain of their own: the WebDriver commands that a smoke test
// needs. Firefox speaks them over a socket (Marionette), WebKit's driver over HTTP.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE = 60_000; // milliseconds until a browser must have started
const SCRIPT = 280_000; // milliseconds that a script in the page may take

const pause = (ms) => new Promise((go) => setTimeout(go, ms));

/** A port that is free. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Tries again until it works or time is up. */
async function patiently(what, work) {
  const until = Date.now() + PATIENCE;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw new Error(`${what} does not answer: ${error.message}`);
      await pause(200);
    }
  }
}

/** What a page of either browser can do, over its commands. */
function page(send, close) {
  return {
    goto: (url) => send('Navigate', { url }),
    reload: () => send('Refresh', {}),
    /** Runs an asynchronous function in the page and returns what it returns, as JSON. */
    async evaluate(work, ...args) {
      const script = `const [done, ...args] = [arguments[arguments.length - 1], ...[...arguments].slice(0, -1)];
        (${work})(...args).then((value) => done(JSON.stringify({ value })), (why) => done(JSON.stringify({ why: String(why) })));`;
      const { value, why } = JSON.parse(await send('ExecuteAsyncScript', { script, args }));
      if (why) throw new Error(why);
      return value;
    },
    close,
  };
}

/** Firefox, headless, with a fresh profile. */
export async function firefox(program) {
  const profile = mkdtempSync(join(tmpdir(), 'lockstep-firefox-'));
  const port = await freePort();
  const preferences = { 'marionette.port': port, 'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false, 'network.captive-portal-service.enabled': false };
  writeFileSync(join(profile, 'user.js'), Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''));
  const browser = spawn(program, ['--headless', '--marionette', '--no-remote', '--profile', profile], { stdio: 'ignore', env: { ...process.env, HOME: profile } });
  const socket = await patiently('Firefox', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  });
  const waiting = new Map();
  let text = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data) => {
    text = Buffer.concat([text, data]);
    for (;;) {
      const colon = text.indexOf(58);
      const length = Number(text.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || text.length < colon + 1 + length) return;
      const message = JSON.parse(text.subarray(colon + 1, colon + 1 + length).toString());
      text = text.subarray(colon + 1 + length);
      if (Array.isArray(message)) waiting.get(message[1])?.(message);
    }
  });
  let last = 0;
  const send = (name, parameters) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ([, , error, result]) => (waiting.delete(id), error ? reject(new Error(`${name}: ${error.message}`)) : resolve(result?.value ?? result)));
      const message = JSON.stringify([0, id, `WebDriver:${name}`, parameters]);
      socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
  await send('NewSession', { capabilities: {} });
  await send('SetTimeouts', { script: SCRIPT, pageLoad: PATIENCE });
  await send('SetWindowRect', { width: 1366, height: 900 });
  return page(send, async () => {
    socket.destroy();
    browser.kill('SIGKILL');
    await once(browser, 'exit').catch(() => {});
    await pause(300);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
}

/** WebKit: GTK's small browser under its driver, on a screen of its own where there is none. */
export async function webkit(program, browser) {
  const home = mkdtempSync(join(tmpdir(), 'lockstep-webkit-'));
  const running = [];
  const start = (name, words, env) => running.push(spawn(name, words, { stdio: 'ignore', env })) && running.at(-1);
  // containers and CI run as root, where WebKit's own sandbox does not start
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, XDG_RUNTIME_DIR: home, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1', GDK_BACKEND: 'x11' };
  if (!env.DISPLAY) {
    env.DISPLAY = `:${90 + (process.pid % 900)}`;
    start('Xvfb', [env.DISPLAY, '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], env);
    await pause(1_500);
  }
  const port = await freePort();
  start(program, [`--port=${port}`], env);
  const call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body), headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(SCRIPT + PATIENCE) });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value?.message || value?.error || response.status}`);
    return value;
  };
  const options = { binary: browser, args: ['--automation'] };
  const made = await patiently('WebKit', () => call('POST', '/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } }));
  const session = `/session/${made.sessionId}`;
  await call('POST', `${session}/timeouts`, { script: SCRIPT, pageLoad: PATIENCE });
  const paths = { Navigate: 'url', Refresh: 'refresh', ExecuteAsyncScript: 'execute/async' };
  return page(
    (name, parameters) => call('POST', `${session}/${paths[name]}`, parameters),
    async () => {
      await call('DELETE', session).catch(() => {});
      for (const child of running.reverse()) child.kill('SIGKILL');
      await pause(500);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  );
}
