import type { LineRange } from '../kit/line-ranges.ts';
import { toVisibleText } from '../kit/visible-text.ts';

/** Returns the selected range of a text that an element shows by rows; undefined when nothing is selected. */
export function selectedPlace(element: HTMLElement, text: string): LineRange | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  if (!element.contains(startContainer) || !element.contains(endContainer)) return undefined;
  const start = placeOf(startContainer, startOffset, text);
  const end = placeOf(endContainer, endOffset, text);
  return start === undefined || end === undefined || start >= end ? undefined : { start, end };
}

function placeOf(node: Node, offset: number, text: string): number | undefined {
  const line = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('[data-start]');
  const start = line?.dataset['start'];
  if (start === undefined) return undefined;
  return Number(start) + (node instanceof Text ? rawLength(text, Number(start), offset) : 0);
}

/** Returns the number of characters of a text behind `shown` rendered ones: visible forms of hidden characters are longer. */
function rawLength(text: string, start: number, shown: number): number {
  let at = start;
  for (let seen = 0; seen < shown && at < text.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    seen += toVisibleText(character).length;
    at += character.length;
  }
  return at - start;
}
