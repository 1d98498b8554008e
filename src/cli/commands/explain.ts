import { createEngine } from '../../engine/create-engine.ts';
import { explainProfile } from '../../profiles/explain-profile.ts';
import { knownDocumentTools } from '../all-tools.ts';
import type { ExitCode } from '../exit-code.ts';
import { formatExplanation } from '../format-explanation.ts';
import { profilesFolder } from '../profiles-folder.ts';
import { show, type ReadingOptions } from '../show.ts';

/** Prints a profile as it is after inheritance, each value with the file and line it was written at. */
export async function explainCommand(profile: string, options: ReadingOptions & { readonly profiles?: string }): Promise<ExitCode> {
  await using engine = await createEngine({
    profiles: profilesFolder(options.profiles),
    tools: knownDocumentTools(),
    store: 'memory',
  });
  const values = explainProfile(engine.profiles, profile);
  const resolved = engine.profiles.profiles.get(profile)?.resolved ?? {};
  return show({ data: values, text: (format) => formatExplanation(resolved, values, format) }, options);
}
