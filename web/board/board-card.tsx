import type { BoardCard as Card } from '../../src/inspect/board.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { lineOf } from '../kit/line-of.ts';
import { Badge } from '../kit/badge.tsx';
import { JsonView } from '../kit/json-view.tsx';
import { Text } from '../kit/text.tsx';
import { RawSwitch, FormattedText } from '../kit/formatted-text.tsx';
import { runHref } from '../routing/route.ts';
import { AttemptList, outcomeWord, plainText } from './attempt-list.tsx';

/** Properties of a card besides its module. */
export interface BoardCardProps {
  readonly card: Card;
  readonly runId: string;
  /** Relation to the module under the pointer. */
  readonly relation: 'none' | 'itself' | 'needed' | 'waiting';
  readonly hasMoved: boolean;
  readonly isNamed: boolean;
  /** Expanded parts of the card. */
  readonly unfolded: ReadonlySet<string>;
  readonly fold: (part: string) => void;
}

/** Card of one work module. */
export function BoardCard(props: BoardCardProps) {
  const { card, runId, relation, hasMoved, isNamed, unfolded, fold } = props;
  const { moduleId, attempts, reviewInfo } = card;
  const last = attempts.at(-1);
  return (
    <li
      class={`card panel relation-${relation} ${hasMoved ? 'has-moved' : ''} ${isNamed ? 'is-named' : ''}`}
      data-module={moduleId}
      aria-label={`${lineOf(moduleId, 40)}, ${lineOf(card.name, 120)}`}
      tabIndex={-1}
    >
      <p class="card-marks">
        <span class="card-id faint">{lineOf(moduleId, 40)}</span>
        {card.isRework && <span class="badge tone-waits">rework</span>}
        {card.blockedBy.length > 0 && card.status === 'pending' && <span class="badge tone-calm">blocked</span>}
        {last !== undefined && last.outcome !== 'completed_success' && last.outcome !== 'running' && (
          <Badge status={outcomeWord(last.outcome)} />
        )}
      </p>
      <h3>{lineOf(card.name, 200)}</h3>
      {card.assignee !== undefined && <Assignee assignee={card.assignee} role={last?.roleName ?? ''} runId={runId} />}
      <Relations label="depends on" ids={card.dependsOn} open={card.blockedBy} runId={runId} />
      <Relations label="needed by" ids={card.neededBy} open={[]} runId={runId} />
      {reviewInfo !== null && card.status === 'pending_review' && <Review info={reviewInfo} />}
      <p class="unfoldings">
        {partsOf(card).map(([part, label]) => (
          <button
            key={part}
            type="button"
            class="quiet"
            data-part={part}
            aria-expanded={unfolded.has(part)}
            aria-controls={`${moduleId}-${part}`}
            onClick={() => fold(part)}
          >
            <span aria-hidden="true">{unfolded.has(part) ? '▾' : '▸'}</span> {label}
          </button>
        ))}
      </p>
      {partsOf(card).map(([part, label]) => (
        <div key={part} id={`${moduleId}-${part}`} class="unfolded" hidden={!unfolded.has(part)} role="group" aria-label={label}>
          {unfolded.has(part) && (
            <>
              <RawSwitch />
              <Part part={part} card={card} runId={runId} />
            </>
          )}
        </div>
      ))}
    </li>
  );
}

function Assignee(props: { readonly assignee: NonNullable<Card['assignee']>; readonly role: string; readonly runId: string }) {
  const { assignee, role, runId } = props;
  return (
    <p class="assignee">
      <a href={runHref(runId, 'turns', { agent: assignee.agentId })}>{lineOf(assignee.agentId, 60)}</a>{' '}
      <Badge status={assignee.status} />{' '}
      <span class="faint">
        {role === '' ? '' : `${lineOf(role, 60)}, `}
        {countText(assignee.turns, 'turn')}
        {assignee.doing.length === 0 ? '' : `, ${assignee.doing.map((tool) => lineOf(tool, 40)).join(', ')}`}
      </span>
    </p>
  );
}

function Relations(props: {
  readonly label: string;
  readonly ids: readonly string[];
  /** Dependencies that are not completed. */
  readonly open: readonly string[];
  readonly runId: string;
}) {
  const { label, ids, open, runId } = props;
  if (ids.length === 0) return null;
  return (
    <p class="relations faint">
      {label}{' '}
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={runHref(runId, 'board', { module: id })}>{lineOf(id, 40)}</a>
          {open.includes(id) && ' (open)'}
        </span>
      ))}
    </p>
  );
}

function Review({ info }: { readonly info: NonNullable<Card['reviewInfo']> }) {
  const { message, error_details: error } = info;
  return (
    <div class="review">
      {typeof message === 'string' ? (
        <FormattedText value={message} label="to review" />
      ) : (
        <JsonView value={info} label="to review" />
      )}
      {typeof message === 'string' && error !== undefined && error !== null && (
        <div class="tone-bad">
          <Text value={plainText(error)} label="error" />
        </div>
      )}
    </div>
  );
}

type PartName = 'task' | 'attempts' | 'deliverables';

/** Returns the parts of a card behind buttons. The board keeps their expanded state, so it survives a move of the card. */
function partsOf({ attempts, deliverables }: Card): readonly (readonly [PartName, string])[] {
  const delivered = Object.keys(deliverables).length;
  return [
    ['task', 'task'],
    ...(attempts.length === 0 ? [] : [['attempts', countText(attempts.length, 'attempt')] as const]),
    ...(delivered === 0 ? [] : [['deliverables', countText(delivered, 'deliverable')] as const]),
  ];
}

function Part({ part, card, runId }: { readonly part: PartName; readonly card: Card; readonly runId: string }) {
  switch (part) {
    case 'task':
      return (
        <>
          <FormattedText value={card.description} />
          {card.notes !== '' && (
            <>
              <h4>Notes of the planner</h4>
              <FormattedText value={card.notes} />
            </>
          )}
        </>
      );
    case 'attempts':
      return <AttemptList attempts={card.attempts} runId={runId} />;
    case 'deliverables':
      return (
        <>
          {Object.entries(card.deliverables).map(([name, value]) => (
            <div key={name}>
              <h4>{lineOf(name, 120)}</h4>
              {typeof value === 'string' ? <FormattedText value={value} /> : <JsonView value={value} label={lineOf(name, 120)} />}
            </div>
          ))}
        </>
      );
  }
}
