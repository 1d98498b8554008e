import { createEngine } from '../../engine/create-engine.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { callsOf, exposedProfiles } from '../../profiles/agent-calls.ts';
import { explainProfile, explainToolset } from '../../profiles/explain-profile.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import type { ExitCode } from '../exit-code.ts';
import { formatExplanation } from '../terminal/format-explanation.ts';
import { profilesFolder } from '../options/profiles-folder.ts';
import { show, type ReadingOptions } from '../runs/show.ts';

/** Prints a profile after inheritance, or a toolset after the changes of other teams, each value with its file and line. */
export async function explainCommand(profile: string, options: ReadingOptions & { readonly profiles?: string }): Promise<ExitCode> {
  await using engine = await createEngine({
    profiles: profilesFolder(options.profiles),
    tools: knownDocumentTools(),
    store: 'memory',
  });
  const toolset = engine.profiles.profiles.has(profile) ? undefined : engine.profiles.toolsets.get(profile);
  if (toolset !== undefined) {
    const settings = explainToolset(toolset);
    return show(
      { data: settings.values, text: (format) => formatExplanation(settings.resolved, settings.values, format) },
      options,
    );
  }
  const values = explainProfile(engine.profiles, profile);
  const resolved = engine.profiles.profiles.get(profile)?.resolved ?? {};
  const calls = callGraphOf(engine.profiles.profiles, profile);
  return show({ data: values, text: (format) => formatExplanation(resolved, values, format) + calls }, options);
}

/** Lists the profiles that a profile may call as tools, and those that may call it. */
function callGraphOf(profiles: ProfileSet['profiles'], name: string): string {
  const exposed = exposedProfiles(profiles);
  const own = profiles.get(name);
  const calls = own === undefined ? [] : callsOf(own, exposed);
  const callers = [...profiles.values()].flatMap((caller) =>
    callsOf(caller, exposed).flatMap(({ profile, tool }) => (profile === name ? [`${caller.name} (${tool})`] : [])),
  );
  const line = (words: string, names: readonly string[]): string => (names.length === 0 ? '' : `# ${words} ${names.join(', ')}\n`);
  return (
    line(
      'calls',
      calls.map(({ profile, tool }) => `${profile} (${tool})`),
    ) + line('is called by', callers)
  );
}
