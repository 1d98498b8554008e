import type { AgentNodeView } from '../tree.ts';
import { Layout, safe } from './text/layout.ts';
import { costText, countText, shareText, tokensText } from './text/quantity-text.ts';
import { grouped } from './text/terminal-text.ts';
import { styledStatus, type FormatOptions } from './text/text-style.ts';

/** Renders the agents of a run as a tree. */
export function formatTree(roots: readonly AgentNodeView[], options: FormatOptions = {}): string {
  const out = new Layout(options);
  if (roots.length === 0) return out.line('No agents.').toString();
  for (const root of roots) formatNode(out, root, { own: '', below: '' });
  return out.toString();
}

function formatNode(out: Layout, node: AgentNodeView, prefix: { readonly own: string; readonly below: string }): void {
  out.branch(nodeText(out, node), prefix.own, `${prefix.below}${node.children.length === 0 ? '  ' : '│ '}`);
  node.children.forEach((child, index) => {
    const last = index === node.children.length - 1;
    formatNode(out, child, { own: `${prefix.below}${last ? '└─ ' : '├─ '}`, below: `${prefix.below}${last ? '   ' : '│  '}` });
  });
}

function nodeText(out: Layout, node: AgentNodeView): string {
  const { style } = out;
  const status =
    node.status === 'ended' ? styledStatus(style, safe(node.outcome ?? 'ended', 40)) : styledStatus(style, node.status);
  const notes = [
    node.roleName === undefined ? safe(node.profile) : `${safe(node.profile)}, ${safe(node.roleName)}`,
    ...(node.moduleId === undefined ? [] : [safe(node.moduleId)]),
    countText(node.turns, 'turn'),
    countText(node.toolCalls, 'tool call'),
    `${tokensText(node.inputTokens, node.outputTokens)} tokens`,
    costText(node.cost, node.costAtLeast),
    ...(node.children.length === 0 ? [] : [`${grouped(node.tokensWithChildren)} tokens with those below`]),
    ...(node.limit === undefined
      ? []
      : [`limit ${node.limit.stage === 'warned' ? 'near' : 'reached'}: ${safe(node.limit.reason)}`]),
    ...(node.contextTokens === undefined ? [] : [contextText(node.contextTokens, node.contextWindow)]),
    ...(node.iteration > 1 ? [`iteration ${node.iteration}`] : []),
    ...(node.waitingItems === 0
      ? []
      : [`${countText(node.waitingItems, 'item')} ${node.status === 'ended' ? 'never read' : 'waiting'}`]),
    ...(node.deadLetters === 0 ? [] : [countText(node.deadLetters, 'dead letter')]),
  ];
  const doing = node.openCalls.map((call) => `${safe(call.name, 60)} ${call.status}`).join(', ');
  const error = node.error === undefined ? '' : `  ${style.red(safe(node.error.message))}`;
  return `${style.bold(safe(node.agentId))}  ${status}${doing === '' ? '' : ` (${doing})`}  ${style.dim(notes.join(' · '))}${error}`;
}

function contextText(tokens: number, window: number | undefined): string {
  return window === undefined
    ? `context ${grouped(tokens)}`
    : `context ${grouped(tokens)} of ${grouped(window)} (${shareText(tokens / window)})`;
}
