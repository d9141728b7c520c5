// A static host for the page in dist/, or in the folder that DIST names: files, types, 404.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PORT = Number(process.env.PORT ?? 4173);

const ROOT = process.env.DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.toml': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm', // streaming compilation refuses any other
  '.webmanifest': 'application/manifest+json',
};

export async function answer(request, response, edit = (_, body) => body) {
  try {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const name = normalize(path.endsWith('/') ? `${path}index.html` : path);
    const body = edit(name, await readFile(join(ROOT, name)));
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such file.\n');
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  createServer(answer).listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/`));
}
