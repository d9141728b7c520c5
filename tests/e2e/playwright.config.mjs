// Browser tests of the release page in dist/, with the system's own Chromium. With ONE_FILE set,
// the smoke test of the page in one file instead (`cargo xtask test --only one-file`).

import { defineConfig } from '@playwright/test';
import { PORT } from './serve.mjs';

export default defineConfig({
  testDir: '.',
  testMatch: process.env.ONE_FILE ? 'one-file.smoke.mjs' : '*.spec.mjs',
  outputDir: '../../target/e2e',
  fullyParallel: true,
  workers: 2,
  forbidOnly: true, // a forgotten test.only would hide all other tests
  retries: 0, // a test that fails sometimes has a bug to be found
  // Long: a test says what must happen, not how fast, and must not fail on a busy machine.
  timeout: 300_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    baseURL: `http://127.0.0.1:${PORT}/`,
    viewport: { width: 1366, height: 768 },
    headless: true,
    serviceWorkers: 'block', // tests see what the network does; offline.spec.mjs allows it
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      // No sandbox: containers and CI run as root. The rest keeps Chromium off the network.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  webServer: {
    command: 'node serve.mjs',
    url: `http://127.0.0.1:${PORT}/`,
    reuseExistingServer: false, // it might serve another page
    timeout: 60_000,
  },
});
