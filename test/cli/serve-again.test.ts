import path from 'node:path';
import { appendFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { type Running, runCli, starterFolder, startForTest, temporaryFolder } from './cli-process.ts';

async function addressOf(running: Running): Promise<string> {
  await running.until('(Ctrl-C');
  return running.said().match(/http:\/\/127\.0\.0\.1:\d+/)?.[0] ?? '';
}

async function launch(url: string, input: string): Promise<string> {
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
  });
  return String(((await response.json()) as { readonly runId: unknown }).runId);
}

async function statusOf(url: string, runId: string): Promise<unknown> {
  return await (await fetch(`${url}/api/runs/${runId}`)).json();
}

/** Resolves once the model has received this many requests. */
async function asked(model: { readonly requests: number }, times: number): Promise<void> {
  while (model.requests < times) await new Promise((resolve) => setTimeout(resolve, 10));
}

const serve = ['serve', '--open', '--port', '0', '--docs', 'docs'];

describe('F48: cadre serve, started again after it was killed', () => {
  it('resumes the runs it was at work on, a line each; those of a terminal it names, those at rest it leaves alone', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const first = startForTest(serve, { cwd });
    const url = await addressOf(first);
    const busy = await launch(url, 'One, please.');
    await asked(model, 1);
    const terminal = startForTest(['run', '--docs', 'docs', 'In a terminal.'], { cwd });
    await asked(model, 2);
    first.child.kill('SIGKILL');
    terminal.child.kill('SIGKILL');
    await Promise.all([first.finished, terminal.finished]);

    model.answer('Here is one.');
    const second = startForTest(serve, { cwd });
    const again = await addressOf(second);
    await second.until(`Run ${busy} (One, please.) was interrupted and is resumed.`);
    await second.until('was started in a terminal and interrupted; resume it with: ');
    await expect.poll(() => statusOf(again, busy)).toMatchObject({ status: 'idle', isLive: true });
    second.child.kill('SIGKILL');
    await second.finished;

    // It now waits for a message and does nothing until one arrives.
    const third = startForTest(serve, { cwd });
    const last = await addressOf(third);
    await third.until('was started in a terminal');
    expect(third.said()).not.toContain(busy);
    expect(await statusOf(last, busy)).toMatchObject({ status: 'idle', isLive: false });
    third.child.kill('SIGINT');
    expect((await third.finished).code).toBe(0);
  });

  it('resumes a run that waits for a decision: it is live there, so that approvals expire', async () => {
    const cwd = await starterFolder();
    const gate = '\ntool_gates: [{ id: ask, tools: [search_documents], verdict: ask }]\n';
    await appendFile(path.join(cwd, 'agent_profiles/profiles/Researcher.yaml'), gate);
    const first = startForTest(serve, { cwd });
    const url = await addressOf(first);
    const run = await launch(url, 'How do I water tomatoes?');
    await expect.poll(() => statusOf(url, run), { timeout: 10_000 }).toMatchObject({ status: 'awaiting' });
    first.child.kill('SIGKILL');
    await first.finished;
    const second = startForTest(serve, { cwd });
    const again = await addressOf(second);
    await second.until(`Run ${run} (How do I water tomatoes?) waits for a decision: `);
    expect(await statusOf(again, run)).toMatchObject({ isLive: true });
    second.child.kill('SIGINT');
    await second.finished;
  });

  it('leaves them alone with --no-resume, and says how many there are', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const first = startForTest(serve, { cwd });
    const busy = await launch(await addressOf(first), 'One, please.');
    await asked(model, 1);
    first.child.kill('SIGKILL');
    await first.finished;
    const second = startForTest([...serve, '--no-resume'], { cwd });
    const url = await addressOf(second);
    await second.until('1 run was interrupted; resume with: ');
    expect(await statusOf(url, busy)).toMatchObject({ status: 'running', isLive: false, isAbandoned: true });
    second.child.kill('SIGINT');
    await second.finished;
    model.answer('Here is one.');
    expect(await runCli(['resume', '--all', '--docs', 'docs'], { cwd })).toMatchObject({ code: 0, out: 'Here is one.\n' });
  });
});
