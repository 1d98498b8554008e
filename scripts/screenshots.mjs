// Takes the pictures of the README from a real run: the bundled team answers a question offline, `cadre serve` shows its
// journal, and Chromium opens the page. Writes docs/images/*.png. Run it with `npm run screenshots`.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const cadre = path.join(root, 'bin', 'cadre.mjs');
const images = path.join(root, 'docs', 'images');
const question = 'How do I require approval before a tool runs?';
/** A sentence of the report; the picture shows where the engine says it came from. */
const sentence = 'When a tool requires manual approval';
const maxBytes = 300_000;

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file));
if (executablePath === undefined) throw new Error('Screenshots need Chromium: apt-get install -y chromium');

const work = mkdtempSync(path.join(tmpdir(), 'cadre-screenshots-'));
const store = path.join(work, 'journal.db');
// No key and no model of the environment: the team's script answers, so that the pictures do not depend on a provider.
const { CADRE_MODEL: _model, OPENAI_API_KEY: _key, ...env } = process.env;
try {
  runCadre('run', '--quiet', '--out', path.join(work, 'reports'), question);
  const [run] = JSON.parse(runCadre('runs', '--json'));
  await withServer(async (url) => {
    await withPage(async (page) => {
      await page.goto(`${url}/#/runs/${run.runId}/turns/Partner_1.t4?why=${encodeURIComponent(sentence)}`);
      await page.locator('aside.why .t-piece').first().waitFor();
      await page.locator('aside.why .t-cause').first().waitFor();
      await save(page, 'why');
    });
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs a command on the journal of the pictures and returns what it prints. */
function runCadre(command, ...args) {
  return execFileSync(process.execPath, [cadre, command, '--store', store, ...args], { cwd: root, env, encoding: 'utf8' });
}

/** Serves the journal, read-only and on any free port, while `use` runs. */
async function withServer(use) {
  const args = [cadre, 'serve', '--port', '0', '--read-only', '--store', store];
  const server = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    await use(await addressOf(server));
  } finally {
    server.kill('SIGINT');
    await ended;
  }
}

/** Resolves with the address that the server prints when it listens. */
async function addressOf(server) {
  return await new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk) => {
      printed += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('exit', (code) => reject(new Error(`cadre serve ended with ${code}: ${printed}`)));
  });
}

/** Opens a window of Chromium while `use` runs. */
async function withPage(use) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 720 },
      deviceScaleFactor: 1.25,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      timezoneId: 'UTC',
    });
    await use(await context.newPage());
  } finally {
    await browser.close();
  }
}

async function save(page, name) {
  mkdirSync(images, { recursive: true });
  const file = path.join(images, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes; at most ${maxBytes} are allowed in the package`);
  console.log(`${path.relative(root, file)}: ${size} bytes`);
}
