import { useEffect, useState } from 'preact/hooks';
import { getJson } from './api.ts';

/** The answer of the server to a request: loading, there, or a problem. */
export type Answered<Answer> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'there'; readonly answer: Answer }
  | { readonly kind: 'problem'; readonly message: string };

/** Gets JSON from the server, again when the address or `round` changes; meanwhile, keeps the answer to the same address. */
export function useAnswer<Answer>(path: string, round = 0): Answered<Answer> {
  const [state, setState] = useState<{ readonly path: string; readonly found: Answered<Answer> }>();
  useEffect(() => {
    const abort = new AbortController();
    const settle = (found: Answered<Answer>): void => {
      if (!abort.signal.aborted) setState({ path, found });
    };
    getJson<Answer>(path, abort.signal).then(
      (answer) => settle({ kind: 'there', answer }),
      (thrown: unknown) => settle({ kind: 'problem', message: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
    return () => abort.abort();
  }, [path, round]);
  return state?.path === path ? state.found : { kind: 'loading' };
}
