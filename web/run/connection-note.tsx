import { toVisibleText } from '../kit/visible-text.ts';
import { useRun } from './run-context.ts';

/** Where the events come from at the moment, in words. */
export function ConnectionNote() {
  const connection = useRun().connection.value;
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
      return <Note tone="good" words="live" />;
    case 'over':
      return <Note tone="calm" words="" />;
    case 'lost':
      return <Note tone="bad" words="the server does not answer; it is asked again" />;
  }
}

function Note({ tone, words }: { readonly tone: string; readonly words: string }) {
  return (
    <span role="status" class={`connection tone-${tone}`}>
      {words}
    </span>
  );
}
