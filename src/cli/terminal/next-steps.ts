import { contentText } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { thisCommand } from '../options/this-command.ts';

const maxQuoted = 48;
/** Long enough to stand in few other places. */
const telling = 24;

/** The commands that look into a run, ready to be typed: its turns, the last turn of its root agent, and where a sentence came from. */
export function nextSteps(run: RunContext, store: string | undefined): readonly string[] {
  const { runId } = run.meta;
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  const turnId = root?.turn.lastId ?? [...run.turns.keys()].at(-1);
  const commands = [thisCommand(['turns', runId], store)];
  if (turnId === undefined) return commands;
  commands.push(thisCommand(['turn', runId, turnId], store));
  const quote = quotable(root?.turn.lastReply ?? '', run);
  if (quote !== undefined) commands.push(thisCommand(['why', runId, turnId, quote], store));
  return commands;
}

/**
 * A stretch of a reply that is easy to type in any shell: the first words of a line. Best is one that a tool brought, since its answer
 * tells the way from there; a heading, or words of the question, only when there is nothing else.
 */
function quotable(reply: string, run: RunContext): string | undefined {
  const lines = reply.split('\n');
  const stretches = [...lines.filter((line) => !line.startsWith('#')), ...lines].flatMap((line) => {
    const words = /[A-Za-z][A-Za-z0-9 ,.-]{7,}/.exec(line)?.[0].trim();
    return words === undefined ? [] : [shortened(words)];
  });
  const question = JSON.stringify(run.meta.input);
  const asked = stretches.filter((words) => !question.includes(words));
  const long = asked.filter((words) => words.length >= telling);
  // The name of a file is no sentence.
  const sentences = long.filter((words) => words.split(' ').length > 3);
  for (const results of resultTexts(run)) {
    const found = sentences.find((words) => results.some((text) => text.includes(words)));
    if (found !== undefined) return found;
  }
  return sentences[0] ?? long[0] ?? asked[0] ?? stretches[0];
}

function shortened(words: string): string {
  if (words.length <= maxQuoted) return words;
  const end = words.lastIndexOf(' ', maxQuoted);
  return words.slice(0, end < 0 ? maxQuoted : end);
}

/** What tools brought: first to agents that had nobody work for them, which is nearest to the source, then to the others. */
function resultTexts({ agents }: RunContext): readonly (readonly string[])[] {
  const all = [...agents.values()];
  const leaves = all.filter(({ children }) => children.length === 0);
  return [leaves, all].map((some) =>
    some.flatMap(({ history: { messages } }) =>
      messages.flatMap((message) =>
        message.role === 'tool' ? message.content.map(({ output }) => contentText(output.value)) : [],
      ),
    ),
  );
}
