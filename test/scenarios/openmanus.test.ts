import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, type EngineOptions, type Run } from '../../src/index.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { referenceServer } from '../toolsets/mcp/mcp-host.ts';
import { isInstalled, whyNoSandbox } from '../tools/toolset-under-test.ts';
import { readTeam } from './shipped-team.ts';
import { agentsOf, call, dataOf, messagesOf, promptOf, resultOf, say, speaks, toolsOf, type Model } from './scenario.ts';

const folder = 'agent_profiles/openmanus';
const noSandbox = whyNoSandbox();
const noPython = noSandbox ?? (isInstalled('python3') ? undefined : 'python3 is not installed');
const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].some((place) => existsSync(place));

/** A child of what ships, as an author writes one. */
const child = (name: string, bases: string, more = ''): string => `name: ${name}\nbase_profile: [${bases}]\n${more}`;

interface Play extends Omit<EngineOptions, 'profiles'> {
  readonly profile: string;
  readonly model?: Model;
  readonly input?: string;
  /** Profiles beside those that ship. */
  readonly yaml?: readonly string[];
}

/** Plays an agent that ships, over a memory journal, until nothing runs any more. */
async function play({ profile, model, input = 'Do it.', yaml = [], ...options }: Play): Promise<Run> {
  const files = await readTeam(folder);
  const own = yaml.map((text, index) => ({ path: `profiles/own-${index}.yaml`, text }));
  const engine = await createEngine({
    profiles: { files: [...files, ...own] },
    ...(model === undefined ? {} : { models: { default: model } }),
    store: 'memory',
    env: {},
    ...options,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile, input });
  await run.settled();
  return run;
}

/** The last messages of each request. */
const lastsOf = (model: Model): readonly string[] => model.requests.map((request) => messagesOf(request).at(-1) ?? '');

const terminate = (message = 'Done.', status = 'success') => call('terminate', { status, message });

describe('react_base', () => {
  it('[A2.1.tool-call-agent] thirty steps, a window, a prompt for each step that does not stay (D2.4), and an end by a tool', async () => {
    const model = speaks(call('list_files'), terminate('All seen.'));
    const policy =
      'tool_access_policy: { allowed_toolsets: [workspace, flow] }\ncontext_policy: { truncate: { tool_result: 400 } }';
    const workspace = await makeFolder({
      'long.txt': 'x'.repeat(2000),
      ...Object.fromEntries(range(40).map((n) => [`f${n}.txt`, ''])),
    });
    const run = await play({ profile: 'Own', yaml: [child('Own', 'react_base', policy)], model, workspace });
    expect(run.state.outcome).toBe('success');
    expect((await run.result).output).toBe('All seen.');
    // The step prompt is read last in each step, and only in this one.
    for (const request of model.requests) {
      expect(promptOf(request).match(/Do the next step of the task/g)).toHaveLength(1);
      expect(promptOf(request).split('\n').at(-1)).toContain('Do the next step of the task');
    }
    // The result is cut in its middle, and says so.
    expect(promptOf(model.requests[1])).toMatch(/f0\.txt[^]*characters[^]*long\.txt/);
    expect(promptOf(model.requests[1]).length).toBeLessThan(1_200);
    expect(model.requests[0]?.toolChoice).toEqual({ type: 'auto' });
    const compiled = (await profiles()).get('react_base');
    expect(compiled).toMatchObject({ limits: { maxTurns: 30 }, contextPolicy: { window: 100 } });
  });

  it('[A2.1.tool-call-agent] what follows words without a call is said by a base: the end, a reminder, a wait, an error', async () => {
    const bases = {
      Ends: 'react_base',
      Reminds: 'react_base, text_reply_reminds',
      Waits: 'react_base, text_reply_waits',
      Fails: 'react_base, text_reply_fails',
    };
    const played = async (name: keyof typeof bases, ...replies: readonly (string | ReturnType<typeof say>)[]) => {
      const model = speaks(...replies);
      return { model, run: await play({ profile: name, yaml: [child(name, bases[name])], model }) };
    };
    const ends = await played('Ends', 'Forty-two.');
    expect(ends.run.state.outcome).toBe('success');
    expect((await ends.run.result).output).toBe('Forty-two.');
    const reminds = await played('Reminds', 'I think.', terminate('Forty-two.'));
    expect(promptOf(reminds.model.requests[1])).toContain('Your last reply called no tool.');
    expect((await reminds.run.result).output).toBe('Forty-two.');
    const talks = await played('Reminds', 'One.', 'Two.', 'Three.');
    expect(talks.run.state).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('three times in a row') as string },
    });
    const waits = await played('Waits', 'What do you mean?', terminate('Ah.'));
    expect(waits.run.state.status).toBe('awaiting');
    await waits.run.send('The answer.');
    expect((await waits.run.result).output).toBe('Ah.');
    const fails = await played('Fails', 'I would rather talk.');
    expect(fails.model.requests[0]?.toolChoice).toEqual({ type: 'required' });
    expect(fails.run.state.outcome).toBe('error');
  });

  it('[A2.1.think] with tool_choice none there are words alone, and they are the answer', async () => {
    const model = speaks('Just words.');
    const run = await play({ profile: 'Speaker', yaml: [child('Speaker', 'react_base', 'tool_choice: none')], model });
    expect(model.requests[0]?.toolChoice ?? { type: 'none' }).toEqual({ type: 'none' });
    expect((await run.result).output).toBe('Just words.');
  });

  it('[A2.1.is-stuck] [A2.1.stuck-state] the third time of the same is noticed, held up, and ended; nothing of it accumulates', async () => {
    const look = call('list_files');
    const model = speaks(...range(8).map(() => look));
    const workspace = await makeFolder();
    const own = child('Own', 'react_base', 'tool_access_policy: { allowed_toolsets: [workspace, flow] }');
    const run = await play({ profile: 'Own', yaml: [own], model, workspace });
    const told = model.requests.map((request) => messagesOf(request).at(-2) ?? '');
    expect(told.map((words) => /The same was done \d times/.exec(words)?.[0] ?? '')).toEqual([
      '',
      '',
      '',
      'The same was done 3 times',
      'The same was done 4 times',
      '',
      '',
    ]);
    expect(toolsOf(model.requests[4])).not.toContain('list_files');
    expect(run.state.outcome).toBe('stagnation');
  });

  it('[A2.1.run] an agent that never ends gets its last turn without tools, and says what it has', async () => {
    const model = speaks(...range(4).map((n) => call('read_file', { path: `f${n}.txt` })), 'Four files.');
    const workspace = await makeFolder(Object.fromEntries(range(5).map((n) => [`f${n}.txt`, `${n}`])));
    const more = 'tool_access_policy: { allowed_toolsets: [workspace, flow] }\nlimits: { max_turns: 4 }';
    const run = await play({ profile: 'Own', yaml: [child('Own', 'react_base', more)], model, workspace });
    expect(model.requests[4]?.toolChoice).toEqual({ type: 'none' });
    expect(messagesOf(model.requests[4]).at(-1)).toContain('The limit is reached');
    expect(run.state.outcome).toBe('limit');
    expect((await run.result).output).toBe('Four files.');
  });
});

describe('agents of openmanus', () => {
  it.skipIf(noPython !== undefined)(
    `[A2.2.manus] writes a file, runs it, mends it, runs it again, and asks a person (${noPython ?? 'real Python, in a sandbox'})`,
    async () => {
      const workspace = await makeFolder();
      const run_ = call('run_python', { code: 'import greet' });
      const model = speaks(
        call('write_file', { path: 'greet.py', content: 'print("Helo, " + nmae)\n' }),
        run_,
        call('ask_human', { question: 'Whom shall it greet?' }),
        call('edit_file', {
          command: 'str_replace',
          path: 'greet.py',
          old_str: '"Helo, " + nmae',
          new_str: '"Hello, Ada" + "!" * 20000',
        }),
        run_,
        terminate('It greets.'),
      );
      const run = await play({ profile: 'manus', model, workspace });
      const [asked] = run.pending;
      expect(asked).toMatchObject({ kind: 'question', message: 'Whom shall it greet?' });
      await run.answer(asked?.id ?? '', 'Ada');
      const { status, output } = await run.result;
      expect([status, output]).toEqual(['completed', 'It greets.']);
      expect(resultOf(run, 'run_python')).toMatch(/exit code 1[^]*NameError/);
      expect(resultOf(run, 'run_python', 1)).toMatch(/exit code 0[^]*Hello, Ada!!!/);
      // Of a result it reads ten thousand characters, and Python asks nobody: it runs in the sandbox.
      expect(promptOf(model.requests[5]).length).toBeLessThan(16_000);
      expect((await profiles()).get('manus')).toMatchObject({
        limits: { maxTurns: 20 },
        contextPolicy: { truncate: { tool_result: 10_000 } },
      });
    },
  );

  it.skipIf(!chromium)(
    '[A2.2.manus] [A2.2.browser] while the browser is in use the step is about its page, and its state is shown; after that no more (needs Chromium)',
    async () => {
      const address = await servePage('<title>Shop</title><h1>Order</h1><button onclick="document.title = `Thanks`">Buy</button>');
      const toolsets = { browse: { kind: 'browser', settings: { allow_private: true } } } as const;
      const workspace = await makeFolder();
      const model = speaks(
        call('browse_open_page', { url: address }),
        call('browse_click', { ref: 'e3' }),
        call('list_files'),
        terminate('Bought.'),
      );
      const run = await play({ profile: 'manus', model, workspace, toolsets });
      expect(run.pending[0]).toMatchObject({ kind: 'approval', tool: 'browse_open_page' });
      await approveAll(run);
      expect((await run.result).output).toBe('Bought.');
      expect(lastsOf(model).map((last) => last.includes('The browser is in use'))).toEqual([false, true, true, false]);
      const browsing = model.requests.map((request) => promptOf(request).includes(`from="BROWSER_STATE"`));
      expect(browsing).toEqual([false, true, true, false]);
      const sees = speaks(call('browse_open_page', { url: address }), 'It is a shop.');
      const other = await play({ profile: 'browser', model: sees, workspace, toolsets });
      await approveAll(other);
      expect((await other.result).output).toBe('It is a shop.');
      expect(promptOf(sees.requests[1])).toMatch(/BROWSER_STATE[^]*Shop/);
      expect(toolsOf(sees.requests[0]).filter((name) => !name.startsWith('browse_'))).toEqual(['terminate', 'submit_answer']);
    },
  );

  it.skipIf(noSandbox !== undefined)(
    `[A2.2.swe] finds, changes and tests code at a shell that keeps its session (${noSandbox ?? 'a real shell, in a sandbox'})`,
    async () => {
      const workspace = await makeFolder({
        'src/sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
        'src/test.sh': '. ./sum.sh\n[ "$(sum 2 3)" = 5 ]\n',
      });
      const model = speaks(
        call('run_command', { command: 'cd src && bash test.sh' }),
        say('I see.'),
        call('edit_file', { command: 'str_replace', path: 'src/sum.sh', old_str: '$1 - $2', new_str: '$1 + $2' }),
        call('run_command', { command: 'bash test.sh' }),
        terminate('It adds now.'),
      );
      const run = await play({ profile: 'swe', model, workspace });
      expect((await run.result).output).toBe('It adds now.');
      expect([resultOf(run, 'run_command'), resultOf(run, 'run_command', 1)].map((text) => /exit code \d/.exec(text)?.[0])).toEqual(
        ['exit code 1', 'exit code 0'],
      );
      expect(promptOf(model.requests[2])).toContain('Your last reply called no tool.');
      expect(promptOf(model.requests[0])).toBe('user: Do it.');
    },
  );

  it('[A2.2.mcp] [A2.2.manus] the tools a server has are called like any others, and its pictures seen', async () => {
    const settings = { ...referenceServer('everything'), needs_approval: false };
    const model = speaks(call('mcp_server_get-tiny-image'), terminate('A picture.'));
    const run = await play({ profile: 'mcp', model, toolsets: { mcp_server: { kind: 'mcp', settings } } });
    expect((await run.result).output).toBe('A picture.');
    expect(toolsOf(model.requests[0])).toContain('mcp_server_echo');
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('image/png');
    // The generalist has a server's tools beside its own when an author names its toolset.
    const also = 'tool_access_policy: { allowed_toolsets: [workspace, python, browse, human, flow, mcp_server] }';
    const generalist = speaks(call('mcp_server_echo', { message: 'hello' }), terminate('Heard.'));
    const toolsets = { mcp_server: { kind: 'mcp', settings } } as const;
    const heard = await play({
      profile: 'Own',
      yaml: [child('Own', 'manus', also)],
      model: generalist,
      toolsets,
      workspace: await makeFolder(),
    });
    expect(resultOf(heard, 'mcp_server_echo')).toContain('hello');
  });

  it('[A2.2.mcp] is told when the tools of its server change, and can call those it is told of (D2.11)', async () => {
    const names = (...tools: readonly string[]) => tools.map((name) => ({ name, inputSchema: { type: 'object' } }));
    const script = JSON.stringify({ tools: names('change'), laterTools: names('ok') });
    const file = path.join(await makeFolder({ 'script.json': script }), 'script.json');
    const server = path.join(import.meta.dirname, '../toolsets/mcp/scripted-server.ts');
    const settings = { command: process.execPath, args: [server, file], needs_approval: false };
    const model = speaks(call('mcp_server_change'), 'They changed.', call('mcp_server_ok'), terminate());
    const yaml = [child('Own', 'mcp, text_reply_waits')];
    const run = await play({ profile: 'Own', yaml, model, toolsets: { mcp_server: { kind: 'mcp', settings } } });
    for await (const event of run.events({ after: 0 })) if (event.type === 'note.add' && event.code === 'TOOLS_CHANGED') break;
    await run.send('Go on.');
    await run.result;
    expect(promptOf(model.requests[2])).toContain(
      "the tools of 'mcp_server' have changed: gone: mcp_server_change; new: mcp_server_ok",
    );
    expect(toolsOf(model.requests[2])).toContain('mcp_server_ok');
    expect(resultOf(run, 'mcp_server_ok')).toContain('fine');
  });

  it('[A2.2.mcp] ends as an error where there is no server to work with', async () => {
    const alone = speaks('Where is everybody?', 'Where?');
    const lost = await play({
      profile: 'mcp',
      model: alone,
      toolsets: { mcp_server: { kind: 'mcp', settings: { command: '/nowhere/server' } } },
    });
    expect(lost.state).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('No tool of an MCP server') as string },
    });
  });

  it.skipIf(noPython !== undefined)(
    `[A2.2.data-analysis] questions a CSV file, cleans it with Python, draws it, and reports (${noPython ?? 'real SQL, Python and charts'})`,
    async () => {
      const workspace = await makeFolder({ 'sales.csv': 'city,month,sales\nLisbon,1,10\nNairobi,1,\nLisbon,2,40\n' });
      const model = speaks(
        call('query_database', {
          sql: 'SELECT city, sum(sales) AS total FROM data GROUP BY 1 ORDER BY 2 DESC',
          tables: { data: 'sales.csv' },
        }),
        call('run_python', {
          code: 'text = open("sales.csv").read().replace(",1,\\n", ",1,0\\n")\nopen("clean.csv", "w").write(text)',
        }),
        call('draw_chart', {
          file: 'charts/sales',
          tables: { data: 'clean.csv' },
          spec: {
            mark: 'bar',
            encoding: { x: { field: 'city', type: 'nominal' }, y: { aggregate: 'sum', field: 'sales', type: 'quantitative' } },
          },
        }),
        call('write_file', { path: 'report.md', content: '# Sales\n\n![by city](charts/sales.png)\n\nLisbon sold 50.\n' }),
        terminate('Lisbon sold 50: report.md.'),
      );
      const run = await play({ profile: 'data_analysis', model, workspace });
      expect((await run.result).output).toContain('Lisbon sold 50');
      expect(resultOf(run, 'query_database')).toMatch(/Lisbon[^]*50/);
      expect(resultOf(run, 'draw_chart')).toContain('charts/sales.png');
      expect((await readFile(path.join(workspace, 'charts/sales.png'))).subarray(1, 4).toString()).toBe('PNG');
      expect(JSON.stringify(model.requests[3]?.prompt)).toContain('image/png');
      expect((await profiles()).get('data_analysis')).toMatchObject({ contextPolicy: { truncate: { tool_result: 15_000 } } });
    },
  );

  it.skipIf(noPython !== undefined)(
    `[A2.2.sandbox] all it runs, runs in the sandbox: sessions, the background, files and pictures, but no network and no homes (${noPython ?? 'a real sandbox'})`,
    async () => {
      const pixel = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      const workspace = await makeFolder({ 'pixel.png': pixel });
      const shell = 'sandbox_shell_run_command';
      const model = speaks(
        call(shell, { command: 'mkdir deep && cd deep && export WHO=Ada', session: 'work' }),
        call(shell, { command: 'echo "$WHO in ${PWD##*/}"; ls /root; exec 3<>/dev/tcp/1.1.1.1/80', session: 'work' }),
        call('sandbox_python_run_python', { code: 'import socket\nsocket.create_connection(("1.1.1.1", 80), 2)' }),
        call(shell, { command: 'sleep 0.1; echo late > deep/late.txt; sleep 60', background: true }),
        {
          text: '',
          toolCalls: [
            { name: 'sandbox_shell_list_commands', args: {} },
            { name: 'read_file', args: { path: 'pixel.png' } },
          ],
        },
        terminate('Seen.'),
      );
      const run = await play({ profile: 'sandbox', model, workspace });
      expect((await run.result).output).toBe('Seen.');
      expect(resultOf(run, shell, 1)).toMatch(/Ada in deep/);
      expect(resultOf(run, shell, 1)).not.toMatch(/exit code 0/);
      expect(resultOf(run, 'sandbox_python_run_python')).toMatch(/exit code 1[^]*Error/);
      expect(resultOf(run, 'sandbox_shell_list_commands')).toContain('work');
      expect(JSON.stringify(model.requests[5]?.prompt)).toContain('image/png');
      expect(run.pending).toEqual([]);
    },
  );

  it.skipIf(noSandbox !== undefined)(
    `any of them carries out a work module, or is called as a tool; a failure is no success (D2.10) (${noSandbox ?? 'a real shell'})`,
    async () => {
      const lead = `name: Lead
type: principal
llm_config_ref: lead
callable_profiles: [manus]
tool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools, agents, flow], allowed_individual_tools: [ask_programmer] }
`;
      const create = {
        actions: [
          { action: 'create', name: 'Count', description: 'Count the files.' },
          { action: 'create', name: 'Draw', description: 'Draw them.' },
        ],
      };
      const assign = (id: string, profile: string) => ({
        module_id_to_assign: id,
        agent_profile_logical_name: profile,
        assigned_role_name: profile,
        assignment_specific_instructions: 'Do it.',
      });
      const leadModel = speaks(
        call('manage_work_modules', create),
        call('dispatch_submodules', { assignments: [assign('WM_1', 'swe'), assign('WM_2', 'data_analysis')] }),
        call('ask_programmer', { input: 'Count once more.' }),
        terminate('Two files.'),
      );
      const worker = speaks(terminate('There are 2.'), terminate('No data.', 'failure'), terminate('Still 2.'));
      const run = await play({
        profile: 'Lead',
        yaml: [lead],
        models: { lead: leadModel, default: worker },
        workspace: await makeFolder(),
      });
      expect((await run.result).output).toBe('Two files.');
      expect(agentsOf(run, 'swe').map((agent) => agent.result.outcome)).toEqual(['success', 'success']);
      expect(agentsOf(run, 'data_analysis').map((agent) => agent.result.outcome)).toEqual(['error']);
      expect(dataOf(run, 'ask_programmer')).toMatchObject({ status: 'success', output: 'Still 2.' });
      expect(promptOf(leadModel.requests[2])).toMatch(/There are 2[^]*No data/);
    },
  );
});

describe('openmanus offline', () => {
  it.skipIf(noPython !== undefined).each([
    ['data_analysis', 'What sells best?', /^success: In sales\.csv the greatest sales is that of Lisbon: 50 in all/],
    ['manus', 'Count these five words, please', /^success: [^]*5 words/],
    ['swe', 'Run `echo $((40 + 2))` and tell me.', /^success: [^]*42/],
    ['sandbox', 'Where are you?', /^success: [^]*(?:Linux|Darwin)[^]*Python 3/],
    ['browser', 'Hello', /^error: No model is configured, and without one I cannot do this/],
  ] as const)(`%s does its work without a model or a key (${noPython ?? 'real tools'})`, async (profile, input, says) => {
    const workspace = await makeFolder({ 'sales.csv': 'city,month,sales\nLisbon,1,10\nNairobi,1,20.5\nLisbon,2,40\n' });
    const run = await play({ profile, input, workspace });
    const { output, error } = await run.result;
    expect(`${run.state.outcome}: ${error?.message ?? output}`).toMatch(says);
    expect(existsSync(path.join(workspace, 'charts/sales_by_city.png'))).toBe(profile === 'data_analysis');
  });
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

async function profiles() {
  const engine = await createEngine({ profiles: folder, store: 'memory', env: {} });
  onTestFinished(async () => await engine.close());
  return engine.profiles.profiles;
}

async function approveAll(run: Run): Promise<void> {
  for (let [asked] = run.pending; asked !== undefined; [asked] = run.pending) {
    await run.approve(asked.id);
    await run.settled();
  }
}

async function servePage(html: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
