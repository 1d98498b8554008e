import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const executable = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((place) => existsSync(place));

/** Reason to skip page tests here; undefined where there is a browser: `describe.skipIf(whyNoPage !== undefined)`. */
export const whyNoPage = executable === undefined ? 'skipped without Chromium: apt-get install -y chromium' : undefined;

/** Options for opening a page. */
export interface OpenOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion' | 'timezoneId'> {
  /** Window width, 1280 by default; the height is 800. */
  readonly width?: number;
  readonly height?: number;
}

/** The browser of one test file. */
export interface PageBrowser {
  /** Opens an address in a new window with empty storage. */
  open(url: string, options?: OpenOptions): Promise<Page>;
  /** Closes all windows: before their server stops, or they report errors. */
  closeWindows(): Promise<void>;
  /** Allows a problem that this test causes, such as a stopped server or an error answer. */
  expectProblem(pattern: RegExp): void;
  /** Writes `test-results/page/<name>.png` where SCREENSHOTS is set: drawing them takes a tenth of the time. */
  screenshot(page: Page, name: string): Promise<void>;
}

/**
 * Gives a test file its one browser, and the page, built when it is stale. Call it once, at the top of the file. After each
 * test its windows are closed, and it fails on anything that went wrong in them: an error in the console, an exception, a
 * request that failed, a request to anywhere else than where the page came from.
 */
export function usePageBrowser(): PageBrowser {
  let browser: Browser | undefined;
  let problems: string[] = [];
  let expected: RegExp[] = [];

  beforeAll(async () => {
    if (executable === undefined) return;
    await buildPage();
    browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  }, 120_000);

  const closeWindows = async (): Promise<void> => {
    for (const context of browser?.contexts() ?? []) await context.close();
  };

  afterEach(async () => {
    await closeWindows();
    const unexpected = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
    problems = [];
    expected = [];
    expect(unexpected).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
  });

  return {
    open: async (url, { width = 1280, height = 800, ...options } = {}) => {
      if (browser === undefined) throw new Error('there is no browser');
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'light', ...options });
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      watch(page, new URL(url).origin, (problem) => problems.push(problem));
      await page.goto(url);
      return page;
    },
    closeWindows,
    expectProblem: (pattern) => expected.push(pattern),
    screenshot: async (page, name) => {
      if (process.env['SCREENSHOTS'] === undefined) return;
      const folder = path.join(root, 'test-results', 'page');
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: path.join(folder, `${name}.png`) });
    },
  };
}

function watch(page: Page, origin: string, tell: (problem: string) => void): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') tell(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => tell(`exception: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => {
    // Requests that the page itself cancels are no failures, such as streams closed on navigation.
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') tell(`request: ${request.method()} ${request.url()}: ${why}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== origin) tell(`elsewhere: ${request.url()}`);
  });
}

let building: Promise<unknown> | undefined;

/** Builds `dist/page` when its sources are newer, once for all files of this worker. */
export async function buildPage(): Promise<void> {
  building ??= promisify(execFile)(process.execPath, [path.join(root, 'scripts', 'build-page.mjs'), '--if-stale']);
  await building;
}
