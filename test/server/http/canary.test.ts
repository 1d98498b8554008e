import { z } from 'zod';
import { expect, it } from 'vitest';
import { createEngine, defineTool } from '../../../src/index.ts';
import { serve } from '../../../src/server/index.ts';
import { createMemoryJournal, scriptedModel } from '../../../src/testing/index.ts';
import { openEvents } from './event-reader.ts';
import { closeAfter } from './served-team.ts';
import { gate } from '../../support/test-engine.ts';

const secrets = {
  key: 'sk-canary-0123456789abcdef',
  header: 'canary header value 42',
  option: 'canary-of-the-program-7f3a',
};

/** Returns the forms in which a secret could leak: as it is, and in common encodings. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    JSON.stringify(secret).slice(1, -1),
  ];
}

const files = [
  {
    path: 'llm_configs/real.yaml',
    text: `name: real
type: llm_config
config:
  provider: openai_compatible
  model: m
  base_url: http://127.0.0.1:9/v1
  api_key: { _type: from_env, var: CANARY_KEY, required: true }
  headers: { X-Team: { _type: from_env, var: CANARY_HEADER, required: true } }
`,
  },
  {
    path: 'profiles/Root.yaml',
    text: `name: Root
type: partner
llm_config_ref: m
instructions: You work.
tool_access_policy: { allowed_individual_tools: [leak, fail] }
tool_gates: [{ id: ask, tools: [leak], condition: "args.n == 2", verdict: ask, message: Really? }]
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`,
  },
  { path: 'profiles/Real.yaml', text: 'name: Real\ntype: associate\nllm_config_ref: real\ninstructions: You work.\n' },
];

it('S6: no secret is in any answer, in no stream, and in no error', async () => {
  const all = Object.values(secrets).join(' | ');
  const held = gate();
  const journal = createMemoryJournal();
  const engine = await createEngine({
    profiles: { files },
    store: journal,
    env: { CANARY_KEY: secrets.key, CANARY_HEADER: secrets.header },
    secrets: [secrets.option],
    tools: [
      defineTool({
        name: 'leak',
        description: 'Leaks.',
        parameters: z.object({ n: z.number(), all: z.string() }),
        effect: 'pure',
        execute: (_args, { progress }) => {
          progress(0.5, `half of ${all}`);
          return { said: all, encoded: Buffer.from(secrets.key).toString('base64') };
        },
      }),
      defineTool({
        name: 'fail',
        description: 'Fails.',
        effect: 'pure',
        execute: () => {
          throw new Error(`cannot log in with ${all}`);
        },
      }),
    ],
    models: {
      m: scriptedModel([
        async () => {
          await held.promise;
          return {
            text: `I know ${all}`,
            reasoning: `They told me ${all}`,
            toolCalls: [
              { name: 'leak', args: { n: 1, all } },
              { name: 'fail', args: { all } },
              { name: 'leak', args: { n: 2, all } },
            ],
          };
        },
        { text: `Once more: ${all}` },
      ]),
    },
  });
  closeAfter(engine);
  const served = await serve(engine);
  closeAfter(served);
  const post = async (path: string, body: unknown): Promise<string> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return await (await fetch(served.url + path, init)).text();
  };
  const answers: string[] = [];
  const launched = await post('/api/runs', { profile: 'Root', input: `My key is ${all}`, title: `About ${all}` });
  answers.push(launched);
  const { runId } = JSON.parse(launched) as { readonly runId: string };
  const at = `/api/runs/${runId}`;
  const stream = await openEvents(`${served.url}${at}/events`);
  held.open();
  const run = engine.live(runId);
  if (run === undefined) throw new Error('the run is live');
  await run.settled();
  const [pending] = run.pending;
  answers.push(await post(`${at}/messages`, { text: `Again: ${all}` }));
  answers.push(await post(`${at}/reject`, { ids: [pending?.id], message: `Not ${all}` }));
  await run.settled();
  answers.push(await post(`${at}/cancel`, { reason: `Enough of ${all}` }));
  for await (const frame of stream) answers.push(JSON.stringify(frame));

  const turns = [...run.state.turns.keys()];
  const events = await journal.read(run.id);
  const hashes = [...new Set(JSON.stringify(events).match(/"[\w-]{22}"/g))].map((hash) => `hash=${hash.slice(1, -1)}`);
  const paths = [
    '/api/info',
    '/api/runs',
    '/api/openapi.json',
    at,
    `${at}/contents?${hashes.slice(0, 100).join('&')}`,
    `${at}/diff?before=${turns[0]}&after=${turns[1]}`,
    ...['journal', 'profiles', 'state', 'turns', 'timeline', 'board', 'tree', 'conversation', 'export.json'].map(
      (view) => `${at}/${view}`,
    ),
    ...turns.flatMap((turn) => [`${at}/turns/${turn}`, `${at}/turns/${turn}/why?text=key`]),
  ];
  for (const path of paths) {
    const response = await fetch(served.url + path);
    expect([path, response.status]).toEqual([path, 200]);
    answers.push(`${JSON.stringify([...response.headers])} ${await response.text()}`);
  }
  const everything = answers.join('\n');
  // The surrounding texts are present, so the secrets are not missing for lack of answers.
  for (const words of ['My key is', 'I know', 'They told me', 'cannot log in', 'half of', 'Once more'])
    expect(everything).toContain(words);
  for (const secret of Object.values(secrets))
    for (const form of formsOf(secret)) expect([form, everything.includes(form)]).toEqual([form, false]);
});
