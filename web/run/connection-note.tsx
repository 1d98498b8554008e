import { toVisibleText } from '../kit/visible-text.ts';
import { useRun, useView } from './page-run.ts';

/** State of the connection, in words. */
export function ConnectionNote() {
  const connection = useRun().connection.value;
  const isImported = useView((state) => state.meta.imported !== undefined).value ?? true;
  switch (connection.kind) {
    case 'failed':
      return (
        <span role="alert" class="connection problem">
          {toVisibleText(connection.message)}
        </span>
      );
    case 'loading':
      return <Note tone="calm" words="loading" />;
    case 'live':
      // An imported run cannot continue.
      return isImported ? null : <Note tone="good" words="connected" />;
    case 'over':
      return <Note tone="calm" words="" />;
    case 'lost':
      return <Note tone="bad" words="the server does not answer; retrying" />;
  }
}

function Note({ tone, words }: { readonly tone: string; readonly words: string }) {
  return (
    <span role="status" class={`connection tone-${tone}`}>
      {words}
    </span>
  );
}
