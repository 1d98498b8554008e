import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { starterFiles } from '../../src/cli/starter/templates/research.ts';
import { createEngine, type Run } from '../../src/index.ts';
import { concludeRun } from '../../src/inspect/conclude.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { pathWithoutSandbox } from '../support/path-without-sandbox.ts';
import { isInstalled, whyNoSandbox } from '../tools/toolset-under-test.ts';
import {
  failures,
  falseSuccesses,
  furnishedWorkspace,
  openShipped,
  prioritiesOf,
  shippedProfiles,
  type ShippedProfile,
} from './shipped-runs.ts';
import { unreadablePlaces } from './unreadable-places.ts';

const profiles = await shippedProfiles();
const question = 'Within how many days may a kettle be returned? Run `echo 30`.\nimage_path: kite.png';
const noSandbox = whyNoSandbox() ?? (isInstalled('python3') ? undefined : 'python3 not installed');

/** What becomes of profiles whose script can do nothing with this question, or that were asked without what they need. */
const cannot: Readonly<Record<string, string>> = {
  chat_worker: 'has no words for that',
  math_worker: 'has no words for that',
  script_manager: 'has no words for that',
  script_runner: 'there is no script',
  scripted_worker: 'has no words for that',
  browser: 'without one I cannot do this',
  mcp: 'without one I cannot do this',
  tool_server: 'for MCP clients',
  reasoner: 'nobody looked',
  translator: 'nobody looked',
  vqa: 'nobody looked',
};

/** Runs a shipped profile with its script, as it runs for someone without a key. */
async function runOffline(profile: ShippedProfile, input: string, workspace = furnishedWorkspace()) {
  const store = createMemoryJournal();
  const engine = await openShipped(profile, { workspace, store });
  const run = await engine.launch({ profile: profile.name, input });
  await run.settled();
  return { run, store, engine };
}

function profileNamed(team: string, name: string): ShippedProfile {
  const found = profiles.find((profile) => profile.team === team && profile.name === name);
  if (found === undefined) throw new Error(`no profile ${name} in ${team}`);
  return found;
}

/** Why a success of a scripted team is none: a call of it failed, or an agent of it did not do its part. */
function unearned(run: Run): readonly string[] {
  if (run.state.outcome !== undefined && run.state.outcome !== 'success') return [];
  const failed = run
    .turns({ type: 'all' })
    .flatMap(({ turnId, toolInteractions }) =>
      toolInteractions.filter(({ status }) => status !== 'ok').map(({ name, status }) => `${turnId}: ${name} ${status}`),
    );
  const unfinished = [...run.state.agents.values()].filter(
    ({ result: { outcome } }) => outcome !== undefined && outcome !== 'success' && outcome !== 'ask_translator',
  );
  return [...failed, ...unfinished.map(({ meta, result: { outcome } }) => `${meta.agentId} ended ${outcome}`)];
}

/** Until the test is over, programs are found as on a machine without bubblewrap. */
function withoutSandboxPrograms(): void {
  const before = process.env['PATH'];
  process.env['PATH'] = pathWithoutSandbox();
  onTestFinished(() => {
    process.env['PATH'] = before;
  });
}

describe.each(profiles)('$team/$name offline (F17, F18, F19)', { timeout: 60_000 }, (profile) => {
  it.skipIf(noSandbox !== undefined)('does with its script what it says it did, and nothing of its profile fails', async () => {
    const { run, store, engine } = await runOffline(profile, question);
    expect(await engine.rerender(run.id), 'the same profiles decide every turn again').toMatchObject({ differences: [] });
    expect(failures(run)).toEqual([]);
    expect([...falseSuccesses(run), ...unearned(run)]).toEqual([]);
    expect(unreadablePlaces(run), 'F35: what models read').toEqual([]);
    await verifyRun(run, store, { priorities: prioritiesOf(profile.set) });
    const isOther = profile.team === 'commonground' && /^Associate_(?!DocumentResearcher)/.test(profile.name);
    const why = isOther ? 'only searches documents' : cannot[profile.name];
    if (why === undefined) expect(run.state.outcome ?? 'success').toBe('success');
    else expect(`${run.state.outcome}: ${run.state.error?.message}`).toMatch(new RegExp(`^error: [^]*${why}`));
  });

  it.skipIf(noSandbox === undefined)('F35: its models read no times as numbers, empty fields or values of code', async () => {
    const { run } = await runOffline(profile, question);
    expect(unreadablePlaces(run)).toEqual([]);
  });

  it.runIf(['anges', 'openmanus'].includes(profile.team))(
    'does not say that it succeeded where no sandbox can be made',
    async () => {
      withoutSandboxPrograms();
      const { run } = await runOffline(profile, question);
      expect(failures(run)).toEqual([]);
      expect([...falseSuccesses(run), ...unearned(run)]).toEqual([]);
    },
  );
});

describe('a team without a model', { timeout: 60_000 }, () => {
  it('F19: a Principal that is launched directly answers the question it was asked', async () => {
    const { run } = await runOffline(profileNamed('.', 'Principal'), 'Within how many days may a kettle be returned?');
    expect(run.state).toMatchObject({ outcome: 'success', output: expect.stringContaining('returned within 30 days') });
    expect(run.state.output).toContain('kettles.md:3');
  });

  it('F19: without documents, or where they cannot be searched, there is an error and no report', async () => {
    const workspace = furnishedWorkspace();
    rmSync(path.join(workspace, 'docs/kettles.md'));
    rmSync(path.join(workspace, 'docs/notes.md'));
    const { run } = await runOffline(profileNamed('.', 'Principal'), question, workspace);
    expect(run.state).toMatchObject({ outcome: 'error', error: { message: expect.stringContaining('DOCS_UNREADABLE') } });
    const partner = await runOffline(profileNamed('.', 'Partner'), question, workspace);
    expect(partner.run.turns({ agentId: 'Partner_1' }).at(-1)?.error?.message).toContain('DOCS_UNREADABLE');
  });

  it('F19: an orchestrator whose child needed help needs help itself, and says what for', async () => {
    const { run } = await runOffline(profileNamed('anges', 'orchestrator'), 'Run `exit 3`.');
    expect(run.state).toMatchObject({ outcome: 'help_needed', output: expect.stringContaining('help_needed') });
  });

  it('F19: the team of cadre init reports no search that failed as one that found nothing', async () => {
    const documents = createDocumentTools({ root: path.join(furnishedWorkspace(), 'nowhere'), outDir: tmpdir() });
    onTestFinished(() => documents[Symbol.dispose]());
    const engine = await createEngine({
      profiles: {
        files: starterFiles
          .filter(({ file }) => file.startsWith('agent_profiles/'))
          .map(({ file, text }) => ({ path: file.slice('agent_profiles/'.length), text })),
      },
      tools: documents.tools,
      store: 'memory',
      env: {},
    });
    onTestFinished(() => engine.close());
    const run = await engine.launch({ profile: 'Lead', input: 'Zebras?' });
    await run.settled();
    expect(concludeRun(run.state)).toMatchObject({ ok: false, problem: expect.stringContaining('0 succeeded, 2 failed') });
  });

  it('F18: terminate without a message hands in what the agent said last', async () => {
    const model = scriptedModel([{ text: 'It is 42.', toolCalls: [{ name: 'terminate', args: { status: 'success' } }] }]);
    const engine = await openShipped(
      { team: 'openmanus' },
      { workspace: furnishedWorkspace(), store: createMemoryJournal(), model },
    );
    const run = await engine.launch({ profile: 'manus', input: 'What is it?' });
    expect(await run.result).toMatchObject({
      outcome: 'success',
      output: 'It is 42.',
      deliverables: { primary_summary: 'It is 42.' },
    });
  });

  it('F19: a manager whose plan failed does not succeed by talking about it', async () => {
    const plan = { phases: [{ name: 'figures', worker: 'table_worker', goals: 'Add up.' }] };
    const model = scriptedModel(({ prompt }) => {
      const isWorker = JSON.stringify(prompt[0]).includes('You answer from tables');
      if (isWorker) return { error: { status: 400, message: 'the table worker has no model' } };
      return prompt.some(({ role }) => role === 'tool')
        ? { text: 'Done, all of it.' }
        : { toolCalls: [{ name: 'run_plan', args: plan }] };
    });
    const engine = await openShipped(
      { team: 'agent_framework' },
      { workspace: furnishedWorkspace(), store: createMemoryJournal(), model },
    );
    const run = await engine.launch({ profile: 'data_manager', input: 'What is the revenue?' });
    expect(await run.result).toMatchObject({ status: 'failed', error: { message: 'No phase of the plan succeeded.' } });
  });

  it.each([
    ['anges', 'default_agent'],
    ['anges', 'task_executor'],
    ['openmanus', 'swe'],
  ])('F18: %s/%s does not succeed by a command that failed', async (team, name) => {
    const { run } = await runOffline(profileNamed(team, name), 'Run `echo so far; exit 3`.');
    expect(run.state.outcome).toMatch(/^(error|help_needed)$/);
    expect(run.state.output).toContain('so far');
  });
});
