import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { board, type Board, type BoardCard as Card, type BoardColumn } from '../../src/inspect/board.ts';
import { lineOf } from '../kit/line-of.ts';
import { useRun, useView } from '../run/page-run.ts';
import type { RouteQuery } from '../routing/route.ts';
import { BoardCard, type BoardCardProps } from './board-card.tsx';
import { movedSince, movesText, statusesOf, statusWords, type ModuleStatuses } from './module-moves.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import './board.css';

/** Number of cards per column at first, and per click on "more". */
const pageSize = 100;

/** Board of the work modules, by status. */
export function BoardView({ query }: { readonly query: RouteQuery }) {
  const view = useView(board).value;
  if (view === undefined) return null;
  return view.total === 0 ? <NoModules /> : <Columns view={view} named={query['module']} />;
}

function NoModules() {
  return (
    <div class="no-modules">
      <h2>No work modules</h2>
      <p class="faint">
        A work module is a piece of work that a planner agent defines, assigns to other agents and reviews. This run has none yet;
        runs with one agent need none.
      </p>
    </div>
  );
}

function Columns({ view, named }: { readonly view: Board; readonly named: string | undefined }) {
  const { runId } = useRun();
  // Columns keep their places while the run works; afterwards, empty ones are narrow.
  const isStill = useView((run) => run.status !== 'running').value === true;
  const frame = useRef<HTMLDivElement>(null);
  const [pointedAt, setPointedAt] = useState<string>();
  const [unfolded, setUnfolded] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  const moved = useMoves(view);
  const keepFocus = useKeptFocus(frame);
  const cards = useMemo(() => new Map(view.columns.flatMap((column) => column.cards.map((card) => [card.moduleId, card]))), [view]);
  useEffect(() => goToCard(frame.current, named), [named]);
  const pointed = pointedAt === undefined ? undefined : cards.get(pointedAt);
  const fold = (moduleId: string, part: string): void => {
    const parts = new Set(unfolded.get(moduleId));
    if (!parts.delete(part)) parts.add(part);
    setUnfolded(new Map(unfolded).set(moduleId, parts));
  };
  const propsOf = (card: Card): BoardCardProps => ({
    card,
    runId,
    relation: relationTo(card, pointed),
    hasMoved: moved.has(card.moduleId),
    isNamed: card.moduleId === named,
    unfolded: unfolded.get(card.moduleId) ?? nothing,
    fold: (part) => fold(card.moduleId, part),
  });
  return (
    <div
      ref={frame}
      class={`board ${isStill ? 'is-still' : ''}`}
      onFocusIn={keepFocus}
      onPointerOver={(event) => setPointedAt(moduleAt(event.target))}
      onPointerLeave={() => setPointedAt(undefined)}
    >
      <p class="seen-by-readers" role="status">
        {lineOf(movesText(moved), 400)}
      </p>
      {view.columns.map((column) => (
        <Column
          key={column.status}
          column={column}
          propsOf={propsOf}
          isNamed={column.cards.some(({ moduleId }) => moduleId === named)}
        />
      ))}
    </div>
  );
}

const nothing: ReadonlySet<string> = new Set();

function Column(props: {
  readonly column: BoardColumn;
  readonly propsOf: (card: Card) => BoardCardProps;
  readonly isNamed: boolean;
}) {
  const { column, propsOf, isNamed } = props;
  const { status, cards } = column;
  const isAside = status === 'deprecated';
  const [isOpen, setOpen] = useState(!isAside);
  const [most, setMost] = useState(pageSize);
  if (isAside && cards.length === 0) return null;
  const isShown = isOpen || isNamed;
  const shown = isShown ? cards.slice(0, isNamed ? cards.length : most) : [];
  return (
    <section class={`column is-${status}`} data-status={status} aria-label={statusWords(status)}>
      <h2>
        {isAside ? (
          <button type="button" class="quiet" aria-expanded={isShown} onClick={() => setOpen(!isOpen)}>
            <span aria-hidden="true">{isShown ? '▾' : '▸'}</span> {statusWords(status)}
          </button>
        ) : (
          statusWords(status)
        )}{' '}
        <span class="count number">{cards.length}</span>
      </h2>
      {cards.length === 0 && <p class="faint none">none</p>}
      <ul>
        {shown.map((card) => (
          <BoardCard key={card.moduleId} {...propsOf(card)} />
        ))}
      </ul>
      {isShown && shown.length < cards.length && (
        <button type="button" onClick={() => setMost(most + pageSize)}>
          show more ({cards.length - shown.length})
        </button>
      )}
    </section>
  );
}

/** Returns the modules that moved recently: highlighted for a moment, and announced. */
function useMoves(view: Board): ModuleStatuses {
  const statuses = useMemo(() => statusesOf(view), [view]);
  const before = useRef(statuses);
  const [moved, setMoved] = useState<ModuleStatuses>(new Map());
  useEffect(() => {
    const now = movedSince(before.current, statuses);
    before.current = statuses;
    if (now.size > 0) setMoved(now);
  }, [statuses]);
  return moved;
}

function relationTo(card: Card, pointed: Card | undefined): BoardCardProps['relation'] {
  if (pointed === undefined) return 'none';
  if (pointed.moduleId === card.moduleId) return 'itself';
  if (pointed.dependsOn.includes(card.moduleId)) return 'needed';
  return pointed.neededBy.includes(card.moduleId) ? 'waiting' : 'none';
}

function moduleAt(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-module]')?.dataset['module'] : undefined;
}

function goToCard(frame: HTMLElement | null, moduleId: string | undefined): void {
  if (moduleId === undefined) return;
  const card = frame?.querySelector<HTMLElement>(`[data-module="${CSS.escape(moduleId)}"]`);
  card?.scrollIntoView({ block: 'center' });
  card?.focus({ preventScroll: true });
}
