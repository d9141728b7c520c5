// Firefox and WebKit without a tool chain of their own: the WebDriver commands that a smoke test
// needs. Firefox speaks WebDriver BiDi over a WebSocket, WebKit's driver WebDriver over HTTP.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
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

/** What a page returns as JSON: a function of a list of arguments, as a program's text. */
const asJson = (work) => `async (args) => {
  try { return JSON.stringify({ value: await (${work})(...args) }); } catch (why) { return JSON.stringify({ why: String(why) }); }
}`;

/** The value in that JSON. */
function valueOf(text) {
  const { value, why } = JSON.parse(text);
  if (why) throw new Error(why);
  return value;
}

/** As much of a WebSocket as BiDi needs: strings out, and a function for those that come in. */
async function webSocket(port, path, hear, closed) {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': 13, 'sec-websocket-key': randomBytes(16).toString('base64') };
  const asked = request({ host: '127.0.0.1', port, path, headers }).end();
  const [, socket, head] = await new Promise((go, fail) => {
    asked.on('upgrade', (...answer) => go(answer)).on('error', fail);
    asked.on('response', ({ statusCode }) => fail(new Error(`HTTP ${statusCode}`)));
  });
  let [data, parts] = [head, []];
  const read = () => {
    while (data.length >= 2) {
      const [long, begins] = [data[1] & 127, { 126: 4, 127: 10 }[data[1] & 127] ?? 2];
      if (data.length < begins) return;
      const length = long === 126 ? data.readUInt16BE(2) : long === 127 ? Number(data.readBigUInt64BE(2)) : long;
      if (data.length < begins + length) return;
      // neither ping nor close
      if ((data[0] & 15) < 3) parts.push(data.subarray(begins, begins + length));
      if ((data[0] & 15) < 3 && data[0] & 128) hear(Buffer.concat(parts.splice(0)).toString());
      data = data.subarray(begins + length);
    }
  };
  socket.on('data', (more) => ((data = Buffer.concat([data, more])), read()));
  socket.on('error', () => {}).on('close', closed);
  read();
  return {
    send(text) {
      const body = Buffer.from(text);
      // the shortest form of the length, and a mask: Firefox refuses one of zeros
      const size = Buffer.alloc(body.length < 126 ? 1 : body.length < 65_536 ? 3 : 9);
      size[0] = 128 | { 1: body.length, 3: 126, 9: 127 }[size.length];
      if (size.length === 3) size.writeUInt16BE(body.length, 1);
      if (size.length === 9) size.writeBigUInt64BE(BigInt(body.length), 1);
      const mask = Buffer.from('mask');
      socket.write(Buffer.concat([Buffer.from([0x81]), size, mask, body.map((byte, i) => byte ^ mask[i % 4])]));
    },
    close: () => socket.destroy(),
  };
}

/** Firefox, headless, with a fresh profile. */
export async function firefox(program) {
  const profile = mkdtempSync(join(tmpdir(), 'lockstep-firefox-'));
  const port = await freePort();
  const preferences = { 'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false, 'network.captive-portal-service.enabled': false };
  writeFileSync(join(profile, 'user.js'), Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''));
  const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)];
  const browser = spawn(program, words, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
  const waiting = new Map();
  const hear = (text) => {
    const { id, type, result, error, message } = JSON.parse(text);
    const [tell, fail] = waiting.get(id) ?? [];
    waiting.delete(id);
    if (type === 'success') tell?.(result);
    else fail?.(new Error(`${error}: ${message}`));
  };
  const closed = () => waiting.forEach(([, fail]) => fail(new Error('Firefox has ended.')));
  const socket = await patiently('Firefox', () => webSocket(port, '/session', hear, closed));
  let last = 0;
  const send = (method, params) =>
    new Promise((tell, fail) => {
      waiting.set(++last, [tell, fail]);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send('session.new', { capabilities: {} });
  const { contexts } = await send('browsingContext.getTree', {});
  const { context } = contexts[0];
  await send('browsingContext.setViewport', { context, viewport: { width: 1366, height: 900 } });
  return {
    goto: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    /** Runs an asynchronous function in the page and returns what it returns, as JSON. */
    async evaluate(work, ...args) {
      const functionDeclaration = `(args) => (${asJson(work)})(JSON.parse(args))`;
      const given = [{ type: 'string', value: JSON.stringify(args) }];
      const { result, exceptionDetails } = await send('script.callFunction', { functionDeclaration, arguments: given, target: { context }, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return valueOf(result.value);
    },
    async close() {
      socket.close();
      browser.kill('SIGKILL');
      await once(browser, 'exit').catch(() => {});
      await pause(300);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
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
  return {
    goto: (url) => call('POST', `${session}/url`, { url }),
    async evaluate(work, ...args) {
      const script = `const done = arguments[1]; (${asJson(work)})(arguments[0]).then(done);`;
      return valueOf(await call('POST', `${session}/execute/async`, { script, args: [args] }));
    },
    async close() {
      await call('DELETE', session).catch(() => {});
      for (const child of running.reverse()) child.kill('SIGKILL');
      await pause(500);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
