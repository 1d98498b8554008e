import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defineIngestor, defineObserver } from '../../src/index.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { deciderCount, randomProfiles, randomTools, reply, step, type Step } from '../support/random-team.ts';
import { RandomRun } from '../support/random-run.ts';
import { checkDecisions, loadJudges } from '../support/rebuild/check-decisions.ts';
import { DecisionLog } from '../support/rebuild/decision-log.ts';
import { allow } from '../support/tools.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-decisions-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Tools of the toolset `desk`, whose settings differ from run to run. */
const deskTools = ['desk_list_files', 'desk_read_file', 'desk_write_file'] as const;

/** Counts turns in shared values, and speaks up in every third; written in code. */
const counting = defineObserver({
  name: 'counting',
  observe: ({ agent }) => [
    { type: 'update_state', operation: 'increment', path: 'team.shared.observed' },
    ...(agent.turn.count % 3 === 2 ? [{ type: 'add_to_inbox' as const, source: 'NEWS', payload: 'seen' }] : []),
  ],
});

const bad = defineIngestor({
  name: 'bad',
  ingest: () => {
    throw new Error('never');
  },
});

/** The profiles of a random team, with gates and observers that read what a turn said, and a toolset of its own settings. */
function profilesOf(root: number, worker: number): Readonly<Record<string, string>> {
  const gates = `tool_gates:
  - { id: urgent, tools: [gated, pure], condition: "turn.reply == 'calling' && args.n == 2", verdict: deny }
  - { id: cut, tools: [serial], condition: "!(turn.finish_reason in ['stop', 'tool-calls'])", verdict: deny }
  - { id: known, tools: [gated], condition: "!turn.tools.exists(name, name == 'gated') || size(turn.tool_calls) > 3", verdict: deny }
  - { id: gate, tools: [gated, serial], condition: args.n != 0, verdict: ask }
  - { id: writes, tools: [desk_write_file], verdict: ask }
`;
  const coded = 'post_turn_observers:\n  - { id: coded, action: { type: call, observer: counting } }\n';
  return Object.fromEntries(
    Object.entries(randomProfiles(root, worker)).map(([name, text]) => [
      name,
      text
        .replace(/^tool_gates: .*\n/m, gates)
        .replace('post_turn_observers:\n', coded)
        .replace(/^tool_access_policy: .*\n/m, (policy) => allow(...namesIn(policy), ...deskTools)),
    ]),
  );
}

function namesIn(policy: string): readonly string[] {
  return [...policy.matchAll(/"([^"]+)"/g)].flatMap(([, name]) => name ?? []);
}

const deskFile = (readOnly: boolean) => ({
  path: 'toolsets/desk.yaml',
  text: `name: desk\ntype: toolset\nkind: workspace\nsettings: { read_only: ${readOnly} }\n`,
});

const deskCall = fc.constantFrom(
  { name: 'desk_list_files', args: { path: '.' } },
  { name: 'desk_read_file', args: { path: 'a.txt' } },
  { name: 'desk_write_file', args: { path: 'a.txt', content: 'text' } },
);

/** Replies with several calls, some of them for the desk. */
const said = fc.oneof(
  { weight: 4, arbitrary: reply },
  {
    weight: 1,
    arbitrary: fc.record({ toolCalls: fc.array(deskCall, { minLength: 1, maxLength: 2 }), text: fc.constant('calling') }),
  },
);

/** Steps among which people change what they approve. */
const taken: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: step },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      verdict: fc.constant('approve' as const),
      which: fc.nat(3),
      n: fc.nat(3),
    }),
  },
);

it('deciding is a function of the journal: each decision, made again by modules that know nothing else, comes out the same', async () => {
  let runs = 0;
  let decisions = 0;
  let judges = await loadJudges();
  await fc.assert(
    fc.asyncProperty(
      fc.array(said, { minLength: 2, maxLength: 14 }),
      fc.array(taken, { maxLength: 14 }),
      fc.tuple(fc.nat(deciderCount - 1), fc.nat(deciderCount - 1), fc.boolean()),
      async (replies, steps, [root, worker, readOnly]) => {
        // A copy that has seen many runs is replaced by one that has seen none.
        if (++runs % 40 === 0) judges = await loadJudges();
        const log = new DecisionLog();
        const journal = createSqliteJournal(path.join(folder, `journal-${runs}.db`));
        const engine = () => ({
          watch: log.watch(),
          observers: [counting],
          files: [deskFile(readOnly)],
          workspace: path.join(folder, `work-${runs}`),
        });
        const random = new RandomRun({ replies, profiles: profilesOf(root, worker), journal, engine });
        await random.start();
        for (const next of steps) await random.take(next);
        await random.settle();
        await random.close();
        const events = await random.journal.read(random.run.id);
        const options = {
          models: { m: undefined },
          tools: randomTools(new Map()),
          ingestors: [bad],
          observers: [counting],
          team: false,
        } as const;
        const text = (hash: Parameters<typeof journal.content>[0]): string | undefined =>
          journal.content(hash) as string | undefined;
        decisions += log.decisions.length;
        expect(await checkDecisions(log, judges, { options, events, text })).toEqual([]);
        await journal.close();
      },
    ),
    { numRuns: Number(process.env['RANDOM_RUNS'] ?? 60) },
  );
  expect(decisions).toBeGreaterThan(300);
}, 600_000);
