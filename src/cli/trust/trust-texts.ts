import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileReach } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { OutsideRead } from './outside-reads.ts';

/** What a person is asked to agree to. */
export interface Asked {
  readonly reach: ProfileReach;
  readonly outside: readonly OutsideRead[];
  /** Request of a recorded run, and the reach of its profiles without it. */
  readonly added?: { readonly request: JsonObject; readonly usual: ProfileReach } | undefined;
}

/** Renders what a person agrees to in full: a truncated command could hide its end. Names the lines that only a run's request adds. */
export function reachText({ reach, outside, added }: Asked): string {
  const { commands, code, variables, destinations, files } = reach;
  const part = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`  ${title}`, ...texts.map((text) => `    ${safe(text, text.length)}`)];
  const ofRequest = added === undefined ? '' : `of these, only with its request (${Object.keys(added.request).join(', ')}):`;
  return [
    ...part('programs to start:', commands),
    ...part('code to load, which runs outside the sandbox with all your permissions:', code),
    ...part('variables of your environment to read:', variables),
    ...part('addresses to call:', destinations),
    ...part('files otherwise kept from agents:', files),
    ...part(
      'folders and files outside its own folder to read:',
      outside.map(({ place, what }) => `${place} (${what})`),
    ),
    ...(added === undefined ? [] : part(safe(ofRequest, 500), linesBeyond(reach, added.usual))),
  ].join('\n');
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
    `${store} records that its run works in a folder outside its project\n${words}\nReview it; if runs of this journal may read and write there, ${what}.`,
    { details: { place: store } },
  );
}

/** Returns the refusal of profiles that the user has not agreed to. */
export function untrusted(place: string, words: string, what: string): CadreError {
  return new CadreError('FOLDER_UNTRUSTED', `${words}\n${what}`, { details: { place } });
}
