import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createEngine,
  defineIngestor,
  defineObserver,
  type EngineOptions,
  type GivenTool,
  type JsonObject,
} from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';

const profile = (more: string): EngineOptions['profiles'] => ({
  files: [{ path: 'a.yaml', text: `name: A\ntype: agent\ntool_access_policy: { allowed_individual_tools: [t] }\n${more}` }],
});
const waits =
  'flow_decider: [{ id: tool, condition: state.current_action, action: { type: continue_with_tool } }, { id: w, action: { type: await_user_input } }]\n';

function tool(
  execute: (args: { readonly x?: number }, context: { readonly team: { readonly shared: object } }) => unknown,
): GivenTool {
  return {
    name: 't',
    description: 'x',
    parameters: { type: 'object', properties: { x: { type: 'number' } } },
    execute: (args: never, context: unknown) => execute(args, context as never),
  };
}

function engineOf(replies: readonly ScriptedReply[], options: Partial<EngineOptions> = {}): ReturnType<typeof createEngine> {
  return createEngine({
    profiles: profile(''),
    models: { default: scriptedModel(replies) },
    tools: [tool(() => 'ok')],
    store: 'memory',
    graceMs: 20,
    ...options,
  });
}

const call = (args: JsonObject = {}): ScriptedReply => ({ toolCalls: [{ name: 't', args }] });

describe('callers and callbacks that misbehave', () => {
  it('a tool that never stops holds up neither settled() nor close() once the grace period is over', async () => {
    const engine = await engineOf([call()], { tools: [tool(() => new Promise(() => undefined))] });
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    await run.cancel('enough');
    expect((await run.result).status).toBe('cancelled');
    await run.settled();
    await engine.close();
  });

  it('async callbacks that reject are contained, and told to be synchronous', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const late = (): never => Promise.reject(new Error('late')) as never;
    const engine = await engineOf([{ text: 'one' }, { text: 'two' }], {
      profiles: profile(
        `${waits}pre_turn_observers: [{ id: o, action: { type: call, observer: ob } }]\ninbox_handling_strategies: [{ source: ODD, ingestor: in }]\n`,
      ),
      ingestors: [defineIngestor({ name: 'in', ingest: late })],
      observers: [defineObserver({ name: 'ob', observe: late })],
    });
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    run.subscribe({ onEvents: late });
    await run.settled();
    await run.send({ source: 'ODD', payload: 1 });
    await run.settled();
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(run.turns()[0]?.observers[0]?.error?.message).toContain(
      'must return a list, and return it at once; it returned a promise',
    );
    expect(run.turns()[1]?.inputs.find(({ source }) => source === 'ODD')?.content).toContain('ingestors are synchronous');
    await engine.close();
  });

  it('every span of a prompt has a hash, and equal texts have equal ones', async () => {
    const engine = await engineOf([call(), { text: 'done' }]);
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    await run.result;
    const spans = run.turns().flatMap((turn) => turn.prompt.spans);
    expect(spans.every(({ hash }) => typeof hash === 'string' && hash.length === 22)).toBe(true);
    expect(new Set(spans.filter(({ text }) => text === 'hi').map(({ hash }) => hash)).size).toBe(1);
    await engine.close();
  });

  it('M9: a number that JSON.parse makes endless is refused, not turned into something else', async () => {
    const seen: unknown[] = [];
    const replies: ScriptedReply[] = [
      { toolCalls: [{ name: 't', input: '{"x":1e999}' }] },
      { toolCalls: [{ name: 't', input: '{"x":1e300}' }] },
      { text: 'done' },
    ];
    const engine = await engineOf(replies, { tools: [tool(({ x }) => seen.push(x))] });
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    await run.result;
    expect(seen).toEqual([1e300]);
    expect(run.turns()[0]?.toolInteractions[0]?.error?.code).toBe('TOOL_ARGUMENTS_INVALID');
    await engine.close();
  });

  it('X6: what a tool is shown of the team cannot be written to', async () => {
    const engine = await engineOf([call(), { text: 'done' }], {
      tools: [tool((_args, { team }) => Object.assign(team.shared, { hacked: 1 }))],
    });
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    await run.result;
    expect(run.state.team.shared).toEqual({});
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ status: 'error' });
    await engine.close();
  });

  it('what is posted from outside is checked field by field, and nothing wrong reaches the journal', async () => {
    const engine = await engineOf([{ text: 'one' }, { text: 'two' }], { profiles: profile(waits) });
    const run = await engine.launch({ profile: 'A', input: 'hi' });
    await run.settled();
    const before = run.state.seq;
    const wrong: readonly unknown[] = [
      undefined,
      null,
      5,
      { source: 'X', payload: 1, consumption: () => 1 },
      { source: 'X', payload: 1, consumption: 'nonsense' },
      { source: 'X', payload: 1, maxTurns: -1 },
      { source: 'X', payload: 1, priority: 'abc' },
      { source: 'X', payload: 1, unknown: 1 },
      { source: 'x'.repeat(1000), payload: 1 },
      { source: 'TOOL_RESULT', payload: 1 },
    ];
    for (const item of wrong) await expect(run.send(item as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.send('x', { priority: 'zzz' as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(run.state.seq).toBe(before);
    await run.send({ source: 'NEWS', payload: { a: 1 }, consumption_policy: 'consume_on_read' } as never);
    await run.settled();
    expect(run.turns()[1]?.inputs[0]).toMatchObject({ source: 'NEWS', payload: { a: 1 } });
    await engine.close();
  });

  it('options that cannot be meant are refused with a clear error', async () => {
    const engine = await engineOf([{ text: 'x' }]);
    await expect(engine.launch({ profile: 'A' } as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await engine.close();
    await expect(engine.runs()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    for (const store of [null, {}, 5, '', ':memory:']) {
      await expect(engineOf([], { store: store as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
  });

  it('a journal below a folder that cannot be made is a clear error at once', async () => {
    await expect(engineOf([], { store: '/proc/nowhere/j.db' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-'));
    const engine = await engineOf([], { store: path.join(folder, 'a', 'b', 'j.db') });
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  it('two callers that resume one run at once get the same run', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-'));
    const store = path.join(folder, 'j.db');
    const first = await engineOf([{ text: 'one' }], { profiles: profile(waits), store });
    const { id } = await first.launch({ profile: 'A', input: 'hi' });
    await first.close();
    const second = await engineOf([{ text: 'two' }], { profiles: profile(waits), store });
    const [a, b] = await Promise.all([second.resume(id), second.resume(id)]);
    expect(a).toBe(b);
    await second.close();
    rmSync(folder, { recursive: true });
  });
});
