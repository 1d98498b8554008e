import type { Engine } from '../../engine/engine.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { formatRerendering } from '../../inspect/format/format-rerendering.ts';
import type { FormatOptions } from '../../inspect/format/text/text-style.ts';

/** Most runs whose turns are decided again with the new profiles. */
const mostRuns = 3;
/** Most turns that are shown in full. */
const mostTurns = 2;

/**
 * Loads the changed profiles into the engine and returns what to tell: which files, and which recorded turns of the newest runs they would
 * have changed. No model is called. Fails with PROFILE_INVALID, and then the engine launches with the profiles before.
 */
export async function reloadProfiles(
  engine: Engine,
  folder: string,
  { changed, format }: { readonly changed: readonly string[]; readonly format: FormatOptions },
): Promise<string> {
  const { profiles } = await engine.reload(folder);
  const runs = await engine.runs();
  const working = runs.filter(({ status, runId }) => status === 'running' && engine.live(runId) !== undefined).length;
  const keep = working === 0 ? '' : ` ${countText(working, 'run')} in progress keep the profiles before.`;
  const names = changed.map((name) => safe(name, 200)).join(', ');
  const loaded = `Loaded ${names}: ${countText(profiles.size, 'profile')}, for new runs.${keep}\n`;
  const newest = runs.filter(({ isImported }) => isImported !== true).slice(0, mostRuns);
  if (newest.length === 0) return loaded;
  const result = await engine.rerender(newest.map(({ runId }) => runId));
  const shown = { ...result, differences: result.differences.slice(0, mostTurns) };
  return `${loaded}${formatRerendering(shown, format)}`;
}
