import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Restores the focus of a card that moves to another column, where its element is created again. */
export function useKeptFocus(board: RefObject<HTMLElement | null>): (event: FocusEvent) => void {
  const last = useRef<{ readonly element: HTMLElement; readonly moduleId: string; readonly part: string | undefined } | undefined>(
    undefined,
  );
  useLayoutEffect(() => {
    const had = last.current;
    if (had === undefined || had.element.isConnected) return;
    last.current = undefined;
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const card = board.current?.querySelector<HTMLElement>(`[data-module="${CSS.escape(had.moduleId)}"]`);
    const part = had.part === undefined ? undefined : card?.querySelector<HTMLElement>(`[data-part="${had.part}"]`);
    (part ?? card)?.focus({ preventScroll: true });
  });
  return (event) => {
    const element = event.target;
    if (!(element instanceof HTMLElement)) return;
    const moduleId = element.closest<HTMLElement>('[data-module]')?.dataset['module'];
    last.current = moduleId === undefined ? undefined : { element, moduleId, part: element.dataset['part'] };
  };
}
