import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';

/** State shared by the parts of a turn's view. */
export interface TurnScope {
  readonly record: TurnRecord;
  /** Place whose source is shown. */
  readonly asked: WhyPlace | undefined;
  /** True when the place was not clicked: the view must scroll to it. */
  readonly isFar: boolean;
  /** Shows the source of the text at a place; `from` gets the focus back. */
  readonly ask: (place: WhyPlace, from?: HTMLElement) => void;
}

/** The turn of a component. */
export const TurnContext = createContext<TurnScope | undefined>(undefined);

/** Returns the turn of this component. */
export function useTurn(): TurnScope {
  const scope = useContext(TurnContext);
  if (scope === undefined) throw new Error('this component must be inside a turn view');
  return scope;
}
