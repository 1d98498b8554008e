import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { bundledRun, type SharedRun } from './timeline-runs.ts';

const browser = usePageBrowser();

/** Visible texts whose contrast to their background, as rendered, is below 4.5 to 1. */
const pale = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => (part * a + below[i] * (255 - a)) / 255);
  const behind = (element) => {
    if (element === null) return rgba('Canvas').slice(0, 3);
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own.slice(0, 3) : over(own, behind(element.parentElement));
  };
  const light = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!says || !element.checkVisibility() || element.closest('option, :disabled, [aria-hidden=true], .seen-by-readers') !== null) continue;
    const ground = behind(element);
    const [a, b] = [light(over(rgba(getComputedStyle(element).color), ground)), light(ground)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(contrast.toFixed(2) + ' ' + element.className + ': ' + element.textContent.slice(0, 40));
  }
  return [...found];
})()`;

/** Buttons without a name; scrolling boxes that no key reaches; links in text that only a colour marks. */
const unreachable = `(() => {
  const found = [];
  for (const button of document.querySelectorAll('[role=button], button'))
    if ((button.getAttribute('aria-label') ?? button.textContent).trim() === '') found.push('no name: ' + button.outerHTML.slice(0, 120));
  for (const box of document.querySelectorAll('main *')) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const scrolls = (/auto|scroll/.test(overflowY) && box.scrollHeight > box.clientHeight + 1) || (/auto|scroll/.test(overflowX) && box.scrollWidth > box.clientWidth + 1);
    if (scrolls && box.tabIndex < 0 && box.querySelector('a, button, input, select, textarea, [tabindex="0"]') === null)
      found.push('scrolls: ' + box.className);
  }
  for (const link of document.querySelectorAll(':is(p, dd, td, .t-around) a, .events-text a'))
    if (!getComputedStyle(link).textDecorationLine.includes('underline')) found.push('no line: ' + link.outerHTML.slice(0, 120));
  return found;
})()`;

describe.skipIf(whyNoPage !== undefined)(`what the page can be read and reached by (${whyNoPage ?? 'in Chromium'})`, () => {
  let run: SharedRun | undefined;
  beforeAll(async () => {
    if (whyNoPage === undefined) run = await bundledRun();
  }, 120_000);
  afterAll(async () => {
    await browser.closeWindows();
    await run?.close();
  });

  it.each(['light', 'dark'] as const)(
    'F64: text stands out 4.5 to 1, buttons have names, what scrolls takes the focus, links among words are underlined: %s',
    async (colorScheme) => {
      for (const [view, sign] of [
        ['/talk', '.message'],
        ['/events', '.table-row'],
        ['/board', '.card-marks'],
        ['/tree', '.table-row'],
        ['/turns/Principal_2.t2?why=Associates', '.t-piece'],
      ] as const) {
        const page = await browser.open(`${run?.url}${view}`, { colorScheme });
        await page.locator(sign).first().waitFor();
        for (const fold of await page.locator('summary').all()) await fold.click();
        expect([view, await page.evaluate(pale)]).toEqual([view, []]);
        expect([view, await page.evaluate(unreachable)]).toEqual([view, []]);
        if (view.startsWith('/turns')) await browser.screenshot(page, `turn-readable-${colorScheme}`);
        await page.context().close();
      }
    },
  );
});
