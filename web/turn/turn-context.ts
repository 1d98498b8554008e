import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WhyPlace } from '../../src/inspect/why/why-place.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';

/** What the parts of a turn's view share. */
export interface TurnScope {
  readonly record: TurnRecord;
  /** The place whose source is shown. */
  readonly asked: WhyPlace | undefined;
  /** It was not asked by a click on it: whoever asked has yet to be led there. */
  readonly isFar: boolean;
  /** Shows where the text at a place came from; `from` gets the focus back. */
  readonly ask: (place: WhyPlace, from?: HTMLElement) => void;
}

/** The turn a part stands in. */
export const TurnContext = createContext<TurnScope | undefined>(undefined);

/** The turn this component is a part of. */
export function useTurn(): TurnScope {
  const scope = useContext(TurnContext);
  if (scope === undefined) throw new Error('a part of a turn stands outside of one');
  return scope;
}
