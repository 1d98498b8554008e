import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { type PlainProfileFacts, toPlainFacts } from '../../inspect/turn/profile-facts.ts';
import { readList, type ReadContent } from '../../inspect/read-content.ts';
import { plainFactsOf } from './imported-run.ts';

/** Events of a run, and its texts. */
export interface RecordedTexts {
  readonly events: readonly CadreEvent[];
  readonly content: ReadContent;
}

/**
 * Returns the profile facts that views need, as plain data: compiled from the run's files, without their environment and without opening
 * resources; for an imported run, those in its bundle. Empty when this version no longer compiles the files.
 */
export async function factsOfRun(run: RecordedTexts): Promise<Readonly<Record<string, PlainProfileFacts>>> {
  const [first] = run.events;
  if (first?.type === 'run.start' && first.imported !== undefined) return plainFactsOf(run.content(first.imported.facts));
  const { compileProfileFiles } = await import('../../profiles/compile-profile-files.ts');
  const { set } = compileProfileFiles(filesOfRun(run), { env: {}, isRecorded: true });
  return Object.fromEntries([...(set?.profiles ?? [])].map(([name, profile]) => [name, toPlainFacts(profile, set?.llmConfigs)]));
}

/** Returns the profile files that a run uses at its end; none when they are missing. */
export function filesOfRun({ events, content }: RecordedTexts): readonly ProfileFile[] {
  let hash: ContentHash | undefined;
  for (const event of events)
    if (event.type === 'run.start' || event.type === 'run.resume' || event.type === 'profiles.update')
      hash = event.profiles ?? hash;
  if (hash === undefined) return [];
  return readList(content, hash).flatMap((file) => {
    const [path, text] = isJsonObject(file) ? [file['path'], file['text']] : [];
    return typeof path === 'string' && typeof text === 'string' ? [{ path, text }] : [];
  });
}
