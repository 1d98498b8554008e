import type { Journal, RunSummary } from '../../core/events/journal.ts';
import { describeThrown } from '../../core/error.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { conversation } from '../../inspect/conversation.ts';
import { formatOverview } from '../../inspect/format/format-overview.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { runOverview } from '../../inspect/run-overview.ts';
import { thisCommand } from '../options/this-command.ts';

/** Most runs that are described, messages of each, and characters of each message. */
const mostRuns = 10;
const mostWords = 3;
const longestWords = 2_000;

/**
 * Describes the runs of a journal that this machine did not record, for a person who decides whether they continue: those at work, and
 * the one that a command names. Reads them from their events, whatever else the journal says of them.
 */
export async function historyText(journal: Journal, foreign: readonly RunSummary[], named?: RunId): Promise<string> {
  const shown = foreign
    .filter(({ runId, outcome, status }) => runId === named || (outcome === undefined && status !== 'idle'))
    .toSorted((a, b) => Number(b.runId === named) - Number(a.runId === named));
  const texts: string[] = [];
  for (const summary of shown.slice(0, mostRuns)) texts.push(await runText(journal, summary));
  const more = shown.length - mostRuns;
  const rest = foreign.length - shown.length;
  return [
    `Cadre on this machine did not record these runs of ${safe(journal.location, 1_000)}, or others changed them:`,
    ...texts,
    ...(more > 0 ? [`  and ${countText(more, 'other run')} at work; read them with: ${thisCommand(['runs'])}`] : []),
    ...(rest > 0 ? [`  and ${countText(rest, 'run')} at rest, which continue only when asked to`] : []),
  ].join('\n');
}

async function runText(journal: Journal, { runId }: RunSummary): Promise<string> {
  let state: RunContext | undefined;
  try {
    state = foldEvents(await journal.read(runId), 'everything');
  } catch (thrown) {
    return `  Run ${safe(runId)} cannot be read: ${safe(describeThrown(thrown), 500)}`;
  }
  if (state === undefined) return `  Run ${safe(runId)} cannot be read: it does not begin with run.start`;
  const profiles = [...new Set([...state.agents.values()].map(({ meta }) => meta.profile))];
  const lines = [
    ...formatOverview(runOverview(state)).trimEnd().split('\n'),
    `profiles ${safe(profiles.join(', '), 1_000)}`,
    ...lastWords(state),
  ];
  return lines.map((line) => `  ${line}`).join('\n');
}

/** Returns what was said to the run last, oldest first: this is what its agents act on. */
function lastWords(state: RunContext): readonly string[] {
  const said = conversation(state).flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []));
  return said.slice(-mostWords).flatMap((text) => {
    const more = text.length - longestWords;
    const shown = toTerminalText(text.slice(0, longestWords), { maxLine: longestWords, maxLines: 40 });
    const left = more > 0 ? [`  … ${more} more characters`] : [];
    return ['last words, to an agent:', ...shown.split('\n').map((line) => `  ${line}`), ...left];
  });
}
