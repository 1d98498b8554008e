import type { RunState } from '../core/state.ts';
import { thisCommand } from './this-command.ts';

const maxQuoted = 48;

/** The commands that look into a run, ready to be typed: its turns, the last turn of its root agent, and where a sentence came from. */
export function nextSteps(run: RunState, store: string | undefined): readonly string[] {
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

/** A stretch of a text that is easy to type in any shell: the first words of its first line that has some. */
function quotable(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const words = /[A-Za-z][A-Za-z0-9 ,.-]{7,}/.exec(line)?.[0];
    if (words === undefined) continue;
    const cut = words.length <= maxQuoted ? words : words.slice(0, words.lastIndexOf(' ', maxQuoted));
    if (cut.trim() !== '') return cut.trim();
  }
  return undefined;
}
