import type { EventOf } from '../../core/events/event.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { assemblePrompt, headsOf } from '../../core/prompt/prompt.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ReadContent } from '../../inspect/read-content.ts';
import type { WholePrompt } from '../../inspect/rerender/rerendered-turn.ts';
import { systemTextOf } from '../../nodes/prompt/build-system-prompt.ts';
import { requiredText } from '../../nodes/prompt/required-text.ts';

/** Returns the prompt of a turn as a model gets it, from a state that has its `turn.start`. */
export function wholePrompt(
  run: RunContext,
  { agentId, inputs, prompt }: EventOf<'turn.start'>,
  content: ReadContent,
): WholePrompt | undefined {
  const agent = run.agents.get(agentId);
  if (agent === undefined || prompt === undefined) return undefined;
  const systemText = systemTextOf(requiredText(content, prompt.system, 'how a system prompt was made'), content);
  const heads = headsOf(prompt).map(({ head }) => requiredText(content, head, 'what stands for messages that are left out'));
  return {
    messages: assemblePrompt({ systemText, history: agent.history, range: prompt, inputs, heads }),
    tools: JSON.parse(requiredText(content, prompt.tools, 'the tools')) as readonly OfferedTool[],
    toolChoice: prompt.toolChoice ?? 'auto',
  };
}
