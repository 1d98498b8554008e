/**
 * Answers once and ends: the process whose start `npm run bench -- --table` times. Arguments: the address of a model, and the checkout to
 * start, or `floor` for the bare loop.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { floorLoop } from '../floor.ts';
import { engineOf } from './probe.ts';

const [baseURL = '', subject = ''] = process.argv.slice(2);
const model = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' }).languageModel('bench');
if (subject === 'floor') await floorLoop(model);
else {
  const open = await engineOf(subject);
  const engine = await open({ bench: model }, 'memory');
  const { status } = await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result;
  if (status !== 'completed') throw new Error(`the run ended ${status}`);
}
process.stdout.write('answered\n');
