/*
 * Whether a person could see a line of the page.
 *
 * Owns: the geometry behind "was on screen". Does not own: what follows from it (`read-gate.ts`).
 * 1. Asks the layout, not the scroll position: whatever covers, clips, hides or shrinks the line counts.
 * 2. In doubt, the line was not seen.
 */

/** Smallest legible letters, in pixels of the device. */
const legible = 6;

/** Height of the strip at the end of a text that must be visible: about one line. */
const lineHeight = 14;

/** Tolerance for fractions of pixels at the edges. */
const slack = 1.5;

/** True when the last line of an element's content is on screen right now, uncovered and legible. */
export function isEndOnScreen(element: HTMLElement): boolean {
  if (document.visibilityState !== 'visible') return false;
  if (!element.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true })) return false;
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return false;
  const strip = new DOMRect(box.left, Math.max(box.top, box.bottom - lineHeight), box.width, Math.min(box.height, lineHeight));
  return isLegible(element) && !hidesItsEnd(element) && isInside(strip, shownPart(element)) && isUncovered(element, strip);
}

/** True when the letters at the end of an element are large enough, however it is scaled and the window is zoomed. */
function isLegible(element: HTMLElement): boolean {
  let last: Element = element;
  while (last.lastElementChild !== null) last = last.lastElementChild;
  const { width, height } = element.getBoundingClientRect();
  const scale = Math.min(width / element.offsetWidth, height / element.offsetHeight) * (visualViewport?.scale ?? 1);
  return Number.parseFloat(getComputedStyle(last).fontSize) * scale * devicePixelRatio >= legible;
}

/** True when the end of an element's content is cut off, or scrolled out of view, inside it or inside its last parts. */
function hidesItsEnd(element: Element): boolean {
  for (let part: Element | null = element; part !== null; part = part.lastElementChild)
    if (part.clientHeight > 0 && part.scrollTop + part.clientHeight < part.scrollHeight - slack) return true;
  return false;
}

function isInside(inner: DOMRect, outer: DOMRect): boolean {
  return (
    inner.left >= outer.left - slack &&
    inner.right <= outer.right + slack &&
    inner.top >= outer.top - slack &&
    inner.bottom <= outer.bottom + slack
  );
}

/** Returns the part of the window in which an element can show: inside everything that clips it, and inside a zoomed view. */
function shownPart(element: Element): DOMRect {
  const { offsetLeft = 0, offsetTop = 0, width = innerWidth, height = innerHeight } = visualViewport ?? {};
  let shown = new DOMRect(offsetLeft, offsetTop, width, height);
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (parent === document.documentElement || getComputedStyle(parent).overflow === 'visible') continue;
    shown = intersection(shown, parent.getBoundingClientRect());
  }
  return shown;
}

function intersection(one: DOMRect, other: DOMRect): DOMRect {
  const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)];
  const [right, bottom] = [Math.min(one.right, other.right), Math.min(one.bottom, other.bottom)];
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
}

/** True when nothing lies over a strip of an element, at points along its middle. */
function isUncovered(element: Element, { left, top, width, height }: DOMRect): boolean {
  const shares = [0.02, 0.25, 0.5, 0.75, 0.98];
  return shares.every((share) => {
    const found = document.elementFromPoint(left + width * share, top + height / 2);
    return found !== null && element.contains(found);
  });
}
