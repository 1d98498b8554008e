/**
 * Answers once and ends: the process whose start `npm run bench -- --table` times. The engine has the model from an LLM config, as in the
 * README. Arguments: the address of a model, and the checkout to start, or `floor` for the bare loop.
 */
import { floorLoop } from '../floor.ts';
import { adderFile, benchOptions } from '../bench-options.ts';
import { creatorOf } from './probe.ts';

const [baseURL = '', subject = ''] = process.argv.slice(2);
const llmConfig = {
  path: 'llm_configs/bench.yaml',
  text: `name: bench\nconfig: { provider: openai-compatible, model: bench, base_url: '${baseURL}' }\n`,
};
if (subject === 'floor') {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  await floorLoop(createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' }).languageModel('bench'));
} else {
  const createEngine = await creatorOf(subject);
  const engine = await createEngine({ ...benchOptions({}, 'memory'), profiles: { files: [adderFile, llmConfig] } });
  const { status } = await (await engine.launch({ profile: 'Adder', input: 'Add.' })).result;
  if (status !== 'completed') throw new Error(`the run ended ${status}`);
}
process.stdout.write('answered\n');
