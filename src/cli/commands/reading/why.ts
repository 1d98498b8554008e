import { CadreError } from '../../../core/error.ts';
import { type WhyAnswer, isKnownWhole } from '../../../inspect/why/why.ts';
import type { ExitCode } from '../../exit-code.ts';
import { formatAnswers } from '../../terminal/format-answers.ts';
import { matchTurns, findTurn, looksLikeTurn } from '../../runs/find-turn.ts';
import type { RecordedRun } from '../../runs/recorded-run.ts';
import { openRecordedTurn } from '../../runs/recorded-turn.ts';
import { parsePlace } from '../../../inspect/why/why-place.ts';
import { show, showRun, type ReadingOptions, type Shown } from '../../runs/show.ts';
import type { RunContext } from '../../../core/state/run-context.ts';
import { readFileSync, statSync } from 'node:fs';
import { isJsonObject } from '../../../core/json.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { maxFileBytes } from '../../../profiles/files/file-limits.ts';

/** Shows the provenance of a text in a prompt or reply; without a turn, in the newest turn that contains it. */
export async function whyCommand(
  run: string,
  words: readonly string[],
  options: ReadingOptions & { readonly at?: string },
): Promise<ExitCode> {
  // A full chain of causes needs the whole run.
  const isShort = options.at === undefined && options.json !== true && options.full !== true;
  const near = isShort ? await askNearby(run, words, options) : undefined;
  if (near !== undefined) return show(near, options);
  return await showRun(run, options, async (recorded) => {
    if (options.at !== undefined) return await atPlace(recorded, words, options.at);
    const { turn, text } = readWords(recorded, words);
    const { answers, searched } =
      turn === undefined ? await searchTurns(recorded, text) : { answers: await recorded.why(turn, text), searched: undefined };
    return answers.length === 0 && searched !== undefined
      ? { data: answers, code: 1, text: () => notFound(recorded, searched) }
      : shown(recorded, answers);
  });
}

/**
 * Returns the answers from the named turn, or the last one, without reading the rest of the run; undefined when the text does not match
 * exactly, or when its origin lies outside the events read.
 */
async function askNearby(
  run: string,
  [first = '', ...rest]: readonly string[],
  options: ReadingOptions,
): Promise<Shown | undefined> {
  const isNamed = rest.length > 0 && looksLikeTurn(first);
  const text = isNamed ? rest.join(' ') : [first, ...rest].join(' ');
  if (text.trim() === '') return undefined;
  using near = await openRecordedTurn(options.store, run, isNamed ? first : 'last');
  const answers = (await near?.run.why(near.turnId, text)) ?? [];
  return near !== undefined && answers[0]?.match === 'exact' && answers.every(isKnownWhole) ? shown(near.run, answers) : undefined;
}

/** Shows answers, and which of the files they name have changed since the run. */
function shown(recorded: RecordedRun, answers: readonly WhyAnswer[]): Shown {
  // The journal is closed when the text is made.
  const changed = changedFiles(recorded, answers);
  return {
    data: answers,
    code: answers.length === 0 ? 1 : 0,
    text: (format) => `${formatAnswers(answers, format)}${changed}`,
  };
}

/** Shows the provenance of a place in the turn that the words name. */
async function atPlace(recorded: RecordedRun, words: readonly string[], at: string): Promise<Shown> {
  const place = parsePlace(at);
  if (place === undefined || words.length > 1) {
    const message =
      place === undefined
        ? `--at ${at} is not a place; it takes 120-180 (of the prompt), reply:0-40, reasoning:0-9 or tool_call[0]:0-9`
        : 'with --at, name only the turn';
    throw new CadreError('OPTION_INVALID', message, { details: { at } });
  }
  const answer = await recorded.whyAt(findTurn(recorded.state, words[0] ?? ''), place);
  return shown(recorded, answer === undefined ? [] : [answer]);
}

/** Splits the arguments: a first word that names a turn is the turn when more words follow; the rest is the text. */
function readWords(recorded: RecordedRun, words: readonly string[]): { readonly turn?: string; readonly text: string } {
  const [first = '', ...rest] = words;
  if (rest.length > 0 && matchTurns(recorded.state, first).length > 0)
    return { turn: findTurn(recorded.state, first), text: rest.join(' ') };
  const text = words.join(' ');
  if (text.trim() === '') throw new CadreError('OPTION_INVALID', 'the text to search for is empty; name a few words of it');
  return { text };
}

/** Maximum estimated prompt tokens searched, which takes seconds; all prompts of a long history could take hours. */
const maxTokens = 10_000_000;

/** Result of searching the turns of a run. */
interface TurnSearch {
  /** Answers of the newest turn with an exact match, else of the newest that matches apart from white space or case. */
  readonly answers: readonly WhyAnswer[];
  /** Number of newest turns searched. */
  readonly searched: number;
}

/** Searches the turns of a run for a text, newest first, until an exact match or `limit` prompt tokens. */
export async function searchTurns(
  recorded: { readonly state: Pick<RunContext, 'turns'>; why(turnId: string, text: string): Promise<readonly WhyAnswer[]> },
  text: string,
  limit = maxTokens,
): Promise<TurnSearch> {
  let best: readonly WhyAnswer[] = [];
  let searched = 0;
  let tokens = 0;
  for (const { turnId, start } of [...recorded.state.turns.values()].toReversed()) {
    tokens += start.prompt?.tokens ?? 0;
    if (searched > 0 && tokens > limit) break;
    searched += 1;
    const answers = await recorded.why(turnId, text);
    if (answers[0]?.match === 'exact') return { answers, searched };
    if (best.length === 0) best = answers;
  }
  return { answers: best, searched };
}

/** Returns the message for a text that was not found, with the searched range. */
export function notFound({ state }: Pick<RecordedRun, 'state'>, searched: number): string {
  const { size } = state.turns;
  const where = searched < size ? `the newest ${searched} of the ${size} turns` : `the ${size} turns`;
  const more = searched < size ? '. To search further back, name a turn: cadre why RUN TURN TEXT' : '.';
  return `Not found: no prompt or reply of ${where} of run ${state.meta.runId} contains the text${more}\n`;
}

const shownHash = 8;

/**
 * Returns lines that name the files of an answer which differ on disk from the version that the run has: line numbers are those of that
 * version. Empty when all are the same, or not here.
 */
export function changedFiles({ state, files }: Pick<RecordedRun, 'state' | 'files'>, answers: unknown): string {
  const recorded = new Map(files.map(({ path, text }) => [path, text]));
  const version = state.meta.profiles.slice(0, shownHash);
  return [...filesIn(answers)]
    .toSorted()
    .flatMap((file) => {
      const before = recorded.get(file);
      const now = before === undefined ? undefined : textOf(file);
      if (now === undefined || now === before) return [];
      return [`${safe(file, 500)} has changed since; lines are those of the run's profiles (version ${version}).\n`];
    })
    .join('');
}

/** Returns the files of all places in a value: `{ file, line, … }`. */
function filesIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const part of value as readonly unknown[]) filesIn(part, found);
  else if (isJsonObject(value)) {
    if (typeof value['file'] === 'string' && typeof value['line'] === 'number') found.add(value['file']);
    for (const part of Object.values(value)) filesIn(part, found);
  }
  return found;
}

function textOf(file: string): string | undefined {
  try {
    // The journal names the file: it may be anything, such as a pipe that never ends.
    const stats = statSync(file);
    return stats.isFile() && stats.size <= maxFileBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    // The profiles are elsewhere: nothing can be said about them.
    return undefined;
  }
}
