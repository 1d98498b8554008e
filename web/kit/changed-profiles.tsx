import { useEffect } from 'preact/hooks';
import { keepServerInfo, serverInfo } from '../data/server-info.ts';
import { toVisibleText } from './visible-text.ts';

const shown = 3;

/** A note that profiles on disk differ from those that new runs use; nothing otherwise. */
export function ChangedProfiles() {
  useEffect(keepServerInfo, []);
  const changed = serverInfo.value?.changedProfiles ?? [];
  if (changed.length === 0) return null;
  const more = changed.length > shown ? `, and ${changed.length - shown} more` : '';
  const problem = serverInfo.value?.profileProblem;
  if (problem !== undefined)
    return (
      <div role="alert" class="changed-profiles">
        Profiles could not be loaded; new runs still use those before.
        <pre class="problem">{toVisibleText(problem)}</pre>
      </div>
    );
  return (
    <p role="status" class="changed-profiles" title={changed.map(toVisibleText).join('\n')}>
      Profiles changed on disk: {changed.slice(0, shown).map(toVisibleText).join(', ')}
      {more}. New runs still use the loaded ones; restart the server to load the changes.
    </p>
  );
}
