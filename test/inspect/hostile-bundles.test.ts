import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import type { ContentHash } from '../../src/core/ids.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createContentHash } from '../../src/engine/recovery/content-hash.ts';
import { exportRun } from '../../src/engine/recovery/export-run.ts';
import { factsOfRun } from '../../src/engine/recovery/facts-of-run.ts';
import { importRun } from '../../src/engine/recovery/imported-run.ts';
import { board } from '../../src/inspect/board.ts';
import { bundleLimits, readBundle } from '../../src/inspect/bundle/read-bundle.ts';
import { conversation } from '../../src/inspect/conversation.ts';
import { formatBoard } from '../../src/inspect/format/format-board.ts';
import { formatConversation, formatOverview } from '../../src/inspect/format/format-overview.ts';
import { formatTimeline } from '../../src/inspect/format/format-timeline.ts';
import { formatTree } from '../../src/inspect/format/format-tree.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { tree } from '../../src/inspect/tree.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { seededRandom } from '../faults/seeded-random.ts';
import { allViews } from '../support/all-views.ts';
import { richRun } from '../support/rich-journal.ts';

const hash = createContentHash();

/** A bundle as anybody could have written it. */
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

let whole = '';
let folder = '';
let journal: Journal;
beforeAll(async () => {
  const { bundle } = await exportRun(await richRun(), { at: 1_000, redact: false, env: {}, homes: [] });
  whole = JSON.stringify(bundle);
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-hostile-'));
  journal = createSqliteJournal(path.join(folder, 'journal.db'));
});
afterAll(async () => {
  await journal.close();
  rmSync(folder, { recursive: true });
});

let imports = 0;

/** What becomes of a file: the reason why it is refused, with nothing imported, or a run that every view can be made of. */
async function fate(text: string): Promise<string> {
  imports += 1;
  const before = (await journal.runs()).length;
  let runId: Awaited<ReturnType<typeof importRun>>;
  try {
    const bundle = readBundle(text, { hash, source: 'evil.json' });
    runId = await importRun(journal, bundle, { from: 'evil.json', at: 1, hash, owner: '1@h#n', asNew: `run_${imports}` as never });
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    expect(thrown.code).toBe('BUNDLE_INVALID');
    expect(thrown.message).toMatch(/^evil\.json: /);
    expect((await journal.runs()).length).toBe(before);
    return thrown.message;
  }
  const events = await journal.read(runId);
  const content = (key: ContentHash): string | undefined => journal.content(key);
  expect(allViews({ events, content, profiles: await factsOfRun({ events, content }) })).toBeDefined();
  const run = foldEvents(events, 'everything');
  if (run === undefined) throw new Error('no run');
  const views = [
    formatOverview(runOverview(run)),
    formatConversation(conversation(run)),
    formatBoard(board(run)),
    formatTree(tree(run)),
    formatTimeline(timeline(run)),
  ];
  expect(views.every((view) => !view.includes('\u001b'))).toBe(true);
  return 'a run';
}

/** Changes one thing of a bundle. */
const damaged = (change: (bundle: Loose) => unknown): string => {
  const bundle = JSON.parse(whole) as Loose;
  change(bundle);
  return JSON.stringify(bundle);
};
const at = (bundle: Loose, type: string): Loose => bundle.events.find((event: Loose) => event.type === type);
/** Deeper than anything that writes JSON goes. */
const deepened = (change: (bundle: Loose) => unknown, depth: number): string =>
  damaged(change).replace('"DEEP"', `${'['.repeat(depth)}${']'.repeat(depth)}`);

const refused: Readonly<Record<string, readonly [text: () => string, why: RegExp]>> = {
  nothing: [() => '', /no JSON/],
  'half of it': [() => whole.slice(0, whole.length / 2), /was the file cut/],
  'a byte missing': [() => whole.slice(1), /no JSON/],
  'a list': [() => '[]', /no JSON object/],
  null: [() => 'null', /no JSON object/],
  'a number': [() => '7', /no JSON object/],
  'something else': [() => '{"format":"zip"}', /"format" is not "cadre.run"/],
  'a recording': [() => '{"format":"cadre-recording","version":1}', /"format" is not/],
  'a later version': [() => damaged((b) => (b.version = 2)), /version 2, and this program reads version 1; update Cadre/],
  'no version': [() => damaged((b) => delete b.version), /version nothing/],
  'a version of text': [() => damaged((b) => (b.version = '1')), /export the run again/],
  'no engine version': [() => damaged((b) => delete b.engineVersion), /engineVersion/],
  'a time of text': [() => damaged((b) => (b.exportedAt = 'now')), /exportedAt/],
  'a time no date can show': [() => damaged((b) => (b.exportedAt = 9e15)), /exportedAt/],
  'redacted is a word': [() => damaged((b) => (b.redacted = 'yes')), /redacted/],
  'no events': [() => damaged((b) => (b.events = [])), /events must be a list with at least one/],
  'events are a map': [() => damaged((b) => (b.events = {})), /events must be a list/],
  'an event is null': [() => damaged((b) => (b.events[3] = null)), /events\[3\] must be an object/],
  'an event is a list': [() => damaged((b) => (b.events[3] = [])), /events\[3\] must be an object/],
  'an unknown event': [() => damaged((b) => (b.events[3].type = 'shell.run')), /events\[3\]\.type must be one of/],
  'an event of Object': [() => damaged((b) => (b.events[3].type = 'constructor')), /events\[3\]\.type must be one of/],
  'an event twice': [() => damaged((b) => b.events.splice(3, 0, b.events[3])), /seq is 4 where 5 follows/],
  'an event missing': [() => damaged((b) => b.events.splice(3, 1)), /seq is 5 where 4 follows; is an event missing/],
  'the first event missing': [() => damaged((b) => b.events.shift()), /seq is 2 where 1 follows/],
  'events swapped': [() => damaged((b) => ([b.events[3], b.events[4]] = [b.events[4], b.events[3]])), /seq is 5 where 4/],
  'numbers that are texts': [() => damaged((b) => (b.events[3].seq = '4')), /seq must be a whole number/],
  'a second beginning': [
    () => damaged((b) => (b.events[5] = { ...b.events[0], seq: 6 })),
    /run\.start, and it alone, is the first/,
  ],
  'no beginning': [() => damaged((b) => (b.events[0] = { ...b.events[1], seq: 1, cause: undefined })), /run\.start, and it alone/],
  'two runs in one': [() => damaged((b) => (b.events[3].runId = 'run_other')), /of another run/],
  'an id with a path': [() => damaged((b) => (b.events[0].runId = '../../x')), /runId must be an id/],
  'an id that is too long': [() => damaged((b) => (b.events[0].runId = 'x'.repeat(101))), /runId must be an id/],
  'an agent called __proto__': [() => damaged((b) => (at(b, 'agent.start').agentId = '__proto__')), /agentId must be an id/],
  'a module called __proto__': [
    () => damaged((b) => (b.events[3] = { ...b.events[3], type: 'module.update', moduleId: '__proto__', patch: {} })),
    /moduleId must be an id/,
  ],
  'a cause in the future': [() => damaged((b) => (b.events[3].cause = 9)), /cause is 9, which is no event before it/],
  'its own cause': [() => damaged((b) => (b.events[3].cause = 4)), /cause is 4/],
  'a cause before all': [() => damaged((b) => (b.events[3].cause = 0)), /cause is 0/],
  'a time that never was': [() => damaged((b) => (b.events[3].at = 1e300)), /at must be a time/],
  'a time that is none': [() => damaged((b) => (b.events[3].at = null)), /at must be a time/],
  'a number beyond numbers': [
    () => damaged((b) => (at(b, 'model.end').cost = 'N')).replace('"cost":"N"', '"cost":1e999'),
    /cost must be a number/,
  ],
  'a status nobody knows': [() => damaged((b) => (at(b, 'tool.end').status = 'great')), /status must be one of/],
  'an item without a source': [() => damaged((b) => delete at(b, 'inbox.add').item.source), /item\.source must be a text/],
  'inputs that are a map': [() => damaged((b) => (at(b, 'turn.start').inputs = {})), /inputs must be a list/],
  'content of numbers': [() => damaged((b) => (at(b, 'tool.end').content = [1])), /content\[0\] must be an object/],
  'content of an unknown part': [
    () => damaged((b) => (at(b, 'tool.end').content = [{ type: 'html', text: '<b>' }])),
    /content\[0\]\.type/,
  ],
  'a hash that is a path': [
    () => damaged((b) => (b.events[0].profiles = '../../../etc/passwd00')),
    /profiles must be a content hash/,
  ],
  'an agent that never began': [() => damaged((b) => (at(b, 'turn.start').agentId = 'Ghost_9')), /contradict each other.*Ghost_9/],
  'a turn that never began': [() => damaged((b) => (at(b, 'model.end').turnId = 'Lead_1.t99')), /contradict each other.*t99/],
  'an agent below itself': [
    () => damaged((b) => (at(b, 'agent.start').parentAgentId = at(b, 'agent.start').agentId)),
    /contradict each other/,
  ],
  'an agent begun twice': [
    () => damaged((b) => (b.events[8] = { ...at(b, 'agent.start'), seq: 9, parentAgentId: at(b, 'agent.start').agentId })),
    /starts Lead_1 a second time/,
  ],
  'a turn begun twice': [() => damaged((b) => (b.events[9] = { ...at(b, 'turn.start'), seq: 10 })), /a second time/],
  'a text that was changed': [
    () => damaged((b) => (b.contents[Object.keys(b.contents)[0] ?? ''] += ' ')),
    /is not the text of this hash: it was changed/,
  ],
  'a text under another hash': [() => damaged((b) => (b.contents['A'.repeat(22)] = 'x')), /is not the text of this hash/],
  'a text that is none': [() => damaged((b) => (b.contents[hash('x')] = 7)), /must be a text/],
  'contents are a list': [() => damaged((b) => (b.contents = ['x'])), /contents must be an object/],
  'no contents': [() => damaged((b) => delete b.contents), /contents must be an object/],
  'no profiles': [() => damaged((b) => delete b.profiles), /profiles must be an object/],
  'profiles of another kind': [() => damaged((b) => (b.profiles.Lead.segments = 'x')), /profiles\.Lead\.segments must be a list/],
  'a place without a line': [() => damaged((b) => delete b.profiles.Lead.flowDecider[0].source.line), /source\.line must be/],
  'nested without end': [() => deepened((b) => (at(b, 'inbox.add').item.payload = 'DEEP'), 100_000), /nested deeper than 256/],
  'nested in a head': [() => deepened((b) => (b.run = 'DEEP'), 300), /nested deeper than 256/],
};

const readable: Readonly<Record<string, () => string>> = {
  'as it is': () => whole,
  'overview that lies': () => damaged((b) => (b.run = { runId: '../x', title: 7 })),
  'no overview': () => damaged((b) => delete b.run),
  'no texts at all': () => damaged((b) => (b.contents = {})),
  'a stowaway': () => damaged((b) => (b.contents[hash('more')] = 'more')),
  'an import of its own': () => damaged((b) => (b.events[0].imported = { from: 'me', at: 'never' })),
  'fields of later': () => damaged((b) => b.events.forEach((event: Loose) => (event.later = { x: 1 }))),
  'names of the language': () =>
    damaged((b) => {
      const facts = b.profiles.Lead;
      b.profiles = JSON.parse(JSON.stringify({ constructor: facts, toString: facts, x: facts }).replace('"x"', '"__proto__"'));
      at(b, 'inbox.add').item.payload = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    }),
  'a module named like what every object has': () =>
    damaged((b) => {
      b.events.splice(30);
      b.events.push({ ...b.events[29], type: 'module.update', seq: 31, moduleId: 'constructor', patch: { name: 'x' } });
    }),
  'paths of the language': () =>
    damaged((b) => {
      for (const event of b.events)
        if (event.type === 'state.update') Object.assign(event, { operation: 'set', path: '__proto__.polluted', value: 1 });
    }),
  'control characters': () =>
    damaged((b) => ((b.events[0].title = '\u001b[2J\u0000\u202e</script>'), (at(b, 'agent.start').roleName = '\u001b[31m'))),
  'lone surrogates': () => damaged((b) => (b.events[0].title = '\ud800 x \udfff')),
  'prompts beyond history': () => damaged((b) => Object.assign(at(b, 'turn.start').prompt, { from: 9e9, to: 9e15, tokens: -5 })),
  'calls nobody asked for': () => damaged((b) => (at(b, 'tool.request').callId = 'x'.repeat(90))),
  'times that run backwards': () => damaged((b) => b.events.forEach((event: Loose, index: number) => (event.at = -index * 1e12))),
  'half of a run': () => damaged((b) => b.events.splice(30)),
  'its first event alone': () => damaged((b) => b.events.splice(1)),
};

describe('a bundle from anybody', () => {
  it('is refused with the place and the reason, and nothing of it is imported', async () => {
    expect(Object.keys(refused).length + Object.keys(readable).length).toBeGreaterThanOrEqual(60);
    for (const [name, [text, why]] of Object.entries(refused))
      expect({ name, fate: await fate(text()) }).toEqual({ name, fate: expect.stringMatching(why) });
  });

  it('or is a run that every view can be made of', async () => {
    for (const [name, text] of Object.entries(readable))
      expect({ name, fate: await fate(text()) }).toEqual({ name, fate: 'a run' });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is one or the other, whatever is changed in it', async () => {
    const dice = seededRandom(7);
    const random = (): number => dice.below(1_000) / 1_000;
    const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;
    const values = [
      null,
      '',
      'x',
      -1,
      0,
      1e15,
      true,
      [],
      {},
      ['x'],
      { type: 'text' },
      '\u001b[0m',
      'Lead_1',
      'Lead_1.t1',
      'c00000001',
    ];
    let runs = 0;
    for (let round = 0; round < 200; round += 1) {
      const text = damaged((bundle) => {
        for (let changes = 1 + Math.floor(random() * 2); changes > 0; changes -= 1) {
          let place: Loose = random() < 0.8 ? pick(Object.values(bundle.events ?? {}).slice(1)) : bundle;
          while (typeof place === 'object' && place !== null && Object.keys(place).length > 0) {
            const key = pick(Object.keys(place));
            const inner = place[key];
            if (typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0 && random() < 0.7) place = inner;
            else {
              if (random() < 0.3) delete place[key];
              else place[key] = pick(values);
              break;
            }
          }
        }
      });
      if ((await fate(text)) === 'a run') runs += 1;
    }
    expect(runs).toBeGreaterThan(5);
    expect(runs).toBeLessThan(100);
  });

  it('is not read when it is larger than can be', () => {
    const long = `"${'x'.repeat(bundleLimits.chars)}"`;
    expect(() => readBundle(long, { hash, source: 'evil.json' })).toThrow(/up to \d+ are read/);
  });
});
