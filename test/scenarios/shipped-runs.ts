import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { ProfileSet } from '../../src/core/profile/profile.ts';
import { createEngine, type LanguageModel, loadProfiles, type Engine, type Journal, type Run } from '../../src/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { createWebToolset } from '../../src/toolsets/web/web-toolset.ts';

const folder = path.join(import.meta.dirname, '../../agent_profiles');
const teams = ['.', 'agent_framework', 'anges', 'commonground', 'openmanus', 'seeingeye'];

/** A profile that ships, with the team it belongs to. */
export interface ShippedProfile {
  readonly team: string;
  readonly name: string;
  readonly set: ProfileSet;
}

/** Every profile of every bundled team that can be launched; each once, in the team whose folder holds it. */
export async function shippedProfiles(): Promise<readonly ShippedProfile[]> {
  const sets = await Promise.all(
    teams.map(async (team) => ({ team, set: await loadProfiles(path.join(folder, team), { env: {} }) })),
  );
  return sets.flatMap(({ team, set }) =>
    [...set.profiles.values()]
      .filter(({ type, source }) => type !== 'base' && !source.file.startsWith('..'))
      .map(({ name }) => ({ team, name, set })),
  );
}

/** A workspace with something in it for every kind of agent: texts, a table, a picture. Removed after the test. */
export function furnishedWorkspace(): string {
  const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-shipped-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(path.join(workspace, 'docs'));
  writeFileSync(path.join(workspace, 'docs/kettles.md'), '# Kettles\n\nA kettle may be returned within 30 days.\n');
  writeFileSync(path.join(workspace, 'docs/notes.md'), '# Notes\n\nKettles sell best in the north.\n');
  writeFileSync(path.join(workspace, 'sales.csv'), 'region,revenue\nnorth,30\nsouth,4\n');
  writeFileSync(path.join(workspace, 'kite.png'), Buffer.from(onePixel, 'base64'));
  return workspace;
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** An engine over a bundled team, without a network: its web has one shelf to search, and its browser does not start. */
export async function openShipped(
  { team }: Pick<ShippedProfile, 'team'>,
  options: { readonly workspace: string; readonly store: Journal; readonly clock?: Clock; readonly model?: LanguageModel },
): Promise<Engine> {
  const { workspace, store, clock, model } = options;
  const documents = createDocumentTools({ root: path.join(workspace, 'docs'), outDir: path.join(workspace, 'reports') });
  onTestFinished(() => documents[Symbol.dispose]());
  const engine = await createEngine({
    profiles: path.join(folder, team),
    tools: documents.tools,
    toolsets: {
      web: createWebToolset({
        searchProviders: [
          {
            name: 'shelf',
            search: () => Promise.resolve([{ title: 'Kettles', url: 'https://kettles.example/', snippet: '30 days' }]),
          },
        ],
        resolver: () => Promise.resolve([]),
      }),
      ...(team === 'openmanus' ? { browse: { kind: 'browser', settings: { sandbox: true } } } : {}),
    },
    env: {},
    workspace,
    store,
    graceMs: 200,
    ...(model === undefined ? {} : { models: { default: model } }),
    ...(clock === undefined ? {} : { clock }),
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** A clock on which time passes that many times as fast: the waits between attempts are short, and everything else is as it is. */
export function fastClock(factor: number): Clock {
  const begin = performance.now();
  const elapsed = (): number => (performance.now() - begin) * factor;
  return {
    now: () => Date.UTC(2026, 0, 1) + Math.floor(elapsed()),
    monotonic: elapsed,
    setTimer: (ms, callback, options) => {
      const timer = setTimeout(callback, Math.min(ms / factor, 2_147_483_647));
      if (options?.background === true) timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** What profiles of a team say of the order of items, for the check of I3. */
export function prioritiesOf(set: ProfileSet): Readonly<Record<string, number>> {
  const rows = [...set.profiles.values()].flatMap(({ strategies }) =>
    [...strategies].flatMap(([source, { priority }]) => (priority === undefined ? [] : [[source, priority] as const])),
  );
  return Object.fromEntries(rows);
}

/** Every observer, rule and segment that failed in a run: none may, whatever a model says. */
export function failures(run: Run): readonly string[] {
  return run.turns({ type: 'all' }).flatMap(({ turnId, observers, decision, systemPrompt }) => {
    const parts = { observer: observers, rule: decision.rules, segment: systemPrompt.segments };
    return Object.entries(parts).flatMap(([kind, list]) =>
      list.flatMap(({ id, error }) => (error === undefined ? [] : [`${turnId}: ${kind} ${id}: ${error.message}`])),
    );
  });
}

/** What is wrong with the successes of a run, agent by agent: one that lost what it said, failed last, or whose plan failed. */
export function falseSuccesses(run: Run): readonly string[] {
  return [...run.state.agents.values()].flatMap((agent) => {
    if (agent.result.outcome !== 'success') return [];
    const { agentId } = agent.meta;
    const turns = run.turns({ agentId });
    const last = turns.at(-1);
    const isSilent = turns.every(({ reply }) => reply.text.trim() === '');
    const said = isSilent || agent.result.output.trim() !== '' || Object.keys(agent.deliverables).length > 0;
    const plan = agent.values['run_plan'] as { readonly status?: string } | undefined;
    return [
      ...(said ? [] : [`${agentId} succeeded, and what it said is lost`]),
      ...(last?.status === 'error' ? [`${agentId} succeeded by a turn that failed`] : []),
      ...(plan?.status === undefined || plan.status === 'success'
        ? []
        : [`${agentId} succeeded with a plan that is ${plan.status}`]),
    ];
  });
}
