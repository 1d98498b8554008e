import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { HostResolver } from '../web/resolve-host.ts';
import type { BrowserSettings } from './browser-settings.ts';
import { bounded } from './bounded.ts';
import { launchBrowser, type LaunchedBrowser } from './launch-browser.ts';
import { PolicyProxy } from './policy-proxy.ts';
import { Downloads } from './save-download.ts';

/** Settings and folders for opening a browser. */
export interface BrowserRequest {
  readonly settings: BrowserSettings;
  readonly resolver: HostResolver;
  /** Folder for downloads. */
  readonly workspace: string;
}

/** Time for a page to prove that it responds, in milliseconds. */
const aliveMs = 1_500;
const maxNotes = 10;

/**
 * One agent's browser: its tabs, and the unrequested events in them.
 *
 * 1. One tab is always current; a tab that crashes or hangs is closed, and another becomes current.
 * 2. Windows beyond the maximum are closed as they open; dialogs are dismissed.
 */
export class BrowserHost {
  readonly settings: BrowserSettings;
  readonly #launched: LaunchedBrowser;
  readonly #proxy: PolicyProxy;
  readonly #notes: string[] = [];
  readonly #downloads: Downloads;
  #page: Page | undefined;
  #isClosed = false;

  private constructor(request: BrowserRequest, launched: LaunchedBrowser, proxy: PolicyProxy) {
    this.settings = request.settings;
    this.#launched = launched;
    this.#proxy = proxy;
    this.#downloads = new Downloads({
      workspace: request.workspace,
      incoming: path.join(launched.home, 'downloads'),
      maxBytes: request.settings.maxDownloadBytes,
    });
    const { context } = launched;
    for (const page of context.pages()) this.#watch(page);
    this.#page = context.pages()[0];
    context.on('page', (page) => this.#adoptPage(page));
    context.on('close', () => (this.#isClosed = true));
  }

  /** Opens a browser with its own proxy. */
  static async open(request: BrowserRequest): Promise<BrowserHost> {
    const { policy, maxBytes } = request.settings;
    const proxy = await PolicyProxy.open({ policy, resolver: request.resolver, maxBytes });
    try {
      return new BrowserHost(request, await launchBrowser(request.settings, proxy.url), proxy);
    } catch (thrown) {
      await proxy.close();
      throw thrown;
    }
  }

  /** True when the browser crashed or was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns the open tabs, in the order they were opened. */
  get tabs(): readonly Page[] {
    return this.#context.pages();
  }

  /** Returns the current tab; opens one when there is none. */
  async page(): Promise<Page> {
    if (this.#page?.isClosed() === false) return this.#page;
    this.#page = this.tabs.at(-1) ?? (await this.newTab());
    return this.#page;
  }

  /** Opens a tab and makes it current. */
  async newTab(): Promise<Page> {
    if (this.tabs.length >= this.settings.maxTabs)
      throw new CadreError('TOOL_FAILED', `There are ${this.tabs.length} tabs, and no more are allowed; close one with use_tab.`);
    // A new tab may start a process, which takes a busy machine its time.
    this.#page = await bounded(this.#context.newPage(), { ms: this.settings.pageTimeoutMs, what: 'Opening a tab' });
    return this.#page;
  }

  /** Makes a tab current by its number, from 1; with `close` it is closed and the one before becomes current. */
  async useTab(number: number, close: boolean): Promise<void> {
    const page = this.tabs[number - 1];
    if (page === undefined)
      throw new CadreError('TOOL_FAILED', `There is no tab ${number}; there are ${this.tabs.length}: 1 to ${this.tabs.length}.`);
    if (close) await bounded(page.close(), { ms: this.settings.actionTimeoutMs, what: 'Closing the tab' });
    else this.#page = page;
  }

  /** True when a page responds; a page that does not is closed. */
  async isAlive(page: Page): Promise<boolean> {
    try {
      await bounded(page.evaluate('1'), { ms: Math.min(aliveMs, this.settings.actionTimeoutMs), what: 'An answer of the page' });
      return true;
    } catch (thrown) {
      if (page.isClosed()) return false;
      this.note(`the page ${page.url().slice(0, 200)} did not answer (${describeThrown(thrown).split('\n')[0]}) and was closed`);
      await this.#closeDead([page]);
      return false;
    }
  }

  /** Closes pages, and those that hung along with them: windows that opened one another share a thread. */
  async #closeDead(pages: readonly Page[]): Promise<void> {
    try {
      await bounded(Promise.all(pages.map((page) => page.close())), {
        ms: Math.min(aliveMs, this.settings.actionTimeoutMs),
        what: 'Closing the page',
      });
    } catch {
      // It cannot even be closed: the browser is closed with it, and the next call opens another.
      await this.close();
      return;
    }
    const left = await Promise.all(this.tabs.map(async (page) => ({ page, isDead: await isDead(page) })));
    const dead = left.filter((each) => each.isDead).map((each) => each.page);
    if (dead.length > 0) await this.#closeDead(dead);
  }

  /** Records an event that was not requested. */
  note(words: string): void {
    if (this.#notes.at(-1) === words) return;
    this.#notes.push(words);
    if (this.#notes.length > maxNotes) this.#notes.shift();
  }

  /** Returns and clears the events since the last call, including requests refused by the proxy. */
  takeNotes(): readonly string[] {
    return [...this.#notes.splice(0), ...this.#proxy.refusals.splice(0).map((words) => `refused: ${words}`)];
  }

  /** Ends the browser, its processes and its connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#launched.close(), this.#proxy.close()]);
  }

  get #context(): BrowserContext {
    return this.#launched.context;
  }

  #adoptPage(page: Page): void {
    if (this.tabs.length > this.settings.maxTabs) {
      this.note(`the page opened more than ${this.settings.maxTabs} windows; those beyond were closed`);
      page.close().catch(() => undefined);
      return;
    }
    this.#watch(page);
  }

  #watch(page: Page): void {
    page.on('dialog', (dialog) => {
      this.note(`the page showed a dialog (${dialog.type()}), which was dismissed: ${dialog.message().slice(0, 300)}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('crash', () => {
      this.note(`the page ${page.url().slice(0, 200)} crashed and was closed`);
      page.close().catch(() => undefined);
    });
    page.on('download', (download) => void this.#downloads.save(download).then((words) => this.note(words)));
  }
}

async function isDead(page: Page): Promise<boolean> {
  return await bounded(page.evaluate('1'), { ms: aliveMs, what: 'An answer of the page' }).then(
    () => false,
    () => !page.isClosed(),
  );
}
