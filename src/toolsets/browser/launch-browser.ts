import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { CadreError, describeThrown } from '../../core/error.ts';
import { makeTempFolder, removeTempSync } from '../../files/temp-folder.ts';
import { importPackage } from '../../tools/import-package.ts';
import { cleanEnvironment } from '../process/clean-environment.ts';
import { findMarked, markVariable } from '../process/marked-processes.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { findBrowser } from './find-browser.ts';

/** A running browser with its own profile. */
export interface LaunchedBrowser {
  readonly context: BrowserContext;
  /** Folder that holds everything it writes. */
  readonly home: string;
  /** Ends it and all its processes, and removes its profile. */
  close(): Promise<void>;
}

/** Time for a browser to end by itself, in milliseconds. */
const closeMs = 1_000;

/**
 * Starts a browser whose only network access is a proxy.
 *
 * @throws CadreError `DEPENDENCY_MISSING` without playwright-core or a browser, with the commands that install them; `TOOL_FAILED` when
 * it does not start
 */
export async function launchBrowser(settings: BrowserSettings, proxyUrl: string): Promise<LaunchedBrowser> {
  const { chromium } = await importPackage(() => import('playwright-core'), 'The browser', ['playwright-core']);
  const executablePath = findBrowser(settings.executable);
  const home = makeTempFolder('browser');
  const mark = randomBytes(12).toString('hex');
  const clean = async (): Promise<void> => {
    await killMarked(mark);
    removeTempSync(home);
  };
  try {
    const context = await chromium.launchPersistentContext(path.join(home, 'profile'), {
      executablePath,
      headless: true,
      // Its own sandbox needs a user that is not root.
      chromiumSandbox: process.getuid?.() !== 0,
      env: { ...cleanEnvironment({ home, sandboxed: false }), [markVariable]: mark },
      args: launchArguments(proxyUrl),
      viewport: { ...settings.viewport },
      serviceWorkers: 'block',
      acceptDownloads: true,
      downloadsPath: path.join(home, 'downloads'),
      timeout: settings.pageTimeoutMs,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    context.setDefaultTimeout(settings.actionTimeoutMs);
    context.setDefaultNavigationTimeout(settings.pageTimeoutMs);
    const close = async (): Promise<void> => {
      await Promise.race([context.close().catch(() => undefined), pause(closeMs)]);
      await clean();
    };
    return { context, home, close };
  } catch (thrown) {
    await clean();
    const [words = ''] = describeThrown(thrown).split('\n');
    throw new CadreError('TOOL_FAILED', `The browser ${executablePath} did not start: ${words}`, { cause: thrown });
  }
}

/**
 * Returns arguments that send all traffic to the proxy, even to this machine; the browser resolves no names, and opens no other
 * connections.
 */
function launchArguments(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-extensions',
    '--disable-sync',
    '--disable-component-update',
    '--dns-prefetch-disable',
    '--no-first-run',
    '--no-pings',
    // The browser's own requests to its vendor: blocked (the browser refuses port 9).
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-client-side-phishing-detection',
    '--metrics-recording-only',
    '--allow-browser-signin=false',
    '--autofill-server-url=http://127.0.0.1:9/',
    '--gaia-url=http://127.0.0.1:9/',
    '--google-apis-url=http://127.0.0.1:9/',
    '--component-updater=url-source=http://127.0.0.1:9/',
    '--variations-server-url=http://127.0.0.1:9/',
  ];
}

/** A busy machine takes seconds to end a process that was killed. */
const killMs = 10_000;
const killEveryMs = 25;

/** Kills processes that did not end when asked, including helpers that left their group. */
async function killMarked(mark: string): Promise<void> {
  for (let waited = 0; waited < killMs; waited += killEveryMs) {
    const left = findMarked(mark);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    await pause(killEveryMs);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    // Ended between the listing and the signal.
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
  }
}

function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}
