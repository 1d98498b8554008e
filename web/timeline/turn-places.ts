import type { Timeline, TimelineRow } from '../../src/inspect/timeline/timeline.ts';
import type { TimelineBar } from '../../src/inspect/timeline/timeline-bar.ts';
import type { TimelineLink } from '../../src/inspect/timeline/timeline-turns.ts';
import { lastAtOrBefore } from './time-scale.ts';

/** Place of a turn on the timeline. */
export interface TurnPlace {
  readonly agent: TimelineRow;
  readonly row: number;
  readonly bar: TimelineBar;
  readonly index: number;
}

/** Index of the turns on a timeline and of their causes. */
export class TurnPlaces {
  readonly #view: Timeline;
  #places: Map<string, TurnPlace> | undefined;
  #links: Map<string, TimelineLink[]> | undefined;

  constructor(view: Timeline) {
    this.#view = view;
  }

  /** Returns the place of a turn; undefined when there is none. */
  find(turnId: string | undefined): TurnPlace | undefined {
    if (turnId === undefined) return undefined;
    this.#places ??= placesOf(this.#view);
    return this.#places.get(turnId);
  }

  /** Returns the links from the causes of a turn and to its effects. */
  linksOf(turnId: string): readonly TimelineLink[] {
    this.#links ??= linksByTurn(this.#view.links);
    return this.#links.get(turnId) ?? [];
  }

  /** Returns the turn a key leads to: the next one in a row, or the nearest in time in another row. */
  next(from: string | undefined, key: string): TurnPlace | undefined {
    const at = this.find(from);
    if (at === undefined) return this.#inRow(0, 1, this.#view.from);
    const { agent, row, index, bar } = at;
    switch (key) {
      case 'ArrowRight':
        return this.find(agent.bars[index + 1]?.turnId);
      case 'ArrowLeft':
        return this.find(agent.bars[index - 1]?.turnId);
      case 'Home':
        return this.find(agent.bars[0]?.turnId);
      case 'End':
        return this.find(agent.bars.at(-1)?.turnId);
      case 'ArrowDown':
        return this.#inRow(row + 1, 1, bar.from);
      case 'ArrowUp':
        return this.#inRow(row - 1, -1, bar.from);
      default:
        return undefined;
    }
  }

  /** Returns the turn nearest to a time in the first row from `row` on that has turns. */
  #inRow(row: number, step: 1 | -1, time: number): TurnPlace | undefined {
    for (let at = row; ; at += step) {
      const agent = this.#view.lanes[at];
      if (agent === undefined) return undefined;
      const index = lastAtOrBefore(agent.bars, (bar) => bar.from, time);
      const [before, after] = [agent.bars[index], agent.bars[index + 1]];
      if (before === undefined) continue;
      const isAfter = after !== undefined && after.from - time < Math.abs(time - before.from);
      return this.find((isAfter ? after : before).turnId);
    }
  }
}

function placesOf(view: Timeline): Map<string, TurnPlace> {
  const places = new Map<string, TurnPlace>();
  view.lanes.forEach((agent, row) => {
    agent.bars.forEach((bar, index) => places.set(bar.turnId, { agent, row, bar, index }));
  });
  return places;
}

function linksByTurn(links: readonly TimelineLink[]): Map<string, TimelineLink[]> {
  const byTurn = new Map<string, TimelineLink[]>();
  for (const link of links) {
    for (const turnId of new Set([link.from, link.to])) {
      const list = byTurn.get(turnId);
      if (list === undefined) byTurn.set(turnId, [link]);
      else list.push(link);
    }
  }
  return byTurn;
}
