import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileReach } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { CoveredFile } from './covered-files.ts';
import type { OutsideRead } from './outside-reads.ts';

/** What a person is asked to agree to. */
export interface Asked {
  readonly reach: ProfileReach;
  readonly outside: readonly OutsideRead[];
  /** Files that the agreement covers. */
  readonly files?: readonly CoveredFile[];
  /** Request of a recorded run, and the reach of its profiles without it. */
  readonly added?: { readonly request: JsonObject; readonly usual: ProfileReach } | undefined;
}

/** Titles of the lines that a person agrees to, in their order. */
export const reachTitles: Readonly<Record<keyof ProfileReach, string>> = {
  commands: 'programs to start:',
  code: 'code to load, which runs outside the sandbox with all your permissions:',
  variables: 'variables of your environment to read:',
  destinations: 'addresses to call:',
  files: 'files otherwise kept from agents:',
  approvals: 'what they ask you, and what they let run unasked:',
  settings: 'settings of toolsets:',
};

/** Renders what a person agrees to in full: a truncated command could hide its end. Names the lines that only a run's request adds. */
export function reachText({ reach, outside, added, files = [] }: Asked): string {
  const { settings: _, ...shown } = reachTitles;
  const ofRequest = added === undefined ? '' : `of these, only with its request (${Object.keys(added.request).join(', ')}):`;
  const parts: readonly TitledLines[] = [
    ...Object.entries(shown).map(([key, title]) => ({ title, lines: reach[key as keyof typeof shown] })),
    { title: outsideTitle, lines: outside.map(({ place, what }) => `${place} (${what})`) },
    { title: safe(ofRequest, 500), lines: added === undefined ? [] : linesBeyond(reach, added.usual) },
  ].filter(({ lines }) => lines.length > 0);
  return [
    ...parts.flatMap(({ title, lines }) => [`  ${title}`, ...lines.map((line) => `    ${safe(line, line.length)}`)]),
    ...(files.length === 0 ? [] : [`  ${files.length} files in all: a change of any of them is shown and asked about`]),
    ...contentsOf(parts),
  ].join('\n');
}

/** Title of what lies outside of the folder. */
export const outsideTitle = 'folders and files outside its own folder to read:';

/** Lines of a question under their title. */
export interface TitledLines {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Lines and characters that a person sees at once. */
const linesOfScreen = 40;
const charsOfScreen = 10_000;

/** Names the parts of a long question again at its end, since the first ones, which reach most, have left the screen. */
export function contentsOf(parts: readonly TitledLines[]): readonly string[] {
  const all = parts.flatMap(({ lines }) => lines);
  const chars = all.reduce((sum, line) => sum + line.length, 0);
  if (all.length <= linesOfScreen && chars <= charsOfScreen) return [];
  return [
    '  all of this, to scroll up to:',
    ...parts.map(({ title, lines }) => `    ${lines.length} × ${title.replace(/:$/, '')}`),
  ];
}

function linesBeyond(reach: ProfileReach, usual: ProfileReach): readonly string[] {
  const known = new Set(linesOf(usual));
  return linesOf(reach).filter((line) => !known.has(line));
}

function linesOf({ commands, code, variables, destinations, files }: ProfileReach): readonly string[] {
  return [...commands, ...code, ...variables, ...destinations, ...files];
}

/** Returns the refusal of a recorded run that works outside the project of its journal. */
export function untrustedFolder(store: string, words: string, what: string): CadreError {
  return new CadreError(
    'FOLDER_UNTRUSTED',
    `${safe(store, 1_000)} records that its run works in a folder outside its project\n${words}\nReview it; if runs of this journal may read and write there, ${what}.`,
    { details: { place: store } },
  );
}

/** Returns the refusal of profiles that the user has not agreed to. */
export function untrusted(place: string, words: string, what: string): CadreError {
  return new CadreError('FOLDER_UNTRUSTED', `${words}\n${what}`, { details: { place } });
}
