import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { ContentEntry } from '../../src/core/events/journal.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { createEngine, type Engine, type Run } from '../../src/index.ts';
import { serve } from '../../src/server/http/serve.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { agentId, JournalBuilder, runId } from '../inspect/journal-builder.ts';
import { assignment, dispatch, finish, move, principal, worker } from '../scenarios/team.ts';
import { call, openEngine, systemOf } from '../scenarios/scenario.ts';
import { gate, type Gate } from '../support/test-engine.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Serves an engine until the test ends and returns the address of a run. */
export async function served(engine: Engine, id: string): Promise<string> {
  const server = await serve(engine);
  onTestFinished(async () => await server.close());
  return `${server.url}/#/runs/${encodeURIComponent(id)}`;
}

/** A run shared by several tests. */
export interface SharedRun {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Runs the bundled team on one question about the documents of an installed package, offline, and serves it. */
export async function bundledRun(): Promise<SharedRun> {
  const outDir = await mkdtemp(path.join(tmpdir(), 'cadre-timeline-'));
  const tools = createDocumentTools({ root: path.join(root, 'node_modules/ai/docs'), outDir });
  const engine = await createEngine({ profiles: path.join(root, 'agent_profiles'), tools: tools.tools, store: 'memory', env: {} });
  const run = await engine.launch({ profile: 'Partner', input: 'How do I require approval before a tool runs?' });
  await run.settled();
  const server = await serve(engine);
  return {
    url: `${server.url}/#/runs/${encodeURIComponent(run.id)}`,
    close: async () => {
      await server.close();
      await engine.close();
      tools[Symbol.dispose]();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

/** A running team whose workers reply only when the test lets them. */
export interface LiveTeam {
  readonly engine: Engine;
  readonly run: Run;
  /** Gates of the workers, by module. */
  readonly workers: Readonly<Record<'WM_1' | 'WM_2', Gate<ScriptedReply>>>;
}

/** Launches the team: a Principal plans two modules with these names, the second after the first, and dispatches both. */
export async function liveTeam(names: readonly [string, string] = ['Read', 'Write'], role = 'Reader'): Promise<LiveTeam> {
  const workers = { WM_1: gate<ScriptedReply>(), WM_2: gate<ScriptedReply>() };
  const [first, second] = names;
  const engine = await openEngine({
    yaml: [principal, worker],
    models: {
      principal: scriptedModel([
        call('manage_work_modules', {
          actions: [
            { action: 'create', name: first, description: `About ${first}.` },
            { action: 'create', name: second, description: `About ${second}.` },
          ],
        }),
        dispatch(assignment('WM_1', 'Do it.', { assigned_role_name: role }), assignment('WM_2')),
        move('completed', 'WM_1', 'WM_2'),
        finish(),
      ]),
      worker: scriptedModel(
        async (request) => await (systemOf(request).includes('You work on WM_1') ? workers.WM_1 : workers.WM_2).promise,
      ),
    },
  });
  const run = await engine.launch({ profile: 'Principal', input: 'Go.' });
  onTestFinished(() => {
    for (const each of Object.values(workers)) each.open(finish());
  });
  return { engine, run, workers };
}

/** Returns the state of a run, folded from the journal that the server returns. */
export async function stateOf(url: string): Promise<RunContext> {
  const { origin, hash } = new URL(url);
  const id = hash.split('/')[2] ?? '';
  const text = await (await fetch(`${origin}/api/runs/${id}/journal`)).text();
  const [first, ...rest] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CadreEvent);
  if (first?.type !== 'run.start') throw new Error('a journal begins with its run');
  const state = startRun(first, 'everything');
  for (const event of rest) applyEvent(state, event);
  return state;
}

/** Serves an engine over a journal that was built by hand. */
export async function builtRun(journal: JournalBuilder): Promise<string> {
  const store = createMemoryJournal();
  const lease = await store.acquire(runId, `${process.pid}@here#test`);
  const contents: readonly ContentEntry[] = [...journal.contents].map(([hash, text]) => ({ hash, text }));
  await store.append(lease, { runId, expectedSeq: 0, events: journal.events, contents, sync: false });
  await store.release(lease);
  const engine = await openEngine({ yaml: [worker], models: { worker: scriptedModel([]) }, store });
  return await served(engine, runId);
}

/** Builds a run with this many agents and turns that has ended: every agent calls a tool in each turn, with idle times between. */
export function crowdJournal(agents: number, turns: number): JournalBuilder {
  const journal = new JournalBuilder();
  journal.agent('Lead_0', 'Principal');
  for (let agent = 1; agent < agents; agent++) journal.agent(`Worker_${agent}`, 'Associate', { parent: 'Lead_0' });
  const ids = [...journal.run.agents.keys()];
  for (let turn = 1; turn <= turns; turn++) {
    const id = ids[(turn * 7) % agents] ?? agentId('Lead_0');
    const turnId = `${id}.t${turn}`;
    const last = journal.run.agents.get(id)?.turn.lastId;
    journal.wait(turn % 300 === 0 ? 3_600_000 : 5).turn(id, turnId, [], last === undefined ? {} : { sources: [last] });
    journal.wait(40 + (turn % 5) * 30).reply(id, turnId, 'I look.', [{ id: `c${turn}`, name: 'look', args: {} }]);
    journal.call(id, turnId, { id: `c${turn}`, name: 'look', args: {} }, 'seen');
    journal.end(id, turnId);
  }
  journal.add({ type: 'run.end', status: 'completed', outcome: 'success', output: 'Done.', deliverables: {} });
  return journal;
}
