import { describe, expect, it } from 'vitest';
import { breathe, testEngine, type TestEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, type HeldTool, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const write = (id: string, name = 'write') => ({ name, args: { id } });
const ask = (condition: string): string =>
  `${waitsForUser}${allow('write', 'other')}tool_gates: [{ id: g, condition: "${condition}", verdict: ask, expires_after: 1m }]\n`;

/** A team with a held serial tool, whose model makes these calls. */
async function teamWith(
  condition: string,
  calls: readonly { readonly name: string; readonly args: { readonly id: string } }[],
  options: Readonly<Record<string, unknown>> = { concurrency: 'serial' },
): Promise<{ readonly team: TestEngine; readonly held: HeldTool; readonly run: Awaited<ReturnType<TestEngine['launch']>> }> {
  const held = heldTool('write', options);
  const team = await testEngine({
    profile: ask(condition),
    tools: [held.tool, tool('other', () => held.log.push('other'))],
    replies: [{ toolCalls: calls }, { text: 'done' }],
  });
  const run = await team.launch();
  await breathe();
  return { team, held, run };
}

describe('F91: an approved call of a serial tool does not wait for verdicts on its neighbours', () => {
  it.each([
    ['serial', 'first', 'a', 'b'],
    ['serial', 'second', 'b', 'a'],
    ['exclusive', 'first', 'a', 'b'],
    ['exclusive', 'second', 'b', 'a'],
  ] as const)('%s, the %s is approved', async (concurrency, _, approved, other) => {
    const { team, held, run } = await teamWith('true', [write('a'), write('b')], { concurrency });
    const idOf = (id: string): string => run.pending.find(({ args }) => args?.['id'] === id)?.id ?? '';
    expect(run.pending).toHaveLength(2);
    await run.approve(idOf(approved));
    await breathe();
    expect(held.log).toEqual([`begin ${approved}`]);
    expect(run.pending.map(({ args }) => args)).toEqual([{ id: other }]);
    held.gates.get(approved)?.open(1);
    await run.settled();
    await run.reject(idOf(other));
    await run.settled();
    expect(held.log).toEqual([`begin ${approved}`, `end ${approved}`]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('approved calls keep their order, one at a time, whatever the order of the verdicts', async () => {
    const { team, held, run } = await teamWith('true', [write('a'), write('b'), write('c')]);
    const [a, b, c] = run.pending.map(({ id }) => id);
    await run.approve(c ?? '');
    await breathe();
    await run.approve(b ?? '');
    await run.approve(a ?? '');
    await breathe();
    expect(held.log).toEqual(['begin c']);
    for (const id of ['c', 'a', 'b']) {
      held.gates.get(id)?.open(1);
      await breathe();
    }
    await run.settled();
    expect(held.log).toEqual(['begin c', 'end c', 'begin a', 'end a', 'begin b', 'end b']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('a call before one that waits runs; one behind it that no person was asked about keeps its place', async () => {
    const { team, held, run } = await teamWith("args.id == 'b'", [write('a'), write('b'), write('c')]);
    expect(held.log).toEqual(['begin a']);
    held.gates.get('a')?.open(1);
    await run.settled();
    expect(held.log).toEqual(['begin a', 'end a']);
    await run.reject(run.pending[0]?.id ?? '');
    await breathe();
    held.gates.get('c')?.open(1);
    await run.settled();
    expect(held.log).toEqual(['begin a', 'end a', 'begin c', 'end c']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('an expiry of one call lets the next go on, and calls of parallel tools never wait', async () => {
    const { team, held, run } = await teamWith("args.id == 'a'", [write('a'), write('b'), write('o', 'other')]);
    expect(held.log).toEqual(['other']);
    await team.clock.advance(60_000);
    await breathe();
    expect(held.log).toEqual(['other', 'begin b']);
    held.gates.get('b')?.open(1);
    await run.settled();
    expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['denied', 'ok', 'ok']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
