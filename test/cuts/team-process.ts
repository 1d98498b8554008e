/*
 * A process of the team that is cut off: `node team-process.ts PLAN`, where PLAN is JSON (`TeamPlan`). As a worker it works until it gets SIGTERM;
 * otherwise it launches the plan's runs, tells what happens as lines of JSON (`TeamLine`), and ends when none of them is at work any more.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, defineTool, type Run } from '../../src/index.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';

/** What a process of the team works with. */
export interface TeamPlan {
  readonly store: string;
  readonly ledger: string;
  readonly model: string;
  readonly mcp: string;
  readonly restate?: { readonly ingress: string; readonly admin: string; readonly name: string };
  /** Where a worker listens, and where Restate reaches it; absent for the process that launches. */
  readonly worker?: { readonly port: number; readonly address: string };
  readonly runs: number;
}

/** What the launching process tells. */
export type TeamLine =
  | { readonly kind: 'launched' | 'moved' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'end'; readonly statuses: readonly string[] };

const plan = JSON.parse(process.argv[2] ?? '{}') as TeamPlan;
const tell = (line: TeamLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
process.once('disconnect', () => process.exit(1));

const { restate } = plan;
const store = createPostgresJournal({ url: plan.store });
const runtime =
  restate === undefined
    ? undefined
    : restateRuntime({ ...restate, ...(plan.worker === undefined ? {} : { worker: { ...plan.worker, sharePort: true } }) });
const engine = await createEngine({
  profiles: {
    files: [
      {
        path: 'profiles/Payer.yaml',
        text: `name: Payer
type: associate
llm_config_ref: served
instructions: You pay bills.
tool_access_policy: { allowed_individual_tools: [pay], allowed_toolsets: [srv] }
`,
      },
      {
        path: 'llm_configs/served.yaml',
        text: `name: served
type: llm_config
config:
  provider: openai-compatible
  model: served
  base_url: ${plan.model}
  timeouts: { connect: 3s, first_token: 6s, between_chunks: 6s }
`,
      },
      {
        path: 'toolsets/srv.yaml',
        text: `type: toolset
name: srv
kind: mcp
settings: { url: "${plan.mcp}", needs_approval: false, timeouts: { connect: 5s, call: 8s } }
`,
      },
    ],
  },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays. It cannot be undone.',
      effect: 'unsafe',
      parameters: { type: 'object', properties: { job: { type: 'number' }, id: { type: 'number' } } },
      execute: async ({ job, id }: { readonly job: number; readonly id: number }) => {
        appendFileSync(plan.ledger, `pay ${job} ${id}\n`);
        await pause(20);
        return 'paid';
      },
    }),
  ],
  team: false,
  store,
  ...(runtime === undefined ? {} : { runtime }),
});

if (plan.worker === undefined) {
  await launchAll();
  await engine.close();
  await store.close();
  process.exit(0);
} else {
  await engine.work();
  process.stdout.write('ready\n');
  process.once('SIGTERM', () => void engine.close().then(() => process.exit(0)));
}

async function launchAll(): Promise<void> {
  process.stdout.write('ready\n');
  const launched = await Promise.all(
    Array.from({ length: plan.runs }, async (_, job): Promise<Run | undefined> => {
      try {
        const run = await engine.launch({ profile: 'Payer', input: `Pay the bills of job ${job}.` });
        tell({ kind: 'launched' });
        run.result.catch(() => undefined);
        void follow(run);
        return run;
      } catch (thrown) {
        tell({ kind: 'refused', why: String(thrown).slice(0, 300) });
        return undefined;
      }
    }),
  );
  const ids = launched.flatMap((run) => (run === undefined ? [] : [run.id]));
  // A run that halted is resumed by its engine: only the journal says what became of it.
  for (;;) {
    const found = await Promise.try(() => store.runs()).catch(() => []);
    const statuses = ids.map((id) => found.find(({ runId }) => runId === id)?.status ?? 'unknown');
    if (!statuses.includes('running') && !statuses.includes('unknown')) return tell({ kind: 'end', statuses });
    await pause(250);
  }
}

async function follow(run: Run): Promise<void> {
  try {
    for await (const event of run.events()) if (event.type !== 'note.add') tell({ kind: 'moved' });
  } catch {
    // What became of it is in the journal.
  }
}
