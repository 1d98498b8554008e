import type { CadreEvent } from '../../core/events/event.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { Secrets } from '../../core/secrets/secrets.ts';
import { collectRun, type RunBundle, toBundle } from '../../inspect/bundle.ts';
import { redactRun, type RedactionReport } from '../../inspect/bundle/redact-run.ts';
import { checkProfiles } from '../../profiles/load-profiles.ts';
import { addConfigSecrets } from '../launch/config-secrets.ts';
import { createContentHash } from './content-hash.ts';
import { factsOfRun, filesOfRun, type RecordedTexts } from './facts-of-run.ts';
import { engineVersion } from '../version.ts';

/** Options for exporting a run. */
export interface ExportOptions {
  /** Now, in milliseconds since 1970. */
  readonly at: number;
  /** Replaces secrets and home folders. */
  readonly redact: boolean;
  /** Environment; its values that look like keys are redacted, too. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folders of this machine. */
  readonly homes: readonly string[];
}

/** A bundle, and a report of the redactions; undefined without redaction. */
export interface ExportedRun {
  readonly bundle: RunBundle;
  readonly report: RedactionReport | undefined;
}

/** Builds the bundle of a run from its journal so far: a run in progress is exported as unfinished. */
export async function exportRun(run: RecordedTexts, options: ExportOptions): Promise<ExportedRun> {
  const records = collectRun(run.events, run.content, await factsOfRun(run));
  const about = { engineVersion, exportedAt: options.at };
  if (!options.redact) return { bundle: toBundle(records, { ...about, redacted: isRedacted(run.events) }), report: undefined };
  const known = new Secrets();
  addConfigSecrets(known, await configsOf(run, options.env), options.env);
  const { records: clean, report } = redactRun(records, { known, homes: options.homes, hash: createContentHash() });
  return { bundle: toBundle(clean, { ...about, redacted: true }), report };
}

/** Returns the parts of a run's profiles that read the environment. Imported runs have none: their profiles are not compiled. */
async function configsOf(run: RecordedTexts, env: ExportOptions['env']): Promise<Pick<ProfileSet, 'llmConfigs' | 'toolsets'>> {
  const [first] = run.events;
  const isForeign = first?.type === 'run.start' && first.imported !== undefined;
  const set = isForeign ? undefined : (await checkProfiles({ files: filesOfRun(run) }, { env })).set;
  return set ?? { llmConfigs: new Map(), toolsets: new Map() };
}

function isRedacted([first]: readonly CadreEvent[]): boolean {
  return first?.type === 'run.start' && first.imported?.redacted === true;
}
