import { contentText } from '../../core/prompt/message.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { thisCommand } from '../options/this-command.ts';

const maxQuoted = 48;
/** Characters from which a quotation is likely to be unique. */
const distinctLength = 24;

/** Returns commands for inspecting a run, ready to type: its turns, the root agent's last turn, and the provenance of a sentence. */
export function nextSteps(run: RunContext, store: string | undefined): readonly string[] {
  const { runId } = run.meta;
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  const turnId = root?.turn.lastId ?? [...run.turns.keys()].at(-1);
  const commands = [thisCommand(['turns', runId], store)];
  if (turnId === undefined) return commands;
  commands.push(thisCommand(['turn', runId, turnId], store));
  const quote = quotationFrom(root?.turn.lastReply ?? '', run);
  if (quote !== undefined) commands.push(thisCommand(['why', runId, turnId, quote], store));
  return commands;
}

/**
 * Picks a quotation from a reply that is easy to type in any shell: the first words of a line. Prefers text from a tool result, whose
 * provenance is the most instructive; uses a heading or words of the question only as a last resort.
 */
function quotationFrom(reply: string, run: RunContext): string | undefined {
  const lines = reply.split('\n');
  const stretches = [...lines.filter((line) => !line.startsWith('#')), ...lines].flatMap((line) => {
    const words = /[A-Za-z][A-Za-z0-9 ,.-]{7,}/.exec(line)?.[0].trim();
    return words === undefined ? [] : [shortened(words)];
  });
  const question = JSON.stringify(run.meta.input);
  const asked = stretches.filter((words) => !question.includes(words));
  const long = asked.filter((words) => words.length >= distinctLength);
  // Skips file names.
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

/** Returns tool results: those of agents without children first, which are nearest to the source, then all. */
function resultTexts({ agents }: RunContext): readonly (readonly string[])[] {
  const all = [...agents.values()];
  const leaves = all.filter(({ children }) => children.length === 0);
  return [leaves, all].map((group) =>
    group.flatMap(({ history: { messages } }) =>
      messages.flatMap((message) =>
        message.role === 'tool' ? message.content.map(({ output }) => contentText(output.value)) : [],
      ),
    ),
  );
}
