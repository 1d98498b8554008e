/** Shortens a text to about `max` characters, keeping both ends, with a marker that says how much is missing. */
export function clipText(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.ceil(max * 0.7);
  const tail = max - head;
  const end = tail === 0 ? '' : text.slice(-tail);
  return `${text.slice(0, head)}\n[… ${text.length - head - tail} characters left out …]\n${end}`;
}
