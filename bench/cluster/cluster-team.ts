import { defineTool, type EngineOptions } from '../../src/index.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { scriptedModel, type ScriptedRequest } from '../../src/testing/index.ts';

const huge = 1_000_000;

const limits = `{ max_children: ${huge}, max_turns: 1000, max_tokens: 1000000000 }`;

const profiles = `
name: Solo
type: principal
llm_config_ref: bench
instructions: You look things up.
tool_access_policy: { allowed_individual_tools: [look] }
limits: ${limits}
---
name: Lead
type: principal
llm_config_ref: bench
instructions: You dispatch.
tool_access_policy: { allowed_toolsets: [planning_tools, dispatch_tools] }
limits: ${limits}
---
name: Worker
type: associate
llm_config_ref: bench
available_for_staffing: true
instructions: You answer.
limits: ${limits}
`;

/** Turns of a run of `Solo`: three with a tool, and the answer. */
export const soloTurns = 4;

/** Turns of a run of `Lead` with so many associates of one turn each. */
export const leadTurns = (associates: number): number => 3 + associates;

/** Options of every engine of the cluster. The first message says how many associates a lead dispatches: `associates: 5`. */
export const clusterTeam: Pick<EngineOptions, 'profiles' | 'models' | 'tools' | 'limits' | 'team'> = {
  profiles: {
    files: profiles.split('---').map((text, index) => ({ path: `profiles/${index}.yaml`, text })),
  },
  models: { bench: scriptedModel(reply) },
  tools: [
    defineTool({
      name: 'look',
      description: 'Looks something up.',
      effect: 'pure',
      parameters: { type: 'object', properties: {} },
      execute: () => 'It is there.',
    }),
  ],
  limits: { maxTurns: huge, maxToolCalls: huge, maxTokens: 1_000_000_000, maxChildren: huge, maxLive: huge, maxTotal: huge },
  team: { maxParallel: 100_000 },
};

/** Answers from the prompt alone, so that any worker gives the same answer. */
function reply({ prompt, tools }: ScriptedRequest): ScriptedReply {
  const done = prompt.filter(({ role }) => role === 'assistant').length;
  const offers = (name: string): boolean => tools?.some((tool) => tool.name === name) === true;
  if (offers('look') && done < soloTurns - 1) return { toolCalls: [{ name: 'look', args: {} }] };
  if (!offers('dispatch_submodules') || done > 1) return { text: 'Done.' };
  const associates = Number(/associates: (\d+)/.exec(JSON.stringify(prompt.find(({ role }) => role === 'user')))?.[1] ?? 0);
  const numbers = Array.from({ length: associates }, (_, index) => index + 1);
  if (done === 0)
    return {
      toolCalls: [
        {
          name: 'manage_work_modules',
          args: { actions: numbers.map((number) => ({ action: 'create', name: `Module ${number}`, description: 'Answer.' })) },
        },
      ],
    };
  const assignments = numbers.map((number) => ({
    module_id_to_assign: `WM_${number}`,
    agent_profile_logical_name: 'Worker',
    assigned_role_name: 'Worker',
    assignment_specific_instructions: 'Answer.',
  }));
  return { toolCalls: [{ name: 'dispatch_submodules', args: { assignments } }] };
}
