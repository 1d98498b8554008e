import type { Page } from 'playwright-core';
import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { BrowserHost } from './browser-host.ts';
import { bounded } from './bounded.ts';

/** Longest snapshot in a description, in characters. */
const maxSnapshot = 16_000;
/** Time limit for reading a title, in milliseconds: the page's own thread reads it, and may be busy. */
const titleMs = 1_000;

/** State of a browser, for the model and for the agent's state. */
export interface BrowserView {
  readonly text: string;
  /** Value of `browser` in the agent's state, shown by the observer. */
  readonly state: JsonObject;
}

/** Describes the current tab: its address, the other tabs, unrequested events, and a snapshot with the refs of its elements. */
export async function describePage(host: BrowserHost, signal: AbortSignal): Promise<BrowserView> {
  const page = await host.page();
  const snapshot = await takeSnapshot(host, page, signal);
  const current = page.isClosed() ? await host.page() : page;
  const tabs = await Promise.all(host.tabs.map(async (tab) => ({ tab, url: tab.url().slice(0, 500), title: await titleOf(tab) })));
  const shown = tabs.map(({ tab, url, title }, index) => `${index + 1}${tab === current ? ' (here)' : ''}: ${title} <${url}>`);
  const notes = host.takeNotes();
  const here = tabs.find(({ tab }) => tab === current);
  const head = [
    `URL: ${here?.url ?? ''}`,
    `Title: ${here?.title ?? ''}`,
    ...(tabs.length > 1 ? [`Tabs: ${shown.join(' · ')}`] : []),
    ...notes.map((note) => `Note: ${note}`),
  ];
  return {
    text: `${head.join('\n')}\n\n${snapshot}`,
    state: {
      url: here?.url ?? '',
      title: here?.title ?? '',
      tabs: tabs.map(({ tab, url, title }) => ({ url, title, here: tab === current })),
      summary: snapshot.slice(0, 1_000),
    },
  };
}

async function takeSnapshot(host: BrowserHost, page: Page, signal: AbortSignal): Promise<string> {
  const { actionTimeoutMs } = host.settings;
  try {
    const whole = await bounded(page.ariaSnapshot({ mode: 'ai', timeout: actionTimeoutMs }), {
      ms: actionTimeoutMs + 500,
      what: 'A snapshot',
      signal,
    });
    if (whole.trim() === '') return '(The page is empty.)';
    if (whole.length <= maxSnapshot) return whole;
    const end = whole.lastIndexOf('\n', maxSnapshot);
    return `${whole.slice(0, end > 0 ? end : maxSnapshot)}\n[… ${whole.length - end} characters more; read_page_text reads the text, scrolling does not change the snapshot …]`;
  } catch (thrown) {
    signal.throwIfAborted();
    if (page.isClosed()) return '(The page is closed.)';
    if (await host.isAlive(page)) return '(The page is too large for a snapshot; read_page_text reads its text.)';
    throw new CadreError('TOOL_FAILED', `The page does not answer and was closed. ${host.takeNotes().join('; ')}`, {
      cause: thrown,
    });
  }
}

async function titleOf(page: Page): Promise<string> {
  try {
    return (await bounded(page.title(), { ms: titleMs, what: 'A title' })).slice(0, 300);
  } catch {
    // A busy page cannot return its title.
    return '';
  }
}
