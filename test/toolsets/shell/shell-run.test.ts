import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../../src/testing/index.ts';
import { verifyRun } from '../../support/verify-run.ts';
import { isAlive } from '../../tools/toolset-under-test.ts';

const profile = (gate = 'allow'): string => `name: Builder
tool_access_policy: { allowed_toolsets: [shell] }
${gate === 'default' ? '' : `tool_gates: [{ id: g, toolsets: [shell], verdict: ${gate} }]`}
flow_decider:
  - { id: call, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, action: { type: end_agent_turn, outcome: success } }
`;

const call = (command: string, more = {}): ScriptedReply => ({
  toolCalls: [{ name: 'run_command', args: { command, ...more } }],
});

async function builder(replies: readonly ScriptedReply[], gate?: string) {
  const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-builder-'));
  const model = scriptedModel(replies);
  const journal = createMemoryJournal();
  const engine = await createEngine({
    profiles: { files: [{ path: 'profiles/builder.yaml', text: profile(gate) }] },
    models: { default: model },
    toolsets: { shell: { settings: { sandbox: false, grace: '100ms' } } },
    store: journal,
    workspace,
  });
  return { engine, model, workspace, journal };
}

describe('an agent with a shell', () => {
  it('works in its workspace: a session over turns, and an error it can read', async () => {
    const { engine, workspace, journal, model } = await builder([
      call('mkdir lib && cd lib && echo "export const x = 1" >x.js'),
      call('pwd; cat x.js; grep -q nothing x.js'),
      { text: 'Done.' },
    ]);
    const run = await engine.launch({ profile: 'Builder', input: 'Build.' });
    await run.settled();
    expect(readFileSync(path.join(workspace, 'lib/x.js'), 'utf8')).toBe('export const x = 1\n');
    const second = run.turns()[1]?.toolInteractions[0];
    expect(second).toMatchObject({ name: 'run_command', status: 'ok' });
    const sent = JSON.stringify(second);
    expect(sent).toContain('exit code 1');
    expect(sent).toContain('export const x = 1');
    await verifyRun(run, journal, { requests: model.requests });
    await engine.close();
    rmSync(workspace, { recursive: true });
  });

  it('gets secrets of its settings, and none of them is recorded', async () => {
    const secret = 'canary-6-8f3a1c';
    process.env['CADRE_TEST_TOKEN'] = secret;
    const files = [
      { path: 'profiles/builder.yaml', text: profile() },
      {
        path: 'toolsets/shell.yaml',
        text: 'type: toolset\nname: shell\nsettings: { sandbox: false, env: { TOKEN: { _type: from_env, var: CADRE_TEST_TOKEN } } }\n',
      },
    ];
    const journal = createMemoryJournal();
    const model = scriptedModel([call('echo "${#TOKEN} $TOKEN"; echo $TOKEN | rev'), { text: 'Done.' }]);
    const engine = await createEngine({ profiles: { files }, models: { default: model }, store: journal });
    delete process.env['CADRE_TEST_TOKEN'];
    const run = await engine.launch({ profile: 'Builder', input: 'Build.' });
    await run.settled();
    const recorded = JSON.stringify(await journal.read(run.id));
    expect(recorded).toContain(`${secret.length} `);
    expect(recorded).toContain([...secret].toReversed().join(''));
    expect(recorded).not.toContain(secret);
    expect(JSON.stringify(model.requests)).not.toContain(secret);
    await engine.close();
  });

  it.each([
    [{ network: ['*'] }, 'network'],
    [{ network: 'some' }, 'network'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ env: { 'A B': 'x' } }, 'env'],
    [{ sandbox: 'off' }, 'sandbox'],
    [{ cwd: '/' }, 'cwd'],
  ])('refuses settings that are wrong before anything runs: %j', async (settings, named) => {
    const creating = createEngine({
      profiles: { files: [{ path: 'profiles/builder.yaml', text: profile() }] },
      models: { default: scriptedModel([]) },
      toolsets: { shell: { settings } },
      store: 'memory',
    });
    await expect(creating).rejects.toThrow(named);
  });

  it('asks before it runs anything, unless its profile says otherwise', async () => {
    const { engine, workspace } = await builder([call('touch ran'), { text: 'Done.' }], 'default');
    const run = await engine.launch({ profile: 'Builder', input: 'Build.' });
    await run.settled();
    expect(run.pending).toMatchObject([{ kind: 'approval', tool: 'run_command' }]);
    expect(existsSync(path.join(workspace, 'ran'))).toBe(false);
    await engine.close();
    rmSync(workspace, { recursive: true });
  });

  it('leaves no process behind when its run is cancelled, in the foreground and in the background', async () => {
    const { engine, workspace } = await builder([
      call('trap "" TERM; echo $$ >background.pid; sleep 1000', { background: true }),
      call('until [ -s background.pid ]; do sleep 0.02; done; setsid sh -c "echo \\$\\$ >foreground.pid; exec sleep 1000"'),
    ]);
    const run = await engine.launch({ profile: 'Builder', input: 'Build.' });
    const pid = path.join(workspace, 'foreground.pid');
    while (!existsSync(pid) || readFileSync(pid, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20));
    await run.cancel('enough');
    await engine.close();
    for (const name of ['background.pid', 'foreground.pid'])
      expect(isAlive(readFileSync(path.join(workspace, name), 'utf8'))).toBe(false);
    rmSync(workspace, { recursive: true });
  });
});
