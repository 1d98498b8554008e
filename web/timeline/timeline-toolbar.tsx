import type { Timeline } from '../../src/inspect/timeline/timeline.ts';
import { countText, durationText } from '../../src/inspect/format/text/quantity-text.ts';
import { setQuery } from '../routing/router.ts';
import type { Camera } from './use-camera.ts';
import { partWords } from './turn-words.ts';

/** Controls of the timeline, and the legend of its colours. */
export function TimelineToolbar(props: {
  readonly view: Timeline;
  readonly camera: Camera;
  readonly allCauses: boolean;
  readonly setAllCauses: (all: boolean) => void;
  readonly foldsIdle: boolean;
  readonly setFoldsIdle: (folds: boolean) => void;
}) {
  const { view, camera, allCauses, setAllCauses, foldsIdle, setFoldsIdle } = props;
  const turns = view.lanes.reduce((sum, { bars }) => sum + bars.length, 0);
  const waits = view.lanes.some(({ bars }) => bars.some(({ parts }) => parts.some(({ kind }) => kind === 'person')));
  const following = camera.viewport.following.value;
  return (
    <div class="timeline-bar">
      <p class="faint number">
        {countText(view.lanes.length, 'agent')}, {countText(turns, 'turn')}, {durationText(view.to - view.from)}
      </p>
      <div class="timeline-zoom" role="group" aria-label="Zoom">
        <button
          type="button"
          aria-label="zoom out"
          title="zoom out (−)"
          disabled={camera.isAll}
          onClick={() => camera.zoomBy(1 / 1.6)}
        >
          −
        </button>
        <button type="button" title="show all of the run (0)" aria-pressed={camera.isAll} onClick={camera.showAll}>
          fit
        </button>
        <button type="button" aria-label="zoom in" title="zoom in (+)" onClick={() => camera.zoomBy(1.6)}>
          +
        </button>
        {view.live && (
          <button type="button" class="live-button" aria-pressed={following} title="follow the run" onClick={camera.follow}>
            live
          </button>
        )}
      </div>
      <label>
        <input type="checkbox" checked={allCauses} onChange={(event) => setAllCauses(event.currentTarget.checked)} /> all causes
      </label>
      {view.breaks.length > 0 && (
        <label>
          <input type="checkbox" checked={foldsIdle} onChange={(event) => setFoldsIdle(event.currentTarget.checked)} /> fold idle
          time
        </label>
      )}
      <TableSwitch isTable={false} />
      <ul class="legend faint" aria-label="Parts of a turn">
        {Object.entries(partWords).map(
          ([kind, words]) =>
            (kind !== 'person' || waits) && (
              <li key={kind}>
                <i class={`swatch is-${kind}`} /> {words}
              </li>
            ),
        )}
      </ul>
    </div>
  );
}

/** Switch between the chart and a table. */
export function TableSwitch({ isTable }: { readonly isTable: boolean }) {
  return (
    <button type="button" aria-pressed={isTable} onClick={() => setQuery({ as: isTable ? '' : 'table' })}>
      as a table
    </button>
  );
}
