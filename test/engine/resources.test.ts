import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, defineTool, type ToolContext } from '../../src/index.ts';
import type { RunId } from '../../src/core/ids.ts';
import { createWorkspaces } from '../../src/engine/launch/workspaces.ts';
import { Resources } from '../../src/engine/effects/resources.ts';
import { scriptedModel } from '../../src/testing/index.ts';

describe('live things', () => {
  it('are opened once, however many ask at the same time, and closed with their owner', async () => {
    const log: string[] = [];
    const things = new Resources('the test');
    const open = (): { value: number; close: () => void } => {
      log.push('open');
      return { value: 7, close: () => void log.push('close') };
    };
    expect(await Promise.all([things.open('a', open), things.open('a', open)])).toEqual([7, 7]);
    await things.closeAll();
    expect(log).toEqual(['open', 'close']);
    await expect(things.open('a', open)).rejects.toThrow('the test is over');
  });

  it('are opened again after an opening that failed', async () => {
    const things = new Resources('the test');
    await expect(things.open('a', () => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    expect(await things.open('a', () => ({ value: 1, close: () => undefined }))).toBe(1);
  });

  it('are closed also when their owner is over while they are being opened', async () => {
    const log: string[] = [];
    const things = new Resources('the test');
    const opened = Promise.withResolvers<{ value: number; close: () => void }>();
    const asking = things.open('a', () => opened.promise);
    const closing = things.closeAll();
    opened.resolve({ value: 1, close: () => void log.push('close') });
    await Promise.all([asking, closing]);
    expect(log).toEqual(['close']);
  });

  it('one that fails to close keeps no other from being closed', async () => {
    const log: string[] = [];
    const things = new Resources('the test');
    await things.open('a', () => ({ value: 1, close: () => Promise.reject(new Error('stuck')) }));
    await things.open('b', () => ({ value: 2, close: () => void log.push('b') }));
    await things.closeAll();
    expect(log).toEqual(['b']);
  });
});

/** A team whose only agent opens one thing of the agent, one of the run and one of the engine, then waits. */
async function teamThatOpens(log: string[], end: 'finish' | 'wait') {
  const keep = (name: string) => ({ value: name, close: () => void log.push(`close ${name}`) });
  const open = defineTool({
    name: 'open',
    description: 'Opens things.',
    parameters: { type: 'object' },
    execute: async (_args: unknown, { live, workspace }: ToolContext) => {
      const { agent, run, engine } = live;
      await Promise.all([
        agent.open('x', () => keep('agent')),
        run.open('x', () => keep('run')),
        engine.open('x', () => keep('engine')),
      ]);
      return workspace;
    },
  });
  const text = `name: A\ntool_access_policy: { allowed_individual_tools: [open] }\nflow_decider:\n  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }\n  - { id: rest, action: { type: ${end === 'finish' ? 'end_agent_turn, outcome: success' : 'await_user_input'} } }\n`;
  const replies = scriptedModel([{ toolCalls: [{ name: 'open', args: {} }] }, { text: 'Done.' }]);
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-live-'));
  const engine = await createEngine({
    profiles: { files: [{ path: 'profiles/a.yaml', text }] },
    models: { default: replies },
    tools: [open],
    store: path.join(root, 'journal.db'),
  });
  return { engine, root };
}

describe('live things of a run', () => {
  it('[A2.1.cleanup] are closed when the run ends, those of the engine when it closes', async () => {
    const log: string[] = [];
    const { engine, root } = await teamThatOpens(log, 'finish');
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.result;
    await run.settled();
    expect(log.toSorted()).toEqual(['close agent', 'close run']);
    expect(existsSync(path.join(root, 'workspaces', run.id))).toBe(true);
    await engine.close();
    expect(log.at(-1)).toBe('close engine');
  });

  it('I9: are closed when a cancel has resolved', async () => {
    const log: string[] = [];
    const { engine } = await teamThatOpens(log, 'wait');
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    expect(log).toEqual([]);
    await run.cancel('enough');
    expect(log.toSorted()).toEqual(['close agent', 'close run']);
    await engine.close();
  });

  it('are closed when the engine leaves the run, which works in the same folder when it is taken up again', async () => {
    const log: string[] = [];
    const { engine } = await teamThatOpens(log, 'wait');
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-work-'));
    const run = await engine.launch({ profile: 'A', input: 'Go.' }, { workspace: folder });
    await run.settled();
    expect(JSON.stringify(run.turns())).toContain(folder);
    expect(run.state.meta.workspace).toBe(folder);
    await engine.close();
    expect(log).toEqual(['close agent', 'close run', 'close engine']);
  });

  it('a run in memory works in a folder of its own that only its owner may enter', () => {
    const of = createWorkspaces(undefined, 'memory');
    const meta = { runId: 'run_x' as RunId, workspace: undefined };
    const [one, other] = [of(meta)(), of(meta)()];
    expect(one).not.toBe(other);
    expect(statSync(one).mode & 0o777).toBe(0o700);
    for (const folder of [one, other]) rmSync(folder, { recursive: true });
  });

  it('a workspace that cannot be made is refused, with the way out', () => {
    const of = createWorkspaces('/dev/null/work', 'memory');
    expect(() => of({ runId: 'run_x' as RunId, workspace: undefined })()).toThrow(
      /cannot be made: .*name another with `workspace`/,
    );
  });
});
