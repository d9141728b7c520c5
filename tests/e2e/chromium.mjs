// Chromium over the release page in dist/, for scripts that measure: with the same PORT and
// CHROMIUM as the tests.

import { chromium } from '@playwright/test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PORT } from './serve.mjs';

/**
 * Serves the page, starts the browser, and stops both in the end, also after an error; `work` gets
 * the browser and the page's address.
 */
export async function inChromium(work) {
  const server = spawn(process.execPath, [fileURLToPath(new URL('serve.mjs', import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] });
  const over = once(server, 'exit').then(() => {
    throw new Error(`The page could not be served on port ${PORT}; PORT names another.`);
  });
  try {
    await Promise.race([once(server.stdout, 'data'), over]);
    over.catch(() => {});
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    try {
      return await work(browser, `http://127.0.0.1:${PORT}/`);
    } finally {
      await browser.close();
    }
  } finally {
    server.kill();
  }
}
