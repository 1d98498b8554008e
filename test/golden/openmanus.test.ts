import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { countingIds, manualClock } from '../../src/testing/index.ts';
import { call, speaks } from '../scenarios/scenario.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { expectGolden, journalText } from './golden-log.ts';

const folder = 'agent_profiles/openmanus';

/** What Manus is made of, so that what is said of others does not change its log. */
const parts = [
  'profiles/react_base',
  'profiles/manus',
  'toolsets/python',
  'toolsets/browse',
  'llm_configs/offline',
  'scripts/openmanus',
];

/** Manus writes a list, asks whose it is, mends it, gets stuck for a while, and ends; words, clock and ids are the same every time. */
async function journal(): Promise<string> {
  const list = { path: 'list.md' };
  const look = call('read_file', list, 'Is it there?');
  const model = speaks(
    call('write_file', { ...list, content: '# List\n\n- tea\n- cofee\n' }, 'I write the list.'),
    call('ask_human', { question: 'Whose list is it?', choices: ['Ada', 'Ben'] }),
    {
      text: 'A name and a misspelt word.',
      toolCalls: [
        { name: 'edit_file', args: { command: 'str_replace', ...list, old_str: '# List', new_str: '# List of Ada' } },
        { name: 'edit_file', args: { command: 'str_replace', ...list, old_str: 'coffe', new_str: 'coffee' } },
      ],
    },
    look,
    look,
    look,
    call(
      'edit_file',
      { command: 'str_replace', ...list, old_str: 'cofee', new_str: 'coffee' },
      'One word was not found as I wrote it.',
    ),
    call('terminate', { status: 'success', message: 'list.md has the list of Ada.' }),
  );
  const engine = await createEngine({
    profiles: { files: parts.map((name) => ({ path: `${name}.yaml`, text: readFileSync(`${folder}/${name}.yaml`, 'utf8') })) },
    models: { default: model },
    store: 'memory',
    env: {},
    workspace: await makeFolder(),
    clock: manualClock(),
    ids: countingIds(),
    random: () => 0,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile: 'manus', input: 'Write a shopping list.' });
  await run.settled();
  await run.answer(run.pending[0]?.id ?? '', 'Ada');
  expect((await run.result).output).toBe('list.md has the list of Ada.');
  return await journalText(run);
}

describe('golden turn log of openmanus', () => {
  it('is the same, byte for byte (UPDATE_GOLDEN=1 writes it anew)', async () => {
    const [one, two] = await Promise.all([journal(), journal()]);
    expect(one).toBe(two);
    expectGolden('openmanus.jsonl', one);
  });
});
