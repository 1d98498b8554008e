/**
 * A question about a picture, answered by two agents of seeingeye: the translator describes the picture; the reasoner, which never sees
 * it, asks for more and must answer in the third iteration. The replies are scripted; the picture is a real file, opened by a real tool
 * and passed to the translator's model as an image. Run it from the project's folder:
 *
 *     npx node examples/seeingeye-picture/run.ts
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../../src/testing/index.ts';
import { conclude } from '../checked.ts';

const workspace = mkdtempSync(path.join(tmpdir(), 'seeingeye-picture-'));
copyFileSync(`${import.meta.dirname}/kite.png`, path.join(workspace, 'kite.png'));

/** Replies of the translator and the reasoner in each iteration. */
const looks = [
  'Something red above a field.',
  'A red shape on a string, above a field.',
  'A red square on one corner, with a tail of string.',
];
const asks = ['What holds it up there?', 'What shape has it?'];

const model = scriptedModel((request) => {
  const iteration = Number(/\*\*Iteration:\*\* (\d)/.exec(JSON.stringify(request.prompt))?.[1]);
  if (isOffered(request, 'translate_picture')) throw new Error('the flow has no model');
  if (isOffered(request, 'finish_flow')) return describe(iteration, pictureIn(request));
  return isOffered(request, 'terminate') ? ask(iteration) : answer();
});

function describe(iteration: number, bytes: number): ScriptedReply {
  const words = looks[iteration - 1] ?? '';
  const deliverables = {
    global_caption: words,
    confidence: bytes > 0 ? 'high' : 'low',
    summary_of_this_turn: `Seen in ${bytes} bytes.`,
  };
  return {
    text: `I see a picture of ${bytes} bytes.`,
    toolCalls: [{ name: 'finish_flow', args: { summary: words, deliverables } }],
  };
}

function ask(iteration: number): ScriptedReply {
  return { toolCalls: [{ name: 'terminate', args: { status: 'ask_translator', message: asks[iteration - 1] ?? '' } }] };
}

function answer(): ScriptedReply {
  const args = { answer: 'B: a kite', confidence: 'high', reasoning: 'Red, on a string, square, with a tail.' };
  return { toolCalls: [{ name: 'submit_answer', args }] };
}

function isOffered(request: ScriptedRequest, name: string): boolean {
  return request.tools?.some((tool) => tool.name === name) === true;
}

/** Returns the size in bytes of the picture in a request; 0 without one. */
function pictureIn(request: ScriptedRequest): number {
  const data = /"(iVBOR[A-Za-z0-9+/=]+)"/.exec(JSON.stringify(request.prompt));
  return Buffer.from(data?.[1] ?? '', 'base64').length;
}

await using engine = await createEngine({
  profiles: `${import.meta.dirname}/../../agent_profiles/seeingeye`,
  models: { default: model },
  store: 'memory',
  workspace,
});

const run = await engine.launch({
  profile: 'refinement',
  input: 'What is in the sky?\nOptions: A: a balloon, B: a kite, C: a plane\nimage_path: kite.png',
});
await run.result;

for (const { profile, reply, toolInteractions, toolChoice } of run.turns()) {
  if (profile === 'refinement' && reply.toolCalls.length > 0) console.log(reply.reasoning);
  for (const { name, args } of toolInteractions)
    if (profile !== 'refinement') console.log(`  ${profile} [${toolChoice ?? 'auto'}] ${name} ${JSON.stringify(args)}`);
}
await conclude(run);
rmSync(workspace, { recursive: true });
