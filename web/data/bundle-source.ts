import type { CadreEvent } from '../../src/core/events/event.ts';
import { fromPlainFacts, type PlainProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import type { RunSource } from './run-source.ts';

/** A run as an exported page carries it. */
export interface BundledRun {
  readonly events: readonly CadreEvent[];
  readonly contents: Readonly<Record<string, string>>;
  readonly profiles: Readonly<Record<string, PlainProfileFacts>>;
}

/** Returns the run inside the document; undefined when the page came from a server. */
export async function bundledRun(document: Document): Promise<BundledRun | undefined> {
  const element = document.getElementById('cadre-run');
  if (element === null) return undefined;
  const text = element.textContent ?? '';
  return JSON.parse(element.dataset['encoding'] === 'gzip' ? await unzipped(text) : text) as BundledRun;
}

/** Source of a run that is completely in memory. */
export function bundleSource(run: BundledRun): RunSource {
  return {
    isServed: false,
    open: (sink) => {
      sink.events(run.events);
      sink.connection({ kind: 'over' });
      return () => undefined;
    },
    contents: async (hashes) => Object.fromEntries(hashes.map((hash) => [hash, run.contents[hash] ?? null])),
    profiles: async () => new Map(Object.entries(run.profiles).map(([name, facts]) => [name, fromPlainFacts(facts)])),
  };
}

async function unzipped(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return await new Response(stream).text();
}
