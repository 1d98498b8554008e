import { createEngine, type Engine, type Journal } from '../../src/index.ts';
import { loadModel, type LoadReply } from './load-model.ts';

const lead = `
name: Lead
type: principal
llm_config_ref: lead
instructions: You dispatch.
tool_access_policy:
  allowed_toolsets: [planning_tools, dispatch_tools]
limits: { max_children: 100000, max_tokens: 1000000000, max_tool_calls: 1000000 }
`;

const worker = `
name: Worker
type: associate
llm_config_ref: worker
available_for_staffing: true
instructions: You work.
`;

/** An engine with a lead that dispatches a crowd of workers in one call; what the workers' model says is the caller's. */
export function crowdEngine(store: string | Journal, size: number, works: () => LoadReply): Promise<Engine> {
  return createEngine({
    profiles: {
      files: [
        { path: 'profiles/lead.yaml', text: lead },
        { path: 'profiles/worker.yaml', text: worker },
      ],
    },
    models: { lead: leadModel(size), worker: loadModel(works) },
    store,
    team: { maxParallel: 100_000 },
    limits: {
      maxTurns: 1_000_000,
      maxToolCalls: 1_000_000,
      maxTokens: 1_000_000_000,
      maxChildren: 100_000,
      maxLive: 100_000,
      maxTotal: 100_000,
    },
  });
}

/** Creates the modules, dispatches them all, and is done. */
function leadModel(size: number): ReturnType<typeof loadModel> {
  const modules = Array.from({ length: size }, (_, index) => ({
    action: 'create',
    name: `Job ${index + 1}`,
    description: 'Work.',
  }));
  const assignments = modules.map(({ name }, index) => ({
    module_id_to_assign: `WM_${index + 1}`,
    agent_profile_logical_name: 'Worker',
    assigned_role_name: name,
    assignment_specific_instructions: 'Work.',
  }));
  return loadModel((prompt) => {
    const turns = prompt.filter(({ role }) => role === 'assistant').length;
    if (turns === 0) return { tool: 'manage_work_modules', args: [{ actions: modules }] };
    if (turns === 1) return { tool: 'dispatch_submodules', args: [{ assignments }] };
    return { text: 'done' };
  });
}
