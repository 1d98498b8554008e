/**
 * The orchestrator of the system agent_framework splits a question between two domain managers, one for tables and one for texts, whose
 * workers search real files, and combines their results into one answer. The replies are scripted, as without a configured model; each
 * figure and line comes from the files. Run it from the project's folder:
 *
 *     npx node examples/agent-framework-orchestrator/run.ts
 *
 * It prints progress with the event names of agent_framework.
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
