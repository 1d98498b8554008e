import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, currentRequest, type JsonObject, type Run } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { call, promptOf, say, speaks, storePath, systemOf } from '../scenarios/scenario.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const seen: JsonObject[] = [];
const look = tool('look', async (_args, context) => {
  await new Promise((resolve) => setImmediate(resolve));
  seen.push({ context: context.request, store: currentRequest() });
  return 'looked';
});

const env = { REGION: 'north', EMPTY: '', PORT: '8080' };
const request = { tenant: 'acme', level: 3, flags: { beta: true } };

async function systemText(instructions: string, given?: JsonObject): Promise<string> {
  const team = await testEngine({ profile: `instructions: ${JSON.stringify(instructions)}\n`, env, replies: [say('Done.')] });
  const run = await team.launch('Go.', given === undefined ? {} : { request: given });
  await run.settled();
  await verifyRun(run, team.journal, { requests: team.model.requests });
  return systemOf(team.model.requests[0]);
}

describe('values of one request', () => {
  it('[B.53] [A4.1.request-context] conditions, texts, tools and what tools call read them, children inherit them, and nobody else has them', async () => {
    seen.length = 0;
    const boss = speaks({ ...call('call_agent', { profile: 'Worker', input: 'Work.' }) }, 'Done.');
    const worker = speaks(call('look'), 'Looked.');
    const profile = {
      Boss: `llm_config_ref: boss
instructions: "For {{ request.tenant }}."
tool_access_policy: { allowed_toolsets: [agents] }
callable_profiles: [Worker]
pre_turn_observers:
  - { id: beta, condition: "request.flags.beta && request.level > 2", action: { type: update_state, updates: [{ operation: set, path: flags.beta, value: "{{ request.level }}" }] } }
`,
      Worker: `llm_config_ref: worker\ninstructions: "Level {{ request.level }} of {{ request.nothing }}."\n${allow('look')}`,
    };
    const journal = createMemoryJournal();
    const team = await testEngine({ profile, models: { boss, worker }, team: {}, tools: [look], store: journal });
    const run = await team.launch('Go.', { request });
    await run.settled();
    await verifyRun(run, journal, { requests: [...boss.requests, ...worker.requests] });
    expect(systemOf(boss.requests[0])).toContain('For acme.');
    expect(systemOf(worker.requests[0])).toContain('Level 3 of .');
    expect([...run.state.agents.values()][0]?.flags).toEqual({ beta: 3 });
    expect(seen).toEqual([{ context: request, store: request }]);
    expect(currentRequest()).toEqual({});
  });

  it('two runs at once do not see each other’s, however their tools interleave', async () => {
    seen.length = 0;
    const model = scriptedModel((asked) => (promptOf(asked).includes('tool:') ? say('Done.') : call('look')));
    const team = await testEngine({ profile: `llm_config_ref: n\n${allow('look')}`, models: { n: model }, tools: [look] });
    const tenants = ['a', 'b', 'c', 'd'];
    const runs = await Promise.all(tenants.map(async (tenant) => await team.launch('Go.', { request: { tenant } })));
    const plain = await team.launch('Go.');
    await Promise.all([...runs, plain].map(async (run) => await run.settled()));
    expect(seen.map(({ store }) => (store as JsonObject)['tenant'] ?? '').toSorted()).toEqual(['', ...tenants]);
    for (const { context, store } of seen) expect(context).toEqual(store);
  });

  it('a model object and a function node that were handed in read them, too', async () => {
    const read: JsonObject[] = [];
    const model = scriptedModel(() => {
      read.push(currentRequest());
      return say('Done.');
    });
    const team = await testEngine({ profile: 'llm_config_ref: n\n', models: { n: model } });
    const run = await team.launch('Go.', { request });
    await run.settled();
    const functions = {
      note: () => {
        read.push(currentRequest());
        return { text: 'noted' };
      },
    };
    const other = await testEngine({ profile: 'function_node: note\n', functions });
    const second = await other.launch('Go.', { request });
    await second.settled();
    expect(read).toEqual([request, request]);
  });

  it('they are on the journal: a run that is resumed, or forked, has them', async () => {
    seen.length = 0;
    const store = await storePath();
    const options = {
      profiles: {
        files: [
          {
            path: 'profiles/A.yaml',
            text: `name: A\ntype: associate\nllm_config_ref: m\ninstructions: "Of {{ request.tenant }}."\n${allow('look')}${waitsForUser}`,
          },
        ],
      },
      tools: [look],
      team: false as const,
      store,
    };
    const first = await createEngine({ ...options, models: { m: speaks('Hello.') } });
    const run = await first.launch({ profile: 'A', input: 'Go.' }, { request });
    await run.settled();
    await first.close();
    const model = speaks(call('look'), 'Looked.');
    const second = await createEngine({ ...options, models: { m: model } });
    const resumed = await second.resume(run.id);
    await resumed.send('Look.');
    await resumed.settled();
    expect(resumed.state.meta.request).toEqual(request);
    expect(systemOf(model.requests[0])).toContain('Of acme.');
    expect(seen).toEqual([{ context: request, store: request }]);
    const fork = await second.fork(run.id, { at: 1 });
    expect(fork.state.meta.request).toEqual(request);
    await second.close();
  });

  it('a tool cannot change them', async () => {
    const errors: unknown[] = [];
    const spoil = tool('spoil', (_args, context) => {
      try {
        (context.request as Record<string, unknown>)['tenant'] = 'other';
      } catch (error) {
        errors.push(error);
      }
      return 'ok';
    });
    const team = await testEngine({ profile: allow('spoil'), tools: [spoil], replies: [call('spoil'), say('Done.')] });
    const run = await team.launch('Go.', { request });
    await run.settled();
    expect(errors).toHaveLength(1);
    expect(run.state.meta.request).toEqual(request);
  });

  it.each([
    ['no object', ['acme'], 'must be an object'],
    ['a name that is none', { 'a b': 1 }, "the name 'a b'"],
    ['a name that leads to a prototype', JSON.parse('{"__proto__":{"tenant":"x"}}'), "the name '__proto__'"],
    ['such a name further down', { user: [{ constructor: 'x' }] }, "the name 'user/0/constructor'"],
    ['a credential', { apiToken: 'x' }, "names 'apiToken'"],
    ['a credential further down', { user: [{ db_password: 'x' }] }, "names 'db_password'"],
    ['something that is no JSON', { when: new Date(0) }, 'no JSON'],
    ['a function', { run: () => 1 }, 'no JSON'],
    ['a circle', circle(), 'levels'],
    ['too much', { text: 'x'.repeat(70_000) }, 'may have 64000'],
  ])('%s is refused before anything is begun', async (_title, given, says) => {
    const team = await testEngine({ replies: [say('Done.')] });
    await expect(team.launch('Go.', { request: given as JsonObject })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(says) as string,
    });
    expect(await team.engine.runs()).toEqual([]);
  });

  it('a secret the engine knows is never recorded, whatever name it is handed over by', async () => {
    const team = await testEngine({ replies: [say('Done.')], secrets: ['hunter2-hunter2'] });
    const run = await team.launch('Go.', { request: { note: 'the word is hunter2-hunter2' } });
    await run.settled();
    expect(run.state.meta.request).toEqual({ note: 'the word is [secret]' });
    expect(JSON.stringify(await team.journal.read(run.id))).not.toContain('hunter2');
  });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

describe('${NAME:-default} in texts', () => {
  it.each([
    ['${tenant}', request, 'acme'],
    ['of ${tenant:-nobody}', {}, 'of nobody'],
    ['in ${REGION}', {}, 'in north'],
    ['in ${REGION:-south}', { REGION: 'east' }, 'in east'],
    ['in ${EMPTY:-somewhere}', {}, 'in somewhere'],
    ['in ${REGION:-south}', { REGION: '' }, 'in north'],
    ['${level} and ${flags}', request, '3 and {"beta":true}'],
    ['\\${REGION} stays', {}, '${REGION} stays'],
    ['${no name} and $REGION and ${1} stay', {}, '${no name} and $REGION and ${1} stay'],
    ['{{ request.tenant }}/${tenant}', request, 'acme/acme'],
    ['${toString:-none}', {}, 'none'],
  ] as const)(
    '[B.32] [A4.4.yaml-variables] %s: the request, then the environment, then the default',
    async (text, given, expected) => {
      expect(await systemText(text, given)).toBe(expected);
    },
  );

  it('what a request says is a value, never a template', async () => {
    expect(await systemText('${tenant}', { tenant: '{{ run.run_id }} ${REGION}' })).toBe('{{ run.run_id }} ${REGION}');
  });

  it('a payload that is one variable keeps the type of the value', async () => {
    const profile = `pre_turn_observers:
  - { id: keep, action: { type: update_state, updates: [{ operation: set, path: flags.level, value: "\${level:-1}" }] } }
`;
    const flagsOf = async (given: JsonObject): Promise<Run['state']> => {
      const team = await testEngine({ profile, env, replies: [say('Done.')] });
      const run = await team.launch('Go.', { request: given });
      await run.settled();
      return run.state;
    };
    const [asked] = (await flagsOf(request)).agents.values();
    expect(asked?.flags).toEqual({ level: 3 });
    const [usual] = (await flagsOf({})).agents.values();
    expect(usual?.flags).toEqual({ level: '1' });
  });
});

describe('${NAME:-default} in settings of tools', () => {
  const profile =
    'name: A\ntype: associate\nllm_config_ref: m\ninstructions: x\ntool_access_policy: { allowed_toolsets: [workspace] }\n';
  const settings = '{ trust: "${trust:-trusted}", max_file_bytes: "${MOST:-2000}", unreadable: ["${hidden:-none}.txt"] }';

  it('[B.32] tools run with the settings of their own run; without a request, with those of the environment or the default', async () => {
    const workspace = await mkdtemp(path.join(tmpdir(), 'cadre-request-'));
    onTestFinished(async () => await rm(workspace, { recursive: true, force: true }));
    await writeFile(path.join(workspace, 'a.txt'), 'a\n'.repeat(700));
    await writeFile(path.join(workspace, 'b.txt'), 'b\n');
    const read = { toolCalls: ['a.txt', 'b.txt'].map((file) => ({ name: 'read_file', args: { path: file } })) };
    const model = scriptedModel((asked) => (promptOf(asked).includes('tool:') ? say('Done.') : read));
    const files = [
      { path: 'profiles/A.yaml', text: profile },
      { path: 'toolsets/workspace.yaml', text: `name: workspace\ntype: toolset\nsettings: ${settings}\n` },
    ];
    const engine = await createEngine({ profiles: { files }, models: { m: model }, store: 'memory', env: { MOST: '1500' } });
    onTestFinished(async () => await engine.close());
    expect(engine.profiles.toolsets.get('workspace')?.settings).toEqual({
      trust: 'trusted',
      max_file_bytes: 1500,
      unreadable: ['none.txt'],
    });
    const results = async (given: JsonObject): Promise<readonly string[]> => {
      const run = await engine.launch({ profile: 'A', input: 'Go.' }, { request: given, workspace });
      await run.settled();
      return run.turns()[0]?.toolInteractions.map(({ status, error }) => error?.code ?? status) ?? [];
    };
    // Three runs at once, each with its own; the one without has those of the environment.
    expect(await Promise.all([results({}), results({ hidden: 'a' }), results({ hidden: 'b', MOST: 1000 })])).toEqual([
      ['ok', 'ok'],
      ['PATH_REFUSED', 'ok'],
      ['TOOL_FAILED', 'PATH_REFUSED'],
    ]);
    // What does not fit is an error the agent reads, not the settings of others.
    const run = await engine.launch({ profile: 'A', input: 'Go.' }, { request: { MOST: 'many' }, workspace });
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]?.error?.message).toContain(
      "toolset 'workspace' cannot be used: settings.max_file_bytes",
    );
  });

  it('a tool that the settings of a run take away is not there, and one whose results they trust otherwise is not run', async () => {
    const workspace = await mkdtemp(path.join(tmpdir(), 'cadre-request-'));
    onTestFinished(async () => await rm(workspace, { recursive: true, force: true }));
    await writeFile(path.join(workspace, 'here.txt'), 'here');
    const both = {
      toolCalls: [
        { name: 'write_file', args: { path: 'a.txt', content: 'a' } },
        { name: 'read_file', args: { path: 'here.txt' } },
      ],
    };
    const model = scriptedModel((asked) => (promptOf(asked).includes('tool:') ? say('Done.') : both));
    const toolset = 'name: workspace\ntype: toolset\nsettings: { read_only: "${locked:-false}", trust: "${trust:-trusted}" }\n';
    const files = [
      { path: 'profiles/A.yaml', text: profile },
      { path: 'toolsets/workspace.yaml', text: toolset },
    ];
    const engine = await createEngine({ profiles: { files }, models: { m: model }, store: 'memory' });
    onTestFinished(async () => await engine.close());
    const errorsOf = async (given: JsonObject): Promise<readonly string[]> => {
      const run = await engine.launch({ profile: 'A', input: 'Go.' }, { request: given, workspace });
      await run.settled();
      return run.turns()[0]?.toolInteractions.map(({ error }) => error?.message ?? 'none') ?? [];
    };
    const wrong = "with the values of this run's request, toolset 'workspace'";
    expect(await errorsOf({ locked: true })).toEqual([`${wrong} has no tool 'write_file'`, 'none']);
    expect(await readdir(workspace), 'nothing was written').toEqual(['here.txt']);
    expect((await errorsOf({ trust: 'untrusted' }))[1]).toBe(
      `${wrong} cannot be used: no request may change \`trust\` of 'read_file'`,
    );
    expect(await errorsOf({})).toEqual(['none', 'none']);
  });

  it('the sandbox of programs is what the environment and the file say, whatever a request asks for', async () => {
    const settings =
      '{ sandbox: "${box:-true}", network: "${net:-none}", write: ["${place:-/var/empty}"], max_output_mb: "${most:-10}" }';
    const toolset = { path: 'toolsets/shell.yaml', text: `name: shell\ntype: toolset\nsettings: ${settings}\n` };
    const profile = 'tool_access_policy: { allowed_toolsets: [shell] }\n';
    const { engine } = await testEngine({ profile, files: [toolset], env: { net: 'all' } });
    const shell = engine.profiles.toolsets.get('shell');
    const asked = { box: false, net: 'none', place: '/', most: 20 };
    expect(shell?.settingsFor?.(asked)).toEqual({ sandbox: true, network: 'all', write: ['/var/empty'], max_output_mb: 20 });
    await engine.close();
  });

  it('tools that decide inside a commit have the settings of their own run, too, also when they go on later', async () => {
    const boss = scriptedModel((asked) =>
      promptOf(asked).includes('tool:') ? say('Done.') : call('run_plan', { phases: [{ name: 'one' }, { name: 'two' }] }),
    );
    const files = [
      {
        path: 'profiles/A.yaml',
        text: 'name: A\ntype: associate\nllm_config_ref: boss\ninstructions: x\ntool_access_policy: { allowed_toolsets: [phases] }\ncallable_profiles: [B]\n',
      },
      { path: 'profiles/B.yaml', text: 'name: B\ntype: associate\nllm_config_ref: worker\ninstructions: x\n' },
      {
        path: 'toolsets/phases.yaml',
        text: 'name: phases\ntype: toolset\nsettings: { max_phases: "${most:-1}", show_plan: "${shown:-false}" }\n',
      },
    ];
    const worker = scriptedModel(() => say('Worked.'));
    const engine = await createEngine({ profiles: { files }, models: { boss, worker }, store: 'memory' });
    onTestFinished(async () => await engine.close());
    const shownTo = async (given: JsonObject): Promise<readonly boolean[]> => {
      const before = worker.requests.length;
      const run = await engine.launch({ profile: 'A', input: 'Go.' }, { request: given });
      await run.settled();
      return worker.requests.slice(before).map((asked) => promptOf(asked).includes('The whole plan'));
    };
    expect(await shownTo({}), 'two phases are too many').toEqual([]);
    expect(await shownTo({ most: 2 })).toEqual([false, false]);
    expect(await shownTo({ most: 2, shown: true })).toEqual([true, true]);
  });
});
