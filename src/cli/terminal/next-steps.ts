import type { RunContext } from '../../core/state/state.ts';
import { thisCommand } from '../options/this-command.ts';

const maxQuoted = 48;
/** Long enough to stand in few other places. */
const telling = 24;

/** The commands that look into a run, ready to be typed: its turns, the last turn of its root agent, and where a sentence came from. */
export function nextSteps(run: RunContext, store: string | undefined): readonly string[] {
  const { runId } = run.meta;
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  const turnId = root?.lastTurnId ?? [...run.turns.keys()].at(-1);
  const commands = [thisCommand(['turns', runId], store)];
  if (turnId === undefined) return commands;
  commands.push(thisCommand(['turn', runId, turnId], store));
  const quote = quotable(root?.lastReply ?? '');
  if (quote !== undefined) commands.push(thisCommand(['why', runId, turnId, quote], store));
  return commands;
}

/** A stretch of a text that is easy to type in any shell: the first words of a line that has enough of them, rather not of a heading. */
function quotable(text: string): string | undefined {
  const lines = text.split('\n');
  const stretches = [...lines.filter((line) => !line.startsWith('#')), ...lines].flatMap(
    (line) => /[A-Za-z][A-Za-z0-9 ,.-]{7,}/.exec(line)?.[0].trim() ?? [],
  );
  const words = stretches.find((stretch) => stretch.length >= telling) ?? stretches[0];
  if (words === undefined || words.length <= maxQuoted) return words;
  const end = words.lastIndexOf(' ', maxQuoted);
  return words.slice(0, end < 0 ? maxQuoted : end);
}
