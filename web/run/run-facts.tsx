import type { ComponentChildren } from 'preact';
import { callNames } from '../../src/core/events/call-names.ts';
import { durationText, costText, shareText, countText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import type { RunOverview } from '../../src/inspect/run-overview.ts';
import { Meter } from '../kit/meter.tsx';
import { useNow } from '../kit/use-now.ts';
import { toVisibleText } from '../kit/visible-text.ts';

/** Usage of the run, each value with its share of the limit. */
export function RunFacts({
  overview,
  isWorking,
}: {
  readonly overview: RunOverview;
  /** True when a process seems to advance the run. */
  readonly isWorking: boolean;
}) {
  const { limits, used, agents, turns, toolCalls, inputTokens, outputTokens, cost, costAtLeast } = overview;
  const ticks = isWorking && overview.status === 'running' && overview.imported === undefined;
  const now = useNow(ticks);
  const lasted = (ticks ? Math.max(now, overview.updatedAt) : overview.updatedAt) - overview.createdAt;
  const ticked = ticks ? Math.max(0, now - overview.updatedAt) : 0;
  return (
    <dl class="facts">
      <Fact name="profile">{toVisibleText(overview.profile)}</Fact>
      {overview.by !== undefined && <Fact name="by">{toVisibleText(overview.by)}</Fact>}
      {overview.unknown.length > 0 && <Fact name="may have happened">{toVisibleText(callNames(overview.unknown))}</Fact>}
      {overview.running.length > 0 && <Fact name="still running">{toVisibleText(callNames(overview.running))}</Fact>}
      {overview.endedBy !== undefined && <Fact name="ended by">{toVisibleText(overview.endedBy)}</Fact>}
      <Fact name="agents" {...limitOf(agents.total, limits.maxTotal, countText(limits.maxTotal, 'agent'))}>
        {grouped(agents.total)}
        {agents.ended > 0 && <span class="faint"> ({grouped(agents.ended)} ended)</span>}
      </Fact>
      <Fact name="turns" {...limitOf(turns, limits.maxTurns, countText(limits.maxTurns, 'turn'))}>
        {grouped(turns)}
      </Fact>
      <Fact name="tool calls" {...limitOf(toolCalls, limits.maxToolCalls, countText(limits.maxToolCalls, 'tool call'))}>
        {grouped(toolCalls)}
      </Fact>
      <Fact name="tokens in / out" {...limitOf(used.tokens, limits.maxTokens, `${grouped(limits.maxTokens)} tokens`)}>
        {grouped(inputTokens)} / {grouped(outputTokens)}
      </Fact>
      <Fact name="cost" {...(used.cost === null ? {} : limitOf(used.cost, limits.maxCostUsd, `$${limits.maxCostUsd}`))}>
        {costText(cost, costAtLeast)}
      </Fact>
      <Fact name="time" {...limitOf(used.wallMs + ticked, limits.maxWallMs, durationText(limits.maxWallMs))}>
        {durationText(lasted)}
      </Fact>
    </dl>
  );
}

interface LimitUse {
  readonly share: number;
  readonly of: string;
}

function limitOf(used: number, limit: number, words: string): LimitUse {
  return { share: used / limit, of: words };
}

function Fact(props: { readonly name: string; readonly children: ComponentChildren } & Partial<LimitUse>) {
  const { name, children, share, of = '' } = props;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">
        {children}
        {share !== undefined && <Meter share={share} label={`${shareText(share)} of ${of}`} />}
      </dd>
    </div>
  );
}
