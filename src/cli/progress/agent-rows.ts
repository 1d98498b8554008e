import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { grouped } from '../../inspect/format/text/terminal-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { argsText } from './args-text.ts';

/** Row of an agent in the live view; all texts are safe to print. */
export interface AgentRow {
  readonly agentId: string;
  /** Tree lines drawn before the name. */
  readonly branch: string;
  /** Agent id, with its work module if it has one; the end distinguishes agents of one profile. */
  readonly name: string;
  readonly status: string;
  /** Current activity. */
  readonly doing: string;
  readonly turns: number;
  readonly tokens: string;
  readonly isEnded: boolean;
}

/** Progress of running tool calls, by call id. */
export type ToolProgress = ReadonlyMap<string, { readonly fraction: number; readonly note: string }>;

/** Returns the agents of a run as rows, each below its parent. */
export function agentRows(run: RunContext, progress: ToolProgress = new Map()): readonly AgentRow[] {
  const rows: AgentRow[] = [];
  const add = (agent: SubContext, own: string, below: string): void => {
    rows.push(toRow(agent, own, progress));
    const children = agent.children.flatMap((id) => run.agents.get(id) ?? []);
    children.forEach((child, index) => {
      const last = index === children.length - 1;
      add(child, `${below}${last ? '└ ' : '├ '}`, `${below}${last ? '  ' : '│ '}`);
    });
  };
  for (const agent of run.agents.values()) {
    const { parentAgentId } = agent.meta;
    if (parentAgentId === undefined || !run.agents.has(parentAgentId)) add(agent, '', '');
  }
  return rows;
}

function toRow(agent: SubContext, prefix: string, progress: ToolProgress): AgentRow {
  const {
    meta,
    limits: { usage },
  } = agent;
  const role = meta.moduleId === undefined ? '' : ` ${safe(meta.moduleId, 20)}`;
  return {
    agentId: meta.agentId,
    branch: prefix,
    name: `${safe(meta.agentId, 60)}${role}`,
    status: statusText(agent),
    doing: doingText(agent, progress),
    turns: agent.turn.count,
    tokens: grouped(usage.inputTokens + usage.outputTokens),
    isEnded: agent.status === 'ended',
  };
}

/** Returns the status in a plain word. */
function statusText(agent: SubContext): string {
  switch (agent.status) {
    case 'held':
      return 'queued';
    case 'ready':
      return 'ready';
    case 'in_turn':
      return 'thinking';
    case 'awaiting_tools':
      return 'tools';
    case 'awaiting_input':
      return 'waiting';
    case 'ended':
      return agent.result.outcome === 'success' ? 'done' : safe(agent.result.outcome ?? 'ended', 20);
  }
}

function doingText(agent: SubContext, progress: ToolProgress): string {
  const calls = [...agent.calls.open.values()];
  const [first] = calls.filter((call) => call.status === 'running').concat(calls);
  if (first === undefined) return agent.result.error === undefined ? '' : safe(agent.result.error.message, 120);
  const more = calls.length > 1 ? ` (+${calls.length - 1})` : '';
  return `${safe(first.request.name, 60)}${more} ${detailOf(first, progress)}`.trimEnd();
}

function detailOf(call: CallState, progress: ToolProgress): string {
  const known = progress.get(call.callId);
  if (known !== undefined) return `${Math.round(known.fraction * 100)} % ${safe(known.note, 80)}`;
  if (call.status === 'suspended' && call.waitFor?.kind === 'agents') return `waits for ${call.waitFor.agentIds.length}`;
  if (call.status === 'suspended') return 'waits for you';
  return argsText(call.request.args);
}
