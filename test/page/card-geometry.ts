import type { Page } from 'playwright-core';

/** Where the last line of a card's arguments and its button are, and what keeps a person from seeing the line. */
export interface CardGeometry {
  /** The last line is inside the part of the window that shows the view, and nothing lies over it. */
  readonly isEndSeen: boolean;
  readonly isEnabled: boolean;
  /** Names of elements of the card, or around it, that scroll inside the view or stick over the arguments. */
  readonly violations: readonly string[];
}

/** Runs a function, as text, on an element of the card of a request: the types of these tests know no browser. */
export async function onCard<Value>(page: Page, id: string, script: string): Promise<Value> {
  return await page.evaluate<Value>(`(${script})(document.querySelector('[aria-label="approval ${id}"]'))`);
}

/** Measures a card. Knows nothing of how the page decides, but the classes of the card's parts. */
export async function cardGeometry(page: Page, id: string): Promise<CardGeometry> {
  return await onCard(page, id, measure);
}

const measure = `(card) => {
  const args = card.querySelector('.request-args');
  const button = [...card.querySelectorAll('button')].find(({ textContent }) => /^(Approve|Yes, run)/.test(textContent));
  const walk = document.createTreeWalker(args, NodeFilter.SHOW_TEXT);
  let last;
  while (walk.nextNode()) if (walk.currentNode.data.trim() !== '') last = walk.currentNode;
  const range = document.createRange();
  const length = last.data.trimEnd().length;
  range.setStart(last, length - 1);
  range.setEnd(last, length);
  const rects = [...range.getClientRects()];
  const line = rects.at(-1) ?? new DOMRect();
  const view = card.closest('main').getBoundingClientRect();
  const desk = document.querySelector('.talk-desk')?.getBoundingClientRect().top ?? view.bottom;
  const top = document.elementFromPoint(line.left + line.width / 2, line.top + line.height / 2);
  const isEndSeen = line.height > 0 && line.top >= view.top - 1 && line.bottom <= Math.min(desk, view.bottom) + 1 && args.contains(top);
  const violations = [];
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className;
  const scrolls = (element) =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight + 1;
  for (const element of [card, ...card.querySelectorAll('*')]) {
    if (scrolls(element)) violations.push('scrolls inside: ' + name(element));
    if (/sticky|fixed/.test(getComputedStyle(element).position)) violations.push('sticks: ' + name(element));
  }
  const around = [];
  for (let parent = card.parentElement; parent !== null; parent = parent.parentElement) if (scrolls(parent)) around.push(parent);
  if (around.length > 1) violations.push('scrollers around the card: ' + around.map(name).join(', '));
  const under = button?.getBoundingClientRect();
  const above = args.getBoundingClientRect();
  if (under !== undefined && under.top < above.bottom - 1) violations.push('the button does not stand after the arguments');
  return { isEndSeen, isEnabled: button !== undefined && !button.disabled, violations };
}`;
