import { maxResultChars } from './document-tool.ts';

/** Formats an answer as JSON that fits into a tool result: drops items at the end of its list until it does, and `note` says how many. */
export function toResultText(answer: object, key: string, items: readonly object[], note?: string): string {
  for (let kept = items.length; ; kept -= 1) {
    const left = items.length - kept;
    const notes = [
      ...(note === undefined ? [] : [note]),
      ...(left > 0 ? [`${left} more were left out: too much text for one result.`] : []),
    ];
    const text = JSON.stringify({ ...answer, [key]: items.slice(0, kept), ...(notes.length > 0 ? { note: notes.join(' ') } : {}) });
    if (text.length <= maxResultChars || kept === 0) return text;
  }
}
