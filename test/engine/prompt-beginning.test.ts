import { describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const look = tool('look', ({ n }) => `found ${String(n)}`, { effect: 'pure' });
const replies = [1, 2].map((n) => ({ toolCalls: [{ name: 'look', args: { n } }] }));

/** Plays three turns and a second message, and checks each prompt against the strictest providers. */
async function play(profile: string, input: unknown): Promise<readonly string[]> {
  const journal = createMemoryJournal();
  const team = await testEngine({
    profile: `${allow('look')}${profile}\n${waitsForUser}`,
    tools: [look],
    replies: [...replies, { text: 'done' }, { text: 'again' }],
    store: journal,
  });
  const run = await team.engine.launch({ profile: 'Root', input });
  await run.settled();
  await run.send('And now?');
  await run.settled();
  await verifyRun(run, journal, { requests: team.model.requests });
  const events = await journal.read(run.id);
  await team.engine.close();
  return events.flatMap((event) => (event.type === 'context.trim' ? [event.reason] : []));
}

describe('a prompt begins with the user (I1)', () => {
  it('also when what the first turn read was for that turn only', async () => {
    const once =
      'inbox_handling_strategies: [{ source: USER_PROMPT, ingestor: user_prompt, params: { is_persistent_in_memory: false } }]';
    expect(await play(once, 'Find the tea.')).toEqual(['nothing_kept']);
  });

  it('also when the first input could not be put into words', async () => {
    expect(await play('', { parts: 'none' })).toEqual(['nothing_kept']);
  });

  it('and nothing is put in front of a conversation that begins with somebody', async () => {
    expect(await play('', 'Find the tea.')).toEqual([]);
  });
});
