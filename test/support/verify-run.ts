import { expect } from 'vitest';
import { type CadreEvent, checkEvent } from '../../src/core/events/event.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import type { Run } from '../../src/index.ts';
import { assertJournal, assertPairing, type CheckedPrompt, type JournalCheckOptions } from '../../src/testing/index.ts';

/** State as plain data: maps as lists of entries, without keys that are undefined. */
export function plainState(state: RunContext | undefined): unknown {
  return JSON.parse(
    JSON.stringify(state, (_key, value: unknown) =>
      value instanceof Map ? [...value] : value instanceof Set ? [...value] : value,
    ) ?? 'null',
  );
}

/** The events of a run as its journal has them. */
export async function eventsOf(
  run: Run,
  journal: { read(runId: Run['id']): readonly CadreEvent[] | Promise<readonly CadreEvent[]> },
): Promise<readonly CadreEvent[]> {
  return await journal.read(run.id);
}

/** Inputs of `verifyRun` besides the run. */
export interface VerifyOptions extends JournalCheckOptions {
  /** The requests of the run's models. */
  readonly requests?: readonly { readonly prompt: CheckedPrompt }[];
}

/**
 * Checks what holds after every run: the journal's invariants, events as their definitions say, state = fold of the journal (after a trip through JSON), prompts
 * a strict provider takes (I1), spans that join to what was sent (I10), and ephemeral text that is gone afterwards (I11).
 */
export async function verifyRun(
  run: Run,
  journal: Parameters<typeof eventsOf>[1],
  options: VerifyOptions = {},
): Promise<readonly CadreEvent[]> {
  let events = await eventsOf(run, journal);
  // What came late for a run that is over may have been recorded while the journal was read.
  for (let again = 0; events.length < run.state.seq && again < 100; again++) events = await eventsOf(run, journal);
  assertJournal(events, options);
  expect(events.flatMap((event) => checkEvent(event) ?? [])).toEqual([]);
  const stored = JSON.parse(JSON.stringify(events)) as readonly CadreEvent[];
  expect(run.state.pending).toBe(run.pending.length);
  expect(plainState(run.state)).toEqual(plainState(foldEvents(stored)));
  if (options.requests !== undefined) verifyPrompts(run, options.requests);
  verifyEphemerals(run);
  return events;
}

/** I1 and I10: each request is legal, and is the text of some turn's spans; each answered turn's text was sent. */
function verifyPrompts(run: Run, requests: readonly { readonly prompt: CheckedPrompt }[]): void {
  assertPairing(requests);
  const sent = new Set(requests.map(({ prompt }) => promptText(prompt as readonly PromptMessage[])));
  const told = new Set<string>();
  for (const turn of run.turns()) {
    const { text, spans } = turn.prompt;
    expect(spans.map((span) => span.text).join('')).toBe(text);
    for (const span of spans) expect(text.slice(...span.range)).toBe(span.text);
    if (turn.attempts.some(({ model }) => model !== '')) expect(sent, `I10: the prompt of ${turn.turnId}`).toContain(text);
    told.add(text);
  }
  for (const text of sent) expect(told, 'I10: a request').toContain(text);
}

/** I11: marked text of an item that was not kept (`«e…»`) is in the prompt of the turn that read it, and in no later one. */
function verifyEphemerals(run: Run): void {
  const turns = run.turns();
  for (const [index, turn] of turns.entries()) {
    // What a turn that was interrupted or failed read for this once is read again.
    if (turn.status === 'interrupted' || turn.status === 'error') continue;
    for (const input of turn.inputs) {
      if (input.persistent || input.kept === true) continue;
      const mark = /«e[^»]*»/.exec(typeof input.content === 'string' ? input.content : '')?.[0];
      if (mark === undefined) continue;
      expect(turn.prompt.text).toContain(mark);
      for (const later of turns.slice(index + 1)) expect(later.prompt.text, `I11: ${later.turnId}`).not.toContain(mark);
    }
  }
}
