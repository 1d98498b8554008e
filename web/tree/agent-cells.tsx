import type { AgentNodeView } from '../../src/inspect/tree.ts';
import { costText, countText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { Badge } from '../kit/badge.tsx';
import { lineOf } from '../kit/line-of.ts';
import { Meter } from '../kit/meter.tsx';

/** Status of an agent, with problems and pending requests. */
export function StatusCell({ node }: { readonly node: AgentNodeView }) {
  const { status, outcome, limit, waitingItems, deadLetters, iteration } = node;
  const notes = [
    ...(iteration > 1 ? [`iteration ${iteration}`] : []),
    ...(waitingItems > 0 ? [`${countText(waitingItems, 'item')} ${status === 'ended' ? 'never read' : 'waiting'}`] : []),
  ];
  return (
    <>
      <Badge status={status === 'ended' ? (outcome ?? status) : status} />
      {limit !== undefined && (
        <span class="badge tone-bad" title={lineOf(limit.reason, 300)}>
          limit {limit.stage === 'warned' ? 'near' : 'reached'}
        </span>
      )}
      {deadLetters > 0 && <span class="badge tone-bad">{countText(deadLetters, 'dead letter')}</span>}
      {notes.length > 0 && <span class="faint under">{notes.join(', ')}</span>}
    </>
  );
}

/** Current activity of an agent, or the reason it failed. */
export function DoingCell({ node }: { readonly node: AgentNodeView }) {
  const { openCalls, error, status, outcome } = node;
  if (error !== undefined)
    return (
      <span class="tone-bad clamp" title={lineOf(error.message, 1_000)}>
        {lineOf(error.message, 240)}
      </span>
    );
  if (openCalls.length > 0)
    return (
      <span class="clamp">
        {openCalls.slice(0, 6).map(({ name, status: callStatus }, index) => (
          <span key={index}>
            {index > 0 && ', '}
            <code>{lineOf(name, 40)}</code> <span class="faint">{callStatus}</span>
          </span>
        ))}
        {openCalls.length > 6 && <span class="faint"> and {openCalls.length - 6} more</span>}
      </span>
    );
  return <span class="faint">{outcome === undefined && status === 'in_turn' ? 'waits for the model' : ''}</span>;
}

/** Context usage of an agent, as a share of its model's context window where that is known. */
export function ContextCell({ node }: { readonly node: AgentNodeView }) {
  const { contextTokens, contextWindow } = node;
  if (contextTokens === undefined) return null;
  if (contextWindow === undefined) return <>{grouped(contextTokens)}</>;
  const share = contextTokens / contextWindow;
  return (
    <>
      {grouped(contextTokens)}
      <Meter share={share} label={`${Math.round(share * 100)} % of a context of ${grouped(contextWindow)} tokens`} />
    </>
  );
}

/** Input and output tokens, with totals for agents that started others. */
export function TokensCell({ node }: { readonly node: AgentNodeView }) {
  const { inputTokens, outputTokens, tokensWithChildren, children } = node;
  return (
    <>
      {grouped(inputTokens)} / {grouped(outputTokens)}
      {children.length > 0 && <span class="faint under">{grouped(tokensWithChildren)} with all below</span>}
    </>
  );
}

/** Cost of an agent, with the total for agents that started others. */
export function CostCell({ node }: { readonly node: AgentNodeView }) {
  const { cost, costAtLeast, costWithChildren, costWithChildrenAtLeast, children } = node;
  return (
    <>
      {shortCost(cost, costAtLeast)}
      {children.length > 0 && <span class="faint under">{shortCost(costWithChildren, costWithChildrenAtLeast)}</span>}
    </>
  );
}

function shortCost(cost: number | null, atLeast: number): string {
  return cost === null && atLeast === 0 ? 'unknown' : costText(cost, atLeast).replace('at least ', '≥ ');
}
