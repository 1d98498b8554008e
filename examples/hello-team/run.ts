/**
 * Hello, team: a Lead plans two modules and two Greeters work on them in parallel. The models are scripted, so it needs no key or
 * network; the tool really runs. Run it from the project's folder:
 *
 *     npx node examples/hello-team/run.ts
 */
import { z } from 'zod';
import { createEngine, defineTool } from '../../src/index.ts';
import { scriptedModel, type ScriptedRequest } from '../../src/testing/index.ts';
import { conclude } from '../checked.ts';

const greetings: Readonly<Record<string, string>> = { French: 'Bonjour', Swahili: 'Jambo' };

const lookUpGreeting = defineTool({
  name: 'look_up_greeting',
  description: 'Returns the usual greeting of a language.',
  parameters: z.object({ language: z.string() }),
  effect: 'pure',
  // The results come from this program: they need no frame for untrusted text.
  trust: 'trusted',
  execute: ({ language }) => greetings[language] ?? `No greeting is known for ${language}.`,
});

/** The Lead gives the same three replies in each run, so a list is enough. */
const lead = scriptedModel([
  {
    text: 'One module per language.',
    toolCalls: [
      {
        name: 'manage_work_modules',
        args: {
          actions: [
            { action: 'create', name: 'French', description: 'Find the greeting in French.' },
            { action: 'create', name: 'Swahili', description: 'Find the greeting in Swahili.' },
          ],
        },
      },
    ],
  },
  {
    text: 'Both are independent of each other.',
    toolCalls: [
      { name: 'dispatch_submodules', args: { assignments: [assignment('WM_1', 'French'), assignment('WM_2', 'Swahili')] } },
    ],
  },
  { text: 'Both greetings came back: Bonjour, and Jambo.' },
]);

/** Replies of a Greeter depend on its request: first a lookup, then the deliverables with the tool's result. */
const greeter = scriptedModel((request) => {
  const result = toolResult(request);
  if (result === undefined) return { toolCalls: [{ name: 'look_up_greeting', args: { language: languageOf(request) } }] };
  return { toolCalls: [{ name: 'finish_flow', args: { summary: result, deliverables: { greeting: result } } }] };
});

function assignment(module: string, language: string) {
  return {
    module_id_to_assign: module,
    agent_profile_logical_name: 'Greeter',
    assigned_role_name: `${language} greeter`,
    assignment_specific_instructions: `Language: ${language}`,
  };
}

function languageOf(request: ScriptedRequest): string {
  return /Language: (\w+)/.exec(JSON.stringify(request.prompt))?.[1] ?? 'unknown';
}

function toolResult(request: ScriptedRequest): string | undefined {
  const last = request.prompt.at(-1);
  const part = last?.role === 'tool' ? last.content[0] : undefined;
  return part?.type === 'tool-result' && part.output.type === 'text' ? part.output.value : undefined;
}

await using engine = await createEngine({
  profiles: `${import.meta.dirname}/agent_profiles`,
  models: { lead, greeter },
  tools: [lookUpGreeting],
  store: 'memory',
});

const run = await engine.launch({ profile: 'Lead', input: 'How do people say hello in French and in Swahili?' });
await run.result;

for (const turn of run.turns()) {
  const calls = turn.toolInteractions.map((call) => call.name).join(', ');
  console.log(`${turn.turnId.padEnd(13)} ${calls === '' ? turn.reply.text : calls}`);
}
for (const module of Object.values(run.state.team.workModules))
  console.log(`${module.module_id} ${module.name}: ${JSON.stringify(module.deliverables)}`);
await conclude(run, {
  holds: {
    'both modules brought a greeting': Object.values(run.state.team.workModules).every(
      ({ deliverables }) => typeof deliverables['greeting'] === 'string',
    ),
  },
});
