import type { JsonSchema } from '../../core/json.ts';
import { expectationSchema } from './expectation-schema.ts';
import { freeMap, jsonSchema, list, name, named, number, object, pattern, text, whole, words } from './schema-parts.ts';
import { usageLimitKeys } from './profile-schema.ts';
import { personSchema } from './test-schema.ts';

const anything = (description: string): JsonSchema => ({ description });

const texts = (description: string): JsonSchema => ({
  type: ['string', 'array'],
  items: { type: 'string' },
  'x-expects': 'a text, or a list of texts',
  description: `${description} {{ vars.x }} and {{ case.name }} are filled in.`,
});

const limits = object('Limits of one run; the limits of its profiles hold besides.', usageLimitKeys, {
  'x-what': 'limits',
  'x-mistakes': { turns: 'write max_turns', cost_usd: 'write max_cost_usd', tokens: 'write max_tokens' },
});

const llmName = (description: string): JsonSchema => named(name(description), 'llm_configs');

const judgeCheck: JsonSchema = {
  ...object(
    'A model reads the question and the output and scores them by a rubric: the rubric, or its parts.',
    {
      rubric: words('What a good output is. {{ vars.x }} is filled in.'),
      llm: llmName('LLM config of the judge; by default that of the suite.'),
      pass_score: number('Least score that passes, 0 to 1.', 0, 1),
    },
    { required: ['rubric'], 'x-what': 'a judge' },
  ),
  type: ['string', 'object'],
  pattern: '\\S',
  'x-expects': 'a rubric, or { rubric, llm, pass_score }',
};

const check = object(
  'One check of a finished run; exactly one of the keys besides name.',
  {
    name: words('Name of the check in reports.'),
    contains: texts('Texts in the output.'),
    lacks: texts('Texts that are not in the output.'),
    equals: text('The whole output, without spaces around it. {{ vars.x }} is filled in.'),
    matches: words('Regular expression (RE2) that matches somewhere in the output.'),
    schema: jsonSchema('JSON Schema of the output, which is read as JSON.'),
    cel: words('Condition in CEL over output, value, run, turns, calls, tools, deliverables, team, vars and case.'),
    code: pattern(
      'Path of a module beside the suite; its default export receives { output, value, run, turns, calls, vars } and returns true, false, a score from 0 to 1, or { passed, score, reason }.',
      '\\.[cm]?[jt]s$',
      'the path of a .ts, .mts, .js or .mjs file',
    ),
    judge: judgeCheck,
    expect: expectationSchema,
  },
  {
    'x-what': 'a check',
    'x-mistakes': {
      type: 'write contains: TEXT, cel: EXPRESSION, judge: RUBRIC, …',
      not_contains: 'write lacks',
      regex: 'write matches',
      is_json: 'write schema: {}',
      llm_rubric: 'write judge',
      javascript: 'write code',
      javascript_file: 'write code',
    },
  },
);

const checks = list('Checks, each of which must pass.', check);

const variant = object(
  'One way to run the cases, compared with the others.',
  {
    description: text('What it is, for people.'),
    profiles: words('Folder of its profiles, relative to the suite; by default those of the suite.'),
    profile: named(name('Profile that runs start with.'), 'profiles'),
    llm: llmName("LLM config used instead of every profile's own."),
    request: freeMap('Values of the request, over those of the case.'),
    limits,
  },
  { 'x-what': 'a variant', 'x-mistakes': { llm_config: 'write llm', model: 'write llm: NAME of an LLM config' } },
);

const evalCase = object(
  'One input, and the checks of what comes of it.',
  {
    name: words('Name of the case.'),
    input: anything('Input of the run: a text, or a payload.'),
    profile: named(name('Profile that the run starts with.'), 'profiles'),
    request: freeMap('Values of the request that starts the run.'),
    vars: freeMap('Values for checks: vars.x in CEL, {{ vars.x }} in texts.'),
    people: list('What a person does, each time the run waits.', personSchema),
    limits,
    repeats: whole('Number of runs of this case, instead of that of the suite.', 1),
    checks,
  },
  {
    required: ['name', 'input'],
    'x-what': 'a case',
    'x-mistakes': {
      expect: 'write checks: [{ expect: … }]',
      assert: 'write checks',
      question: 'write input',
      prompt: 'write input',
    },
  },
);

/** JSON Schema of an eval suite (`*.eval.yaml`). */
export const evalSchema: JsonSchema = object(
  'An eval: cases run with real models, and checks of the results.',
  {
    name: words('Name of the suite; by default that of its file.'),
    description: text('Purpose, for people.'),
    profiles: words('Folder of the profiles, relative to the suite; by default that of the command.'),
    profile: named(name('Profile that runs start with; by default that of the team.'), 'profiles'),
    variants: {
      type: 'object',
      additionalProperties: variant,
      description: 'Profiles or LLM configs to compare, by name; without it, the profiles as they are.',
    },
    repeats: whole('Number of runs of each case with each variant; 1 by default.', 1),
    concurrency: whole('Most runs at a time; 4 by default. Rate limits of LLM configs hold besides.', 1),
    limits,
    budget: object(
      'Budget of the whole eval: when it is used up, no further run begins and those in progress stop; a larger one goes on with them.',
      {
        cost_usd: { type: 'number', exclusiveMinimum: 0, description: 'US dollars.' },
        tokens: whole('Tokens.', 1),
      },
      { 'x-what': 'budget' },
    ),
    judge: object(
      'Settings of all judges.',
      { llm: llmName('LLM config of judges.'), pass_score: number('Least score that passes, 0 to 1; 0.7 by default.', 0, 1) },
      { 'x-what': 'judge' },
    ),
    pass_rate: number('Share of the runs that must pass for the exit code 0; 1 by default.', 0, 1),
    checks,
    cases: list('The cases.', evalCase),
  },
  {
    required: ['cases'],
    'x-what': 'an eval suite',
    'x-mistakes': { tests: 'write cases', providers: 'write variants', prompts: 'write variants with profiles' },
  },
);
