import { CadreError } from '../../core/error.ts';
import type { ProfileReach } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { OutsideRead } from './outside-reads.ts';

/** Renders what a person agrees to in full: a truncated command could hide its end. */
export function reachText(
  { commands, code, variables, destinations, files }: ProfileReach,
  outside: readonly OutsideRead[],
): string {
  const part = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`  ${title}`, ...texts.map((text) => `    ${safe(text, text.length)}`)];
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
  ].join('\n');
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
  return new CadreError('FOLDER_UNTRUSTED', `${place} is not trusted, and its profiles name\n${words}\n${what}`, {
    details: { place },
  });
}
