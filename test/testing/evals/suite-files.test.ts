import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CadreError } from '../../../src/core/error.ts';
import { readSuite } from '../../../src/testing/evals/suite/read-suite.ts';

async function refusal(text: string, name = 'x.eval.yaml'): Promise<string> {
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'cadre-eval-')), name);
  await writeFile(file, text);
  const error = await readSuite(file).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CadreError);
  return (error as CadreError).message;
}

const head = 'cases:\n  - name: a\n    input: b\n';

describe('an eval suite with a mistake', () => {
  it.each([
    ['has no cases', 'cases: []', /x\.eval\.yaml:1:8: the suite has no cases/],
    ['checks nothing', head, /2:5: the case checks nothing \(write checks/],
    [
      'has two cases of a name',
      `checks: [{ contains: x }]\n${head}  - name: a\n    input: c\n`,
      /5:11: two cases have the name 'a'/,
    ],
    [
      'has a check of two kinds',
      `${head}    checks: [{ contains: x, lacks: y }]\n`,
      /4:14: a check has one of .* this one has contains and lacks/,
    ],
    ['has a check of no kind', `${head}    checks: [{ name: x }]\n`, /this one has none of them/],
    [
      'has a judge without a model',
      `${head}    checks: [{ judge: good }]\n`,
      /4:23: the judge has no model \(write judge: \{ llm: NAME \}/,
    ],
    ['has a condition over what does not exist', `${head}    checks: [{ cel: run.turn > 2 }]\n`, /4:\d+: .*turn/],
    ['has a broken template', `${head}    checks: [{ contains: "{{ vars. }}" }]\n`, /4:\d+:/],
    ['has a broken regular expression', `${head}    checks: [{ matches: "(" }]\n`, /4:25: `\(` is no regular expression/],
    ['has a broken schema', `${head}    checks: [{ schema: { type: nothing } }]\n`, /4:\d+: /],
    [
      'names code that is missing',
      `${head}    checks: [{ code: ./none.ts }]\n`,
      /there is no file '\.\/none\.ts' beside the suite/,
    ],
    ['names code elsewhere', `${head}    checks: [{ code: ../../etc/x.ts }]\n`, /is outside the folder of the suite/],
    ['names a missing folder', `profiles: ./none\nchecks: [{ contains: x }]\n${head}`, /1:11: there is no folder '\.\/none'/],
    ['expects of a turn', `${head}    checks: [{ expect: { rule: x } }]\n`, /`expect\.rule` is about one turn.*write rules/],
    ['expects nothing', `${head}    checks: [{ expect: {} }]\n`, /the check expects nothing/],
    [
      'speaks of another tool',
      `${head}    checks: [{ type: llm-rubric, value: x }]\n`,
      /4:16: unknown key `type` in a check \(write contains/,
    ],
    ['asks for too much', `repeats: 90000\nchecks: [{ contains: x }]\nvariants: { a: {}, b: {} }\n${head}`, /asks for 180000 runs/],
    [
      'has a person who does two things',
      `${head}    checks: [{ contains: x }]\n    people: [{ say: x, approve: true }]\n`,
      /a step of a person is one of/,
    ],
    [
      'has a variant without a proper name',
      `variants: { 'a b': {} }\nchecks: [{ contains: x }]\n${head}`,
      /1:20: 'a b' is no name of a variant/,
    ],
    ['is no map', '- 1\n', /the file must be a map/],
    ['is no YAML', 'a: [', /x\.eval\.yaml:/],
  ])('%s', async (_what, text, message) => {
    expect(await refusal(text)).toMatch(message);
  });

  it('is no suite by its name, or is not there', async () => {
    expect(await refusal(head, 'x.yaml')).toMatch(/is no eval suite: its name ends in \.eval\.yaml/);
    await expect(readSuite('/none/x.eval.yaml')).rejects.toThrow(/there is no file/);
  });
});
