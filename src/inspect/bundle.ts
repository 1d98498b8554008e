import type { CadreEvent } from '../core/events/event.ts';
import { foldEvents } from '../core/fold/apply-event.ts';
import { CadreError } from '../core/error.ts';
import type { ContentHash } from '../core/ids.ts';
import { contentRefs, namedByState } from './content-refs.ts';
import type { PlainProfileFacts } from './turn/profile-facts.ts';
import type { ReadContent } from './read-content.ts';
import { runOverview, type RunOverview } from './run-overview.ts';

/** Format name at the head of every bundle, with the version that is written and read. */
export const bundleFormat = 'cadre.run';
export const bundleVersion = 1;

/** Records of one run from a journal: events, the texts they refer to, and the profile facts that views need. */
export interface RunRecords {
  readonly events: readonly CadreEvent[];
  readonly contents: Readonly<Record<string, string>>;
  readonly profiles: Readonly<Record<string, PlainProfileFacts>>;
}

/** A run as plain JSON, to move between journals; every view can be built from it alone. */
export interface RunBundle extends RunRecords {
  readonly format: typeof bundleFormat;
  readonly version: typeof bundleVersion;
  /** Engine version that wrote the bundle. */
  readonly engineVersion: string;
  /** Milliseconds since 1970. */
  readonly exportedAt: number;
  readonly run: RunOverview;
  /** True when secrets were searched for and removed. */
  readonly redacted: boolean;
}

/** Metadata of a bundle: everything but the run's records. */
export type AboutBundle = Pick<RunBundle, 'engineVersion' | 'exportedAt' | 'redacted'>;

/**
 * Collects what a journal holds of a run. That the run was imported there is left out: it is said of that journal, not of the run.
 */
export function collectRun(
  events: readonly CadreEvent[],
  content: ReadContent,
  profiles: Readonly<Record<string, PlainProfileFacts>>,
): RunRecords {
  const contents: Record<string, string> = {};
  const unsure = namedByState(events, content);
  for (const hash of contentRefs(events, content)) {
    const text = unsure.has(hash) ? tryRead(content, hash) : content(hash);
    if (text !== undefined) contents[hash] = text;
  }
  return { events: events.map(withoutImport).map(withoutSeed), contents, profiles };
}

function tryRead(content: ReadContent, hash: ContentHash): string | undefined {
  try {
    return content(hash);
  } catch (thrown) {
    if (thrown instanceof CadreError && thrown.code === 'STORE_CORRUPT') return undefined;
    throw thrown;
  }
}

/** Builds a bundle. Fails with STORE_CORRUPT when the events do not form a run. */
export function toBundle(records: RunRecords, about: AboutBundle): RunBundle {
  const run = foldEvents(records.events, 'everything');
  if (run === undefined) throw new CadreError('STORE_CORRUPT', 'the events to export do not begin with run.start');
  const { engineVersion, exportedAt, redacted } = about;
  const { events, contents, profiles } = records;
  return {
    format: bundleFormat,
    version: bundleVersion,
    engineVersion,
    exportedAt,
    redacted,
    run: runOverview(run),
    events,
    contents,
    profiles,
  };
}

/** Looks texts of a bundle up by their hash. */
export function contentOf({ contents }: Pick<RunRecords, 'contents'>): ReadContent {
  return (hash: ContentHash) => (Object.hasOwn(contents, hash) ? contents[hash] : undefined);
}

/** Removes the mark of an import from a run's start, so that a copy of the run can be exported or continued. */
export function withoutImport(event: CadreEvent): CadreEvent {
  if (event.type !== 'run.start' || event.imported === undefined) return event;
  const { imported: _imported, ...own } = event;
  return own;
}

/**
 * Removes the seed of the run's frames, so that the event may leave the process: the seed allows forging the end of a frame. Views
 * do not need it, since stored texts contain their frames.
 */
export function withoutSeed(event: CadreEvent): CadreEvent {
  if ((event.type !== 'run.start' && event.type !== 'run.resume') || event.frameSeed === undefined) return event;
  const { frameSeed: _, ...shown } = event;
  return shown;
}
