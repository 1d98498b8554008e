import { expect } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { foldTurn } from '../../src/core/fold/fold-turn.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { why, type WhyAnswer, isKnownWhole } from '../../src/inspect/why/why.ts';
import { turnOfId } from '../../src/inspect/turn/other-turns.ts';
import type { ReadContent } from '../../src/inspect/read-content.ts';
import { toTurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { decodeCommit, encodeCommit } from '../../src/journal/codec/event-codec.ts';
import { turnEvents, type StoredCommit } from '../../src/journal/codec/turn-events.ts';

/** Events as a journal stores them, in commits of these sizes, over and over. */
export function storedCommits(events: readonly CadreEvent[], sizes: readonly number[]): readonly StoredCommit[] {
  const commits: StoredCommit[] = [];
  for (let at = 0; at < events.length;) {
    const part = events.slice(at, at + Math.max(1, sizes[commits.length % sizes.length] ?? 1));
    const [first] = part;
    at += part.length;
    if (first === undefined) break;
    const body = encodeCommit(part);
    const place = { runId: first.runId, firstSeq: first.seq, at: part.at(-1)?.at ?? 0 };
    let decoded: readonly CadreEvent[] | undefined;
    commits.push({ firstSeq: first.seq, body, events: () => (decoded ??= decodeCommit(body, place)) });
  }
  return commits;
}

/** Number of turns, of turns read without the whole run, and of answers about their texts read so. */
export interface Compared {
  turns: number;
  alone: number;
  answers: number;
}

/** Compares the record of each turn, read alone, with the same turn in the whole run. */
export function compareTurns(
  given: readonly CadreEvent[],
  content: ReadContent,
  { sizes, compared }: { readonly sizes: readonly number[]; readonly compared: Compared },
): void {
  const commits = storedCommits(given, sizes);
  const events = commits.flatMap((commit) => commit.events());
  const whole = foldEvents(events, 'everything');
  if (whole === undefined) throw new Error('the journal begins with no run.start');
  const lastId = [...whole.turns.keys()].at(-1);
  for (const turnId of whole.turns.keys()) {
    compared.turns += 1;
    const slice = turnEvents(commits, turnId === lastId ? 'last' : turnId);
    const alone = slice === undefined ? undefined : foldTurn(slice);
    if (slice === undefined || alone === undefined) continue;
    compared.alone += 1;
    expect(slice.turnId).toBe(turnId);
    expect(alone.meta.profiles).toBe(whole.meta.profiles);
    expect(recordOf(alone, turnId, content)).toEqual(recordOf(whole, turnId, content));
    for (const text of textsOf(whole, turnId, content)) {
      const eventAt = (seq: number): CadreEvent | undefined => events[seq - 1];
      const found = why(alone, turnId, text, { content, eventAt: slice.eventAt });
      if (!found.every(isKnownWhole)) continue;
      compared.answers += 1;
      const expected = why(whole, turnId, text, { content, eventAt });
      expect(found).toEqual(expected);
      const short = why(alone, turnId, text, { content, eventAt: slice.eventAt, causeOf: slice.causeOf });
      short.forEach((answer, index) => expectShort(answer, expected[index]));
    }
  }
  const last = turnEvents(commits, 'last');
  if (last !== undefined) expect(events.map(({ seq }) => last.causeOf(seq))).toEqual(events.map(({ cause }) => cause));
}

/** A short chain is the long one without its middle. */
function expectShort(
  { causesLeftOut = 0, ...short }: WhyAnswer & { readonly causesLeftOut?: number },
  expected: WhyAnswer | undefined,
): void {
  if (expected === undefined) throw new Error('an answer too many');
  expect(short.causes.length + causesLeftOut).toBe(expected.causes.length);
  const causes = causesLeftOut === 0 ? expected.causes : [...expected.causes.slice(0, 5), ...expected.causes.slice(-2)];
  expect(short).toEqual({ ...expected, causes });
}

function recordOf(run: RunContext, turnId: string, content: ReadContent): unknown {
  const turn = turnOfId(run, turnId);
  if (turn === undefined) throw new Error(`no turn ${turnId}`);
  const record = toTurnRecord(run, turn, content);
  return { ...record, prompt: record.prompt, systemPrompt: record.systemPrompt, tools: record.tools };
}

/** Some texts of a turn: the ends of its prompt, and what was said and called. */
function textsOf(run: RunContext, turnId: string, content: ReadContent): readonly string[] {
  const turn = turnOfId(run, turnId);
  if (turn === undefined) return [];
  const { prompt, reply } = toTurnRecord(run, turn, content);
  const said = [reply.text, ...reply.toolCalls.map(({ input }) => input)];
  const shown = prompt.spans.filter((_, index) => index % 4 === turn.start.seq % 4).map(({ text }) => text.slice(0, 40));
  return [...shown, prompt.text.slice(-30), ...said].filter((text) => text.trim() !== '');
}
