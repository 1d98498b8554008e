import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Timeline } from '../../src/inspect/timeline/timeline.ts';
import { useMedia } from '../kit/use-media.ts';
import { setQuery } from '../routing/router.ts';
import type { RouteQuery } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { CauseArrows } from './cause-arrows.tsx';
import { TimelineRowView } from './timeline-row-view.tsx';
import { marksOf } from './row-marks.ts';
import { TimeAxis, TimeLines } from './time-axis.tsx';
import { foldedBreaks, toX } from './time-scale.ts';
import { TimelineToolbar } from './timeline-toolbar.tsx';
import { TurnCard } from './turn-card.tsx';
import { TurnPlaces, type TurnPlace } from './turn-places.ts';
import { useCamera } from './use-camera.ts';
import { useTimelineKeys } from './use-timeline-keys.ts';
import { useNow } from './use-now.ts';
import { useZoomGestures } from './use-zoom-gestures.ts';

/** Maximum number of turns and calls drawn. */
const mostMarks = 1_200;
const axisHeight = 28;

/** The rows of a run, scrolled by the browser and drawn where they are in view. */
export function TimelineChart({ view, query }: { readonly view: Timeline; readonly query: RouteQuery }) {
  const { runId } = useRun();
  const isNarrow = useMedia('(max-width: 700px)');
  const [labelWidth, rowHeight] = isNarrow ? [0, 50] : [248, 40];
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const [foldsIdle, setFoldsIdle] = useState(true);
  const [allCauses, setAllCauses] = useState(false);
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const [isFocusShown, setFocusShown] = useState(false);
  const toFocus = useRef<string | undefined>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow(view);
  const places = useMemo(() => new TurnPlaces(view), [view]);
  const folds = useMemo(() => (foldsIdle ? foldedBreaks(view, now, expanded) : []), [view, foldsIdle, expanded]);
  const camera = useCamera(scroller, { view, span: { from: view.from, to: now, folds }, query, labelWidth, rowHeight });
  const { viewport, scale } = camera;
  const { selected, current } = { selected: query['turn'], current: focused ?? query['turn'] };
  useZoomGestures(scroller, camera.zoomBy);

  const reveal = useCallback(
    (place: TurnPlace): void => {
      viewport.reveal(place.row, toX(scale, place.bar.from), toX(scale, place.bar.to ?? now), axisHeight);
    },
    [scale, now],
  );
  useStartAt(query, view, places, viewport.width.value > 1 ? reveal : undefined, (row) => viewport.reveal(row, 0, 0, axisHeight));
  useLayoutEffect(() => {
    if (toFocus.current === undefined) return;
    barElement(frame.current, toFocus.current)?.focus({ preventScroll: true });
    toFocus.current = undefined;
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turnId = turnAt(event.target);
    const next = turnId === undefined ? undefined : places.next(turnId, event.key);
    if (next !== undefined) {
      toFocus.current = next.bar.turnId;
      setFocused(next.bar.turnId);
      setFocusShown(true);
      reveal(next);
    } else if (event.key === ' ' && turnId !== undefined) setQuery({ turn: turnId === selected ? '' : turnId });
    else if (event.key === 'Escape' && (selected !== undefined || isFocusShown)) {
      // Escape first clears marks and the card; the next press leaves the view.
      setFocusShown(false);
      setQuery({ turn: '' });
    } else if (!event.key.startsWith('Arrow') || turnId === undefined) return;
    event.preventDefault();
  };

  const window = viewport.window.value;
  const first = Math.min(window.firstRow, Math.max(0, view.lanes.length - 1));
  const rowsShown = view.lanes.map((_, row) => row).slice(first, window.lastRow + 1);
  const keptPlaces = [focused, selected].flatMap((turnId) => places.find(turnId) ?? []);
  for (const { row } of keptPlaces) if (!rowsShown.includes(row)) rowsShown.push(row);
  const drawn = rowsShown.flatMap((row) => (view.lanes[row] === undefined ? [] : [{ row, agent: view.lanes[row] }]));
  const marks = marksOf(
    drawn.map(({ row, agent }) => ({ bars: agent.bars, kept: keptIn(keptPlaces, row) })),
    { scale, fromX: window.fromX, untilX: window.untilX, now },
    mostMarks,
  );
  const firstBar = marks.flat().find((mark) => mark.kind === 'turn')?.bar.turnId;
  const tabStop = places.find(current) === undefined ? firstBar : current;
  useTimelineKeys({
    enter: () => barElement(frame.current, tabStop ?? '')?.focus(),
    zoomBy: (factor) => camera.zoomBy(factor, keyboardPlace(frame.current, focused)),
    showAll: camera.showAll,
  });
  const shown = hovered ?? (isFocusShown ? focused : undefined);
  const shownPlace = places.find(shown);
  const active = shown ?? selected;
  const links = allCauses ? view.links : active === undefined ? [] : places.linksOf(active);
  const middle = isNarrow ? 32 : 14;
  const height = view.lanes.length * rowHeight;
  const axis = { view, scale, window, now, labelWidth };

  return (
    <div class={`timeline ${isNarrow ? 'is-narrow' : ''}`} ref={frame}>
      <TimelineToolbar {...{ view, camera, allCauses, setAllCauses, foldsIdle, setFoldsIdle }} />
      <div
        ref={scroller}
        class="timeline-scroller panel"
        onScroll={camera.scrolled}
        onKeyDown={onKeyDown}
        onPointerOver={(event) => setHovered(event.pointerType === 'touch' ? undefined : turnAt(event.target))}
        onPointerLeave={() => setHovered(undefined)}
        onFocusIn={(event) => {
          const turnId = turnAt(event.target);
          if (turnId !== undefined) setFocused(turnId);
          setFocusShown(turnId !== undefined && event.target instanceof Element && event.target.matches(':focus-visible'));
        }}
        onFocusOut={() => setFocusShown(false)}
        onClick={(event) => {
          // Marks the turn, for the way back.
          const turnId = turnAt(event.target);
          if (turnId !== undefined) setQuery({ turn: turnId });
        }}
      >
        <div class="timeline-world" style={{ width: `${labelWidth + scale.width}px`, height: `${axisHeight + height}px` }}>
          <TimeAxis {...axis} expand={(from) => setExpanded(new Set([...expanded, from]))} />
          <TimeLines {...axis} />
          <div class="timeline-rows" role="list" aria-label="Agents and their turns" style={{ height: `${height}px` }}>
            {drawn.map(({ agent, row }, index) => (
              <TimelineRowView
                key={agent.agentId}
                {...{ agent, row, scale, now, runId, selected }}
                rows={view.lanes.length}
                top={row * rowHeight}
                marks={marks[index] ?? []}
                current={tabStop}
                isMarked={query['agent'] === agent.agentId}
                zoomTo={camera.zoomTo}
              />
            ))}
            <CauseArrows
              {...{ links, places, scale, now, window, height }}
              highlighted={active}
              left={labelWidth}
              middleOf={(row) => row * rowHeight + middle}
            />
          </div>
        </div>
      </div>
      {shownPlace !== undefined && (
        <TurnCard
          place={shownPlace}
          origin={view.from}
          now={now}
          anchor={() => barElement(frame.current, shownPlace.bar.turnId)?.getBoundingClientRect()}
        />
      )}
    </div>
  );
}

/** Scrolls to the turn or agent in the address, once. */
function useStartAt(
  query: RouteQuery,
  view: Timeline,
  places: TurnPlaces,
  reveal: ((place: TurnPlace) => void) | undefined,
  revealRow: (row: number) => void,
): void {
  const done = useRef<string | undefined>(undefined);
  const wanted = `${query['turn'] ?? ''} ${query['agent'] ?? ''}`;
  useEffect(() => {
    if (done.current === wanted || reveal === undefined) return;
    done.current = wanted;
    const place = places.find(query['turn']);
    const row = view.lanes.findIndex(({ agentId }) => agentId === query['agent']);
    if (place !== undefined) reveal(place);
    else if (row >= 0) revealRow(row);
  });
}

function keptIn(places: readonly TurnPlace[], row: number): readonly number[] {
  return [...new Set(places.filter((place) => place.row === row).map(({ index }) => index))];
}

function turnAt(target: EventTarget | null): string | undefined {
  const bar = target instanceof Element ? target.closest<HTMLElement>('[data-turn]') : null;
  return bar?.dataset['turn'];
}

function barElement(frame: HTMLElement | null, turnId: string): HTMLElement | undefined {
  return frame?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(turnId)}"]`) ?? undefined;
}

/** Returns the place of the focused turn, around which keys zoom. */
function keyboardPlace(frame: HTMLElement | null, turnId: string | undefined): number | undefined {
  return turnId === undefined ? undefined : barElement(frame, turnId)?.getBoundingClientRect().left;
}
