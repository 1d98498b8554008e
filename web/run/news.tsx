import { useEffect, useRef, useState } from 'preact/hooks';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import type { RunOverview } from '../../src/inspect/run-overview.ts';
import { statusWord, waitsForYou } from '../../src/inspect/run-words.ts';

/** Minimum time between announcements of a running run, in milliseconds. */
const quietMs = 10_000;

/** Announces changes to screen readers: status and pending requests immediately, turns at intervals. */
export function News({ overview }: { readonly overview: RunOverview | undefined }) {
  const [words, setWords] = useState('');
  const announced = useRef({ status: '', pending: 0, turns: 0, at: 0 });
  useEffect(() => {
    if (overview === undefined) return;
    const { turns, imported } = overview;
    const pending = overview.pending.length;
    const status = statusWord({ status: overview.status, pending, isImported: imported !== undefined });
    const before = announced.current;
    const isUrgent = before.status !== status || before.pending < pending;
    if (!isUrgent && (before.turns === turns || Date.now() - before.at < quietMs)) return;
    announced.current = { status, pending, turns, at: Date.now() };
    // The initial state is on the page already.
    if (before.at === 0) return;
    const waits = pending === 0 ? '' : `, ${countText(pending, 'request')} for you`;
    setWords(`The run ${status === waitsForYou ? status : `is ${status}`}: ${countText(turns, 'turn')}${waits}.`);
  }, [overview]);
  return (
    <div class="seen-by-readers" role="status">
      {words}
    </div>
  );
}
