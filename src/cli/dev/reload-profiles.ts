import { describeThrown } from '../../core/error.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { formatRerendering } from '../../inspect/format/format-rerendering.ts';
import { newWarningsText } from '../terminal/loading-warnings.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { refreshSchemas } from './refresh-schemas.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
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
  const before = engine.warnings;
  const { profiles, warnings } = await engine.reload(folder);
  const fresh = newWarningsText(before, warnings, openTerminal().errorStyle);
  const schemas = await schemasLine(folder);
  const runs = await engine.runs();
  const working = runs.filter(({ status, runId }) => status === 'running' && engine.live(runId) !== undefined).length;
  const keep = working === 0 ? '' : ` ${countText(working, 'run')} in progress keep the profiles before.`;
  const names = changed.map((name) => safe(name, 200)).join(', ');
  const loaded = `Loaded ${names}: ${countText(profiles.size, 'profile')}, for new runs.${keep}${schemas}\n${fresh}`;
  const newest = runs.filter(({ isImported }) => isImported !== true).slice(0, mostRuns);
  if (newest.length === 0) return loaded;
  return `${loaded}${await rerenderText(engine, newest, format)}`;
}

/** Keeps the schemas of editors fresh, and says so. Profiles are loaded also when that fails. */
export async function schemasLine(folder: string): Promise<string> {
  try {
    const written = await refreshSchemas(folder);
    return written.length === 0 ? '' : ` ${countText(written.length, 'schema')} for editors written.`;
  } catch (thrown) {
    return ` Schemas for editors could not be written: ${safe(describeThrown(thrown), 500)}.`;
  }
}

/** A run that cannot be decided again, such as a damaged one, says so; the profiles are loaded in any case. */
async function rerenderText(engine: Engine, runs: readonly RunSummary[], format: FormatOptions): Promise<string> {
  try {
    const result = await engine.rerender(runs.map(({ runId }) => runId));
    return formatRerendering({ ...result, differences: result.differences.slice(0, mostTurns) }, format);
  } catch (thrown) {
    return `Recorded turns were not compared: ${toTerminalText(describeThrown(thrown), { maxLine: 2_000, maxLines: 20 })}\n`;
  }
}
