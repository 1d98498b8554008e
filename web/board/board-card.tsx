import type { ComponentChildren } from 'preact';
import type { BoardCard as Card } from '../../src/inspector/board.ts';
import { countText } from '../../src/inspector/format/quantity-text.ts';
import { lineOf } from '../kit/line-of.ts';
import { Badge } from '../kit/badge.tsx';
import { Text } from '../kit/text.tsx';
import { runHref } from '../routing/route.ts';
import { AttemptList, outcomeWord, plainText } from './attempt-list.tsx';

/** What a card shows besides its module. */
export interface BoardCardProps {
  readonly card: Card;
  readonly runId: string;
  /** How it stands to the module that is pointed at. */
  readonly relation: 'none' | 'itself' | 'needed' | 'waiting';
  readonly hasMoved: boolean;
  readonly isNamed: boolean;
  /** Which of its parts are unfolded. */
  readonly unfolded: ReadonlySet<string>;
  readonly fold: (part: string) => void;
}

/** One work module. */
export function BoardCard(props: BoardCardProps) {
  const { card, runId, relation, hasMoved, isNamed, unfolded, fold } = props;
  const { moduleId, attempts, reviewInfo } = card;
  const delivered = Object.entries(card.deliverables);
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
        {last !== undefined && last.outcome !== 'completed_success' && <Badge status={outcomeWord(last.outcome)} />}
      </p>
      <h3>{lineOf(card.name, 200)}</h3>
      {card.assignee !== undefined && <Assignee assignee={card.assignee} role={last?.roleName ?? ''} runId={runId} />}
      <Relations label="depends on" ids={card.dependsOn} open={card.blockedBy} runId={runId} />
      <Relations label="needed by" ids={card.neededBy} open={[]} runId={runId} />
      {reviewInfo !== null && card.status === 'pending_review' && <Review info={reviewInfo} />}
      <Unfolding part="task" label="task" moduleId={moduleId} unfolded={unfolded} fold={fold}>
        <Text value={card.description} />
        {card.notes !== '' && (
          <>
            <h4>Notes of the planner</h4>
            <Text value={card.notes} />
          </>
        )}
      </Unfolding>
      {attempts.length > 0 && (
        <Unfolding
          part="attempts"
          label={countText(attempts.length, 'attempt')}
          moduleId={moduleId}
          unfolded={unfolded}
          fold={fold}
        >
          <AttemptList attempts={attempts} runId={runId} />
        </Unfolding>
      )}
      {delivered.length > 0 && (
        <Unfolding
          part="deliverables"
          label={countText(delivered.length, 'deliverable')}
          moduleId={moduleId}
          unfolded={unfolded}
          fold={fold}
        >
          {delivered.map(([name, value]) => (
            <div key={name}>
              <h4>{lineOf(name, 120)}</h4>
              <Text value={plainText(value)} />
            </div>
          ))}
        </Unfolding>
      )}
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
  /** Those that are not done. */
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
      <Text value={typeof message === 'string' ? message : plainText(info)} label="to review" />
      {typeof message === 'string' && error !== undefined && error !== null && (
        <div class="tone-bad">
          <Text value={plainText(error)} label="error" />
        </div>
      )}
    </div>
  );
}

/** A part of a card behind a button; the board remembers what is unfolded, also when the card moves. */
function Unfolding(props: {
  readonly part: string;
  readonly label: string;
  readonly moduleId: string;
  readonly unfolded: ReadonlySet<string>;
  readonly fold: (part: string) => void;
  readonly children: ComponentChildren;
}) {
  const { part, label, moduleId, unfolded, fold, children } = props;
  const isOpen = unfolded.has(part);
  const id = `${moduleId}-${part}`;
  return (
    <div class="unfolding">
      <button type="button" class="quiet" data-part={part} aria-expanded={isOpen} aria-controls={id} onClick={() => fold(part)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {label}
      </button>
      <div id={id} hidden={!isOpen} class="unfolded">
        {isOpen && children}
      </div>
    </div>
  );
}
