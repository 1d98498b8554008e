import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';

/** Returns the first entries of a list, and a button for more if there are more. */
export function useMany<Entry>(list: readonly Entry[], atFirst = 60): readonly [readonly Entry[], ComponentChildren] {
  const [count, setCount] = useState(atFirst);
  const left = list.length - count;
  const button = left > 0 && (
    <button type="button" class="quiet" onClick={() => setCount(count + 4 * atFirst)}>
      show more ({grouped(left)} left)
    </button>
  );
  return [left > 0 ? list.slice(0, count) : list, button];
}
