import type { Locator, Page } from 'playwright-core';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { checkUrl } from '../web/url-policy.ts';
import type { BrowserHost } from './browser-host.ts';
import { bounded, type WaitLimits } from './bounded.ts';
import { refusedHeader } from './policy-proxy.ts';

/** A tool's action on a browser; the page is described afterwards. */
export type PageAction = (host: BrowserHost, args: JsonObject, signal: AbortSignal) => Promise<void>;

/** Opens a URL in the current tab, or in a new one. */
export const openPage: PageAction = async (host, args, signal) => {
  const { url } = checkUrl(String(args['url']).trim(), host.settings.policy);
  const page = args['new_tab'] === true ? await host.newTab() : await host.page();
  const ms = host.settings.pageTimeoutMs;
  try {
    const answer = await bounded(page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: ms }), {
      ms: ms + 500,
      what: 'Opening the page',
      signal,
    });
    if (answer?.headers()[refusedHeader] !== undefined) throw new Error('it leads to a forbidden address');
  } catch (thrown) {
    signal.throwIfAborted();
    const words = firstLine(thrown);
    // A page that becomes a download is not a failure.
    if (/Download is starting|ERR_ABORTED/.test(words)) return;
    const notes = host.takeNotes();
    const code = notes.some((note) => note.startsWith('refused: ')) ? 'URL_REFUSED' : 'TOOL_FAILED';
    throw new CadreError(code, `${url.href.slice(0, 200)} was not opened: ${[...notes, words].join('; ')}`, { cause: thrown });
  }
};

/** Goes back to the previous page. */
export const goBack: PageAction = async (host, _args, signal) => {
  const page = await host.page();
  const ms = host.settings.pageTimeoutMs;
  await attempt(() => page.goBack({ waitUntil: 'domcontentloaded', timeout: ms }), { ms, what: 'Going back', signal });
};

/** Clicks an element. */
export const click: PageAction = (host, args, signal) =>
  onElement(host, args, {
    what: 'Clicking',
    signal,
    act: (element) =>
      args['double'] === true ? element.dblclick() : element.click({ button: args['button'] === 'right' ? 'right' : 'left' }),
  });

/** Replaces the text of a field. */
export const typeText: PageAction = (host, args, signal) =>
  onElement(host, args, {
    what: 'Typing',
    signal,
    act: async (element) => {
      await element.fill(String(args['text']));
      if (args['submit'] === true) await element.press('Enter');
    },
  });

/** Chooses options of a list. */
export const selectOption: PageAction = (host, args, signal) =>
  onElement(host, args, {
    what: 'Selecting',
    signal,
    act: (element) => element.selectOption((args['values'] as readonly string[]).slice()),
  });

/** Presses a key, or several together. */
export const pressKey: PageAction = async (host, args, signal) => {
  const page = await host.page();
  await attempt(() => page.keyboard.press(String(args['key'])), {
    ms: host.settings.actionTimeoutMs,
    what: 'Pressing the key',
    signal,
  });
};

/** Scrolls the window, or an element into view. */
export const scrollPage: PageAction = async (host, args, signal) => {
  if (args['ref'] !== undefined) {
    await onElement(host, args, { what: 'Scrolling', signal, act: (element) => element.scrollIntoViewIfNeeded() });
    return;
  }
  const page = await host.page();
  const by = (args['direction'] === 'up' ? -1 : 1) * host.settings.viewport.height * 0.8;
  await attempt(() => page.evaluate(`window.scrollBy(0, ${by})`), { ms: host.settings.actionTimeoutMs, what: 'Scrolling', signal });
};

/** Makes another tab current, or closes one. */
export const useTab: PageAction = (host, args) => host.useTab(Number(args['tab']), args['close'] === true);

/** Waits for a text to appear, or for a while. */
export const waitFor: PageAction = async (host, args, signal) => {
  const page = await host.page();
  const ms = Math.min(Number(args['seconds'] ?? 5) * 1_000, host.settings.pageTimeoutMs);
  if (typeof args['text'] !== 'string') {
    await bounded(page.waitForTimeout(ms), { ms: ms + 1_000, what: 'Waiting', signal });
    return;
  }
  const text = args['text'];
  const wait = (): Promise<unknown> => page.getByText(text).first().waitFor({ state: 'visible', timeout: ms });
  await attempt(wait, { ms: ms + 500, what: `The text ${JSON.stringify(text.slice(0, 100))}`, signal });
};

interface ElementAction {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly act: (element: Locator) => Promise<unknown>;
}

async function onElement(host: BrowserHost, args: JsonObject, { what, signal, act }: ElementAction): Promise<void> {
  const page = await host.page();
  const ref = String(args['ref']);
  const element = page.locator(`aria-ref=${ref}`);
  const ms = host.settings.actionTimeoutMs;
  if ((await attempt(() => element.count(), { ms, what, signal })) === 0)
    throw new CadreError('TOOL_FAILED', `There is no element ${ref} on the page as it is now; take the ref from a new snapshot.`);
  await attempt(() => act(element), { ms: ms * 2, what, signal });
  await settle(page);
}

/** Waits for the effects of an action, most of which begin right away. */
async function settle(page: Page): Promise<void> {
  await bounded(page.waitForLoadState('domcontentloaded'), { ms: 2_000, what: 'Loading' }).catch(() => undefined);
}

async function attempt<T>(work: () => Promise<T>, { ms, what, signal }: Required<WaitLimits>): Promise<T> {
  try {
    return await bounded(work(), { ms: ms + 500, what, signal });
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof CadreError) throw thrown;
    throw new CadreError('TOOL_FAILED', `${what} did not work: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

function firstLine(thrown: unknown): string {
  return plain(describeThrown(thrown)).split('\n')[0]?.slice(0, 300) ?? '';
}

/** Returns the first line, and the reasons from the log of attempts. */
function reasonOf(thrown: unknown): string {
  const lines = plain(describeThrown(thrown)).split('\n');
  const why = lines.filter((line) =>
    /not visible|not enabled|not stable|intercepts|not editable|outside of the viewport|did not find/.test(line),
  );
  return [lines[0] ?? '', ...new Set(why.map((line) => line.trim().replace(/^-\s*/, '')))].join('; ').slice(0, 500);
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- removes colours of terminals
  return text.replace(/\u001b\[\d+m/g, '');
}
