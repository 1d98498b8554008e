import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { turnNeighbours } from '../../src/inspect/turn/turn-neighbours.ts';
import { costText, spanText, tokensText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { missingRole } from '../data/server-info.ts';
import { Badge } from '../kit/badge.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { Pairs } from '../kit/pairs.tsx';
import { safe } from '../kit/safe.ts';
import { Time } from '../kit/time.tsx';
import { turnHref } from '../routing/route.ts';
import { useView } from '../run/page-run.ts';
import { useControl } from '../run/use-control.ts';
import { ForkTurn } from './fork-turn.tsx';
import { ErrorLine, TurnLink } from './parts.tsx';

/** Agent, time, causes and cost of the turn. */
export function TurnHead({ record }: { readonly record: TurnRecord }) {
  const { agentInfo, limit } = record;
  const canControl = useControl();
  const module = agentInfo.moduleId === undefined ? '' : `, at module ${safe(agentInfo.moduleId)}`;
  const role = agentInfo.roleName === undefined ? '' : `, ${safe(agentInfo.roleName)}`;
  return (
    <header class="turn-head">
      <div class="turn-title">
        <h2>
          <span class="faint">Turn</span> {safe(record.turnId)}
        </h2>
        <Badge status={record.status} />
        {record.turnType !== 'agent' && <span class="badge">{record.turnType}</span>}
        <CopyButton value={() => record} />
        {canControl && missingRole('operate') === undefined && record.turnType === 'agent' && <ForkTurn record={record} />}
      </div>
      {record.turnType === 'agent' && <Around record={record} />}
      {record.error !== undefined && <ErrorLine error={record.error} />}
      {limit !== undefined && (
        <p class="tone-waits">
          {limit.stage === 1 ? 'Near a limit' : 'At a limit; the last turn'}: {safe(limit.reason)}
        </p>
      )}
      {record.escalations.map(({ seq, rung, action, on, count, threshold, tools, llmConfig, prompt }) => (
        <p key={seq} class="tone-waits">
          No progress: escalation step {safe(rung)}, {action.replaceAll('_', ' ')}{' '}
          {safe([...(tools ?? []), llmConfig ?? '', prompt ?? ''].filter(Boolean).join(', '))} ({on.replaceAll('_', ' ')} {count},
          from {threshold} on)
        </p>
      ))}
      <Pairs
        pairs={{
          agent: `${safe(record.agentId)} (${safe(record.profile)}${role}${module})`,
          'started by': agentInfo.parentAgentId !== undefined && safe(agentInfo.parentAgentId),
          began: (
            <>
              <Time at={record.startedAt} precise />, took {spanText(record.startedAt, record.endedAt)}
            </>
          ),
          'woken by': <Woken record={record} />,
          tokens: tokenFacts(record),
          cost: record.cost !== undefined && costText(record.cost),
          'first token': record.firstTokenMs !== undefined && `after ${Math.round(record.firstTokenMs)} ms`,
          reserved:
            record.reserve !== undefined &&
            `${grouped(record.reserve.tokens)} tokens${record.reserve.output === undefined ? '' : `, reply bound to ${grouped(record.reserve.output)}`}`,
          flow: record.flowId !== '' && safe(record.flowId),
        }}
      />
    </header>
  );
}

function tokenFacts({ cost, usage }: TurnRecord): string | false {
  if (cost === undefined) return false;
  const more = [
    usage.cacheReadTokens === undefined ? '' : `${grouped(usage.cacheReadTokens)} from cache`,
    usage.cacheWriteTokens === undefined ? '' : `${grouped(usage.cacheWriteTokens)} to cache`,
    usage.reasoningTokens === undefined ? '' : `${grouped(usage.reasoningTokens)} reasoning`,
  ].filter(Boolean);
  return [tokensText(usage.inputTokens ?? 0, usage.outputTokens ?? 0), ...more].join(', ');
}

function Woken({ record }: { readonly record: TurnRecord }) {
  const { inputs, sourceTurnIds, sourceToolCallId } = record;
  return (
    <>
      {inputs.length === 0 ? 'no items' : [...new Set(inputs.map(({ source }) => safe(source, 60)))].join(', ')}
      {sourceTurnIds.map((turnId) => (
        <>
          {' '}
          ← <TurnLink turnId={turnId} />
        </>
      ))}
      {sourceToolCallId !== undefined && (
        <>
          {' '}
          · <CallLink callId={sourceToolCallId} />
        </>
      )}
    </>
  );
}

/** A call, with a link to the turn that requested it. */
function CallLink({ callId }: { readonly callId: string }) {
  const turnId = useView(
    (state) => [...state.turns.values()].find(({ calls }) => calls.some((call) => call.callId === callId))?.turnId,
    [callId],
  ).value;
  return turnId === undefined ? (
    <>call {safe(callId)}</>
  ) : (
    <TurnLink turnId={turnId} section="calls" name={`call ${safe(callId)}`} />
  );
}

function Around({ record }: { readonly record: TurnRecord }) {
  const around = useView((state) => turnNeighbours(state, record.turnId), [record.turnId]).value;
  if (around === undefined) return null;
  const step = (turnId: string | undefined, words: string, label: string) =>
    turnId === undefined ? (
      <span class="faint" aria-hidden="true">
        {words}
      </span>
    ) : (
      <a href={turnHref(record.runId, turnId)} aria-label={`${label}: ${safe(turnId)}`} title={safe(turnId)}>
        {words}
      </a>
    );
  const { ofAgent, ofRun, led } = around;
  return (
    <nav class="t-around small" aria-label="Turns around this one">
      <span>
        {step(ofAgent.previous, '←', 'previous turn of this agent')} {ofAgent.place} of {ofAgent.count} of its agent{' '}
        {step(ofAgent.next, '→', 'next turn of this agent')}
      </span>
      <span>
        {step(ofRun.previous, '←', 'previous turn of the run')} {ofRun.place} of {ofRun.count} of the run{' '}
        {step(ofRun.next, '→', 'next turn of the run')}
      </span>
      {led.length > 0 && (
        <span>
          led to{' '}
          {led.slice(0, 8).map((turnId) => (
            <>
              <TurnLink turnId={turnId} />{' '}
            </>
          ))}
          {led.length > 8 && `and ${led.length - 8} more`}
        </span>
      )}
    </nav>
  );
}
