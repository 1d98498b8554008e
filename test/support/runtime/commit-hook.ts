import type { Journal } from '../../../src/core/events/journal.ts';

/** Side of a commit. */
export type CommitSide = 'before' | 'after';

/** Returns a journal that calls back before and after each of its commits. */
export function withCommitHook(inner: Journal, hook: (side: CommitSide) => void): Journal {
  const append: Journal['append'] = async (lease, commit) => {
    hook('before');
    await inner.append(lease, commit);
    hook('after');
  };
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
