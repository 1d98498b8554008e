/**
 * The orchestrator of the system agent_framework: it splits a question over two managers of domains, one of tables and one of texts,
 * whose workers look things up in real files, and puts one answer together. The words are scripted, as without a configured model;
 * each figure and each line comes out of the files. Run it from the project's folder:
 *
 *     npx node examples/agent-framework-orchestrator/run.ts
 *
 * What happens is told by the names of agent_framework's events.
 */
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { eventTranslator } from '../../src/compat/events/event-translator.ts';
import { conclude } from '../checked.ts';

await using engine = await createEngine({
  profiles: path.join(import.meta.dirname, '../../agent_profiles/agent_framework'),
  workspace: path.join(import.meta.dirname, 'workspace'),
  store: 'memory',
  env: {},
});

const run = await engine.launch({
  profile: 'orchestrator',
  input: 'What is the revenue by region, and within how many days may kettles be returned?',
});
const allow = ['delegation_chosen', 'worker_tool_call', 'delegation_executed', 'orchestrator_end'];
const translate = eventTranslator({ as: 'agent_framework', allow });
for await (const event of run)
  for (const told of translate(event)) {
    const { name } = told['actor'] as { readonly name: string };
    const { operation, data } = told['result_detail'] as {
      readonly operation: string;
      readonly data: { readonly worker?: string };
    };
    console.log(`${told.event} ${name} ${told.event === 'worker_tool_call' ? operation : (data.worker ?? '')}`);
  }

const { value } = await run.result;
const { human_readable_summary: summary } = (value ?? {}) as { readonly human_readable_summary?: string };
await conclude(run, { holds: { 'there is an answer': summary !== undefined }, says: summary });
