import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';

/** A transition tool that starts one child of a profile and waits for it. */
export const delegate = defineTransitionTool({
  name: 'delegate',
  description: 'Gives work to another agent.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  run: (args, context) => {
    const { to } = args as { readonly to: string };
    const [child] = context.agentIds([to]);
    if (child === undefined) throw new Error('no id');
    return {
      kind: 'suspend',
      on: { kind: 'agents', agentIds: [child] },
      memo: child,
      events: [
        {
          type: 'agent.start',
          agentId: child,
          parentAgentId: context.agent.meta.agentId,
          profile: to,
          profileType: context.profiles.get(to)?.type ?? 'associate',
          depth: 1,
          initialParams: {},
          callId: context.callId,
          flowId: `flow_${child}`,
        },
        context.item(child, 'AGENT_STARTUP_BRIEFING', { task: 'work' }),
      ],
    };
  },
  resume: (_args, context, happening) => {
    const child = happening.kind === 'agent_ended' ? context.run.agents.get(happening.agentId) : undefined;
    return { kind: 'result', content: `${child?.meta.agentId ?? ''} ended: ${child?.result.outcome ?? ''}` };
  },
});
