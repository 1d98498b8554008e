import { useEffect, useRef, useState } from 'preact/hooks';
import { type PendingRequest, pendingOf } from '../../src/core/state/pending.ts';
import { type RequestCard, requestCards } from '../../src/inspect/requests/request-card.ts';
import { useRun, useView } from '../run/page-run.ts';

/** A pending request with its card, once that is loaded. */
export interface PendingCard {
  readonly request: PendingRequest;
  readonly card: RequestCard | undefined;
  /** Names the content of the card: changes whenever it does. */
  readonly shown: string;
}

/** Cards of the pending requests. */
export interface Cards {
  readonly pending: readonly PendingCard[];
  /** Reason why cards could not be loaded. */
  readonly problem: string | undefined;
  /** Loads the cards again; true when the card of this request still is as it was shown. */
  readonly isStill: (shown: PendingCard) => Promise<boolean>;
}

/** Loads the cards of the pending requests, again whenever others are pending, and keeps those whose request is the same. */
export function useCards(): Cards {
  const store = useRun();
  const pending = useView(pendingOf).value ?? [];
  const connection = store.connection.value.kind;
  const [cards, setCards] = useState<readonly RequestCard[]>([]);
  const [problem, setProblem] = useState<string | undefined>();
  const latest = useRef(0);
  const asked = pending.map(({ id }) => id).join('\n');
  const load = async (): Promise<readonly RequestCard[]> => {
    const own = ++latest.current;
    const { state, contents } = store;
    const found = (await store.cards()) ?? (state === undefined ? [] : requestCards(state, { content: contents.read }));
    if (own === latest.current) setCards(found);
    return found;
  };
  useEffect(() => {
    if (asked === '') return;
    load().then(
      () => setProblem(undefined),
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  }, [asked, connection]);
  const find = (among: readonly RequestCard[], request: PendingRequest): RequestCard | undefined =>
    among.find(({ id }) => id === request.id);
  const isStill = async ({ request, shown }: PendingCard): Promise<boolean> => contentOf(find(await load(), request)) === shown;
  return {
    // Oldest first: a new request never moves the one that is being read.
    pending: pending
      .toSorted((one, other) => one.since - other.since)
      .map((request) => {
        const card = find(cards, request);
        return { request, card, shown: contentOf(card) };
      }),
    problem,
    isStill,
  };
}

/** Pure cache: by card, which never changes. */
const contents = new WeakMap<RequestCard, string>();

function contentOf(card: RequestCard | undefined): string {
  if (card === undefined) return '';
  let content = contents.get(card);
  if (content === undefined) contents.set(card, (content = JSON.stringify(card)));
  return content;
}
