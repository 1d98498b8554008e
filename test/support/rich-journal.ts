import type { ContentHash } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { CadreEvent } from '../../src/index.ts';
import { delegate } from './delegate.ts';
import { testEngine, waitsForUser } from './test-engine.ts';
import { allow, tool } from './tools.ts';

/** A whole journal with a bit of everything: two agents, tools that succeed and fail, an approval, a message in between. */
export async function richJournal(): Promise<readonly CadreEvent[]> {
  return (await richRun()).events;
}

/** The same with the texts it refers to; `says` are the results of its tools, what its user says, and further lines of its profile. */
export async function richRun(
  says: { readonly result?: unknown; readonly input?: string; readonly profile?: string; readonly args?: JsonObject } = {},
): Promise<{ readonly events: readonly CadreEvent[]; readonly content: (hash: ContentHash) => string | undefined }> {
  const team = await testEngine({
    profile: {
      Lead: `${waitsForUser}${allow('delegate', 't', 'gated', 'bad')}\ntool_gates: [{ id: g, tools: [gated], verdict: ask }]\npre_turn_observers: [{ id: count, action: { type: update_state, updates: [{ operation: increment, path: flags.turns }, { operation: append, path: team.shared.log, value: x }] } }]${says.profile ?? ''}`,
      Worker: allow('t'),
    },
    tools: [
      delegate,
      tool('t', () => says.result ?? 'result'),
      tool('gated', () => 'allowed'),
      tool('bad', () => {
        throw new Error('no');
      }),
    ],
    replies: [
      {
        toolCalls: [
          { name: 'delegate', args: { to: 'Worker' } },
          { name: 'gated', args: {} },
          { name: 'bad', args: {} },
        ],
      },
      {
        toolCalls: [
          { name: 't', args: { n: 1, ...says.args } },
          { name: 't', args: { n: 2 } },
        ],
      },
      { text: 'the worker is done' },
      { text: 'all is done' },
      { text: 'goodbye' },
    ],
  });
  const run = await team.launch(says.input);
  await run.settled();
  const [request] = run.pending;
  if (request !== undefined) await run.approve(request.id);
  await run.settled();
  await run.send('thank you');
  await run.settled();
  await run.cancel('over');
  await run.result;
  const events = await team.journal.read(run.id);
  await team.engine.close();
  return { events, content: (hash) => team.journal.content(hash) };
}
