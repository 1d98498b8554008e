import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, defineTool, type EngineOptions, type Run, type Toolset, type ToolsetHost } from '../../src/index.ts';
import { prepareEngine } from '../../src/engine/create-engine.ts';
import { engineJournals } from '../../src/files/guard/engine-places.ts';
import { assertJournal, createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';

const profile = `name: A
tool_access_policy: { allowed_toolsets: [box] }
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, action: { type: await_user_input } }
`;

function tool(name: string, says = 'ok', description = 'Says something.') {
  return defineTool({ name, toolset: 'box', description, parameters: { type: 'object' }, effect: 'pure', execute: () => says });
}

/** A toolset that connects and leaves the rest to the test. */
function box(connect: (host: ToolsetHost) => void, log: string[] = []): NonNullable<EngineOptions['toolsets']>[string] {
  return (): Toolset => ({
    tools: [],
    connect: (host) => {
      log.push('connect');
      connect(host);
    },
    close: () => Promise.resolve(void log.push('close')),
  });
}

async function open(
  toolset: NonNullable<EngineOptions['toolsets']>[string],
  replies: readonly ScriptedReply[],
  store: NonNullable<EngineOptions['store']> = 'memory',
) {
  return await createEngine({
    profiles: { files: [{ path: 'profiles/a.yaml', text: profile }] },
    models: { default: scriptedModel(replies) },
    toolsets: { box: toolset },
    store,
  });
}

const call = (name: string): ScriptedReply => ({ toolCalls: [{ name, args: {} }] });

it('a journal in memory keeps no file of its name from tools', async () => {
  const engine = await open(
    box(() => undefined),
    [],
  );
  expect(engineJournals().map((file) => path.basename(file))).not.toContain('memory');
  await engine.close();
});

/** A text as it stands in a frame, which says it is from `TOOLS_CHANGED`. */
const framed = (text: string): unknown =>
  expect.stringMatching(
    new RegExp(
      `^<untrusted_data from="TOOLS_CHANGED" nonce="(\\w+)">: .*\\n${RegExp.escape(text)}\\n</untrusted_data nonce="\\1">$`,
    ),
  );

describe('a toolset that connects', () => {
  it('is connected by the first launch, not before, and closed with the engine', async () => {
    const log: string[] = [];
    const toolset = box((host) => {
      host.setTools([tool('box_open', 'a cat')]);
      host.setHealth({ status: 'ready' });
    }, log);
    const engine = await open(toolset, [call('box_open'), { text: 'Done.' }]);
    await engine.runs();
    expect(log).toEqual([]);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ name: 'box_open', status: 'ok' });
    await engine.close();
    expect(log).toEqual(['connect', 'close']);
  });

  it('is not connected by a run that cannot come to use it', async () => {
    const rules = 'flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: success } }]';
    const policy = (toolsets: string): string => `tool_access_policy: { allowed_toolsets: [${toolsets}] }`;
    const engine = await createEngine({
      profiles: {
        files: [
          { path: 'toolsets/s.yaml', text: 'type: toolset\nname: server\nkind: mcp\nsettings: { command: /nowhere/server }\n' },
          { path: 'profiles/a.yaml', text: `name: Alone\n${policy('flow')}\n${rules}\n` },
          { path: 'profiles/u.yaml', text: `name: User\n${policy('server')}\n${rules}\n` },
          { path: 'profiles/c.yaml', text: `name: Caller\n${policy('agents')}\ncallable_profiles: [User]\n${rules}\n` },
        ],
      },
      models: { default: scriptedModel(() => ({ text: 'Hello.' })) },
      store: 'memory',
    });
    const notes = async (profile: string): Promise<readonly string[]> => {
      const run = await engine.launch({ profile, input: 'Go.' });
      const codes: string[] = [];
      for await (const event of run) if (event.type === 'note.add') codes.push(event.code);
      return codes;
    };
    expect(await notes('Alone')).toEqual([]);
    expect(await notes('Caller')).toContain('TOOLSET_FAILED');
    expect(await notes('User')).toContain('TOOLSET_FAILED');
    await engine.close();
  });

  it('is connected for a run that comes to use it by other profiles: changed while it goes on, or those it is resumed with', async () => {
    const bare = profile.replace('[box]', '[]');
    const store = createMemoryJournal();
    const begin = async (text: string) => {
      const toolset = box((host) => {
        host.setTools([tool('box_open')]);
        host.setHealth({ status: 'ready' });
      });
      const files = [{ path: 'profiles/a.yaml', text }];
      const models = { default: scriptedModel(() => ({ text: 'Hello.' })) };
      return await createEngine({ profiles: { files }, models, toolsets: { box: toolset }, store });
    };
    const offered = async (run: Run) => {
      await run.settled();
      return run.turns().at(-1)?.tools;
    };
    const first = await begin(bare);
    const run = await first.launch({ profile: 'A', input: 'Go.' });
    expect(await offered(run)).toEqual([]);
    await run.updateProfiles([{ update: 'A', with: { tool_access_policy: { allowed_toolsets: ['box'] } } }]);
    await run.send('Again.');
    expect(await offered(run)).toEqual(['box_open']);
    await first.close();
    const second = await begin(bare);
    const resumed = await second.resume(run.id);
    await resumed.send('Once more.');
    expect(await offered(resumed)).toEqual(['box_open']);
    await second.close();
  });

  it('is waited for by a launch, so that the first turn has its tools', async () => {
    const toolset = box((host) => {
      setTimeout(() => {
        host.setTools([tool('box_open')]);
        host.setHealth({ status: 'ready' });
      }, 20);
    });
    const engine = await open(toolset, [{ text: 'Hello.' }]);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    expect(run.turns()[0]?.tools).toEqual(['box_open']);
    await engine.close();
  });

  it('fails alone and visibly: on record, and told to those that may call it', async () => {
    const toolset = box((host) => host.setHealth({ status: 'failed', message: 'there is no program `boxd`' }));
    const journal = createMemoryJournal();
    const engine = await open(toolset, [{ text: 'One.' }, { text: 'Two.' }], journal);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    await run.send('Again.');
    await run.settled();
    const events = await journal.read(run.id);
    expect(events).toContainEqual(expect.objectContaining({ type: 'note.add', code: 'TOOLSET_FAILED' }));
    expect(run.turns()[1]?.inputs.map(({ content }) => content)).toContainEqual(
      framed("'box' cannot be used at the moment: there is no program `boxd`"),
    );
    assertJournal(events);
    await engine.close();
  });

  it('changes its tools while an agent waits: told, and offered from the next turn on; it wakes nobody', async () => {
    const host = Promise.withResolvers<ToolsetHost>();
    const toolset = box((connected) => {
      connected.setTools([tool('box_open'), tool('box_shut')]);
      connected.setHealth({ status: 'ready' });
      host.resolve(connected);
    });
    const engine = await open(toolset, [{ text: 'One.' }, call('box_shut'), call('box_look'), { text: 'End.' }]);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    (await host.promise).setTools([tool('box_open', 'ok', 'Opens.'), tool('box_look')]);
    await run.settled();
    expect(run.turns()).toHaveLength(1);
    await run.send('Again.');
    await run.settled();
    const [, second, third] = run.turns();
    expect(second?.tools).toEqual(['box_open', 'box_look']);
    expect(second?.inputs.map(({ content }) => content)).toContainEqual(
      framed("the tools of 'box' have changed: gone: box_shut; new: box_look; changed: box_open"),
    );
    expect(second?.toolInteractions[0]).toMatchObject({ status: 'error', error: { code: 'TOOL_UNKNOWN' } });
    expect(third?.toolInteractions[0]).toMatchObject({ name: 'box_look', status: 'ok' });
    await engine.close();
  });

  it('a tool that cannot be used is left out and told of; the others stay', async () => {
    const bad = { name: 'box_bad', toolset: 'box', description: 'Bad.', parameters: { type: 'no such type' }, execute: () => 'x' };
    const toolset = box((host) => {
      host.setTools([bad, tool('box_open')]);
      host.setHealth({ status: 'ready' });
    });
    const engine = await open(toolset, [{ text: 'One.' }]);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    expect(run.turns()[0]?.tools).toEqual(['box_open']);
    await engine.close();
  });

  it('one that throws when it should connect has failed, and the launch goes on', async () => {
    const toolset = box(() => {
      throw new Error('no socket');
    });
    const engine = await open(toolset, [{ text: 'One.' }]);
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.settled();
    expect(run.state.status).toBe('awaiting');
    await engine.close();
  });
});

describe('toolsets of an engine that is opened again', () => {
  it('are connected anew by the next engine, and by each run that comes after they were lost', async () => {
    const log: string[] = [];
    const toolset = box((host) => {
      host.setTools([tool('box_open')]);
      host.setHealth({ status: 'ready' });
    }, log);
    const prepared = await prepareEngine({
      profiles: { files: [{ path: 'profiles/a.yaml', text: profile }] },
      models: { default: scriptedModel([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]) },
      toolsets: { box: toolset },
    });
    for (const text of ['One.', 'Two.']) {
      const engine = await prepared.open({ models: { default: scriptedModel([{ text }, { text }]) }, store: 'memory' });
      const run = await engine.launch({ profile: 'A', input: 'Go.' });
      const other = await engine.launch({ profile: 'A', input: 'Go.' });
      await Promise.all([run.settled(), other.settled()]);
      await engine.close();
    }
    expect(log).toEqual(['connect', 'close', 'connect', 'close']);
  });
});

describe('toolsets and what profiles allow', () => {
  it('`*` covers no tool that must be named', async () => {
    const shut = defineTool({
      name: 'shut',
      description: 'Shuts.',
      parameters: { type: 'object' },
      by_name_only: true,
      execute: () => 'x',
    });
    const engine = await createEngine({
      profiles: {
        files: [
          { path: 'profiles/a.yaml', text: 'name: A\ntool_access_policy: { allowed_toolsets: ["*"] }\n' },
          { path: 'profiles/b.yaml', text: 'name: B\ntool_access_policy: { allowed_individual_tools: [shut] }\n' },
        ],
      },
      models: { default: scriptedModel([{ text: 'One.' }, { text: 'Two.' }]) },
      tools: [shut, tool('open')],
      team: false,
      store: 'memory',
    });
    const tools = async (name: string) => {
      const run = await engine.launch({ profile: name, input: 'Go.' });
      await run.result;
      return run.turns()[0]?.tools;
    };
    expect(await tools('A')).toEqual(['open']);
    expect(await tools('B')).toEqual(['shut']);
    await engine.close();
  });

  it("a tool of the launcher goes before one of a toolset, also when it bears the toolset's name", async () => {
    const mine = defineTool({
      name: 'run_command',
      toolset: 'shell',
      description: 'Mine.',
      parameters: { type: 'object' },
      execute: () => 'mine',
    });
    const engine = await createEngine({
      profiles: {
        files: [{ path: 'profiles/a.yaml', text: 'name: A\ntool_access_policy: { allowed_toolsets: [shell] }\n' }],
      },
      models: { default: scriptedModel([call('run_command'), { text: 'Done.' }]) },
      tools: [mine],
      store: 'memory',
    });
    const run = await engine.launch({ profile: 'A', input: 'Go.' });
    await run.result;
    expect(run.turns()[0]?.toolInteractions[0]).toMatchObject({ name: 'run_command', status: 'ok' });
    expect(run.turns()[0]?.tools).toContain('read_command_output');
    await engine.close();
  });
});
