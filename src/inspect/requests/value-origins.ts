import { isJsonObject } from '../../core/json.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';

/** Text from outside that an agent of the run has read. */
export interface OutsideText {
  /** Tool or inbox source that it came from. */
  readonly from: string;
  readonly text: string;
}

/** Shortest value that is looked for: shorter ones occur everywhere. */
const shortest = 4;

/** Shortest line by which a longer text is recognized. */
const shortestLine = 24;

/** Most texts of a run that are searched, newest first. */
const mostTexts = 200;

/** Returns the untrusted texts that agents of a run have read, newest first. */
export function outsideTexts(run: RunContext): readonly OutsideText[] {
  const found: OutsideText[] = [];
  for (const turn of [...run.turns.values()].toReversed()) {
    for (const [index, input] of turn.start.inputs.entries()) {
      const item = turn.items[index];
      if (!isUntrusted(input, item)) continue;
      found.push({ from: sourceOf(turn, index), text: textOf(input.content) });
      if (found.length === mostTexts) return found;
    }
  }
  return found;
}

function sourceOf({ items, start }: TurnState, index: number): string {
  const payload = items[index]?.payload;
  const tool = isJsonObject(payload) ? payload['tool_name'] : undefined;
  return typeof tool === 'string' ? tool : (start.inputs[index]?.source ?? '');
}

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/**
 * Returns the sources whose text a value repeats: as a whole, or, for a long text, in one of its lines. A value that agrees with a source
 * by chance counts, too: the mark tells where the same text is found, not what the model thought.
 */
export function originsOf(value: string, texts: readonly OutsideText[]): readonly string[] {
  const wanted = value.trim();
  if (wanted.length < shortest || texts.length === 0) return [];
  const lines = wanted.includes('\n') ? new Set(linesOf(wanted)) : undefined;
  const found = new Set<string>();
  for (const { from, text } of texts) {
    if (found.has(from)) continue;
    if (text.includes(wanted) || (lines !== undefined && linesOf(text).some((line) => lines.has(line)))) found.add(from);
  }
  return [...found];
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const plain = line.trim();
    return plain.length < shortestLine ? [] : [plain];
  });
}
