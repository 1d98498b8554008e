import type { Ingestor } from '../core/inbox/ingestor.ts';
import { aggregatedResults } from './aggregated-results.ts';
import { availableAssociates } from './available-associates.ts';
import { capContent, maxIngestedChars } from './text/cap-content.ts';
import { defineIngestor } from './define-ingestor.ts';
import { dispatchResult } from './dispatch-result.ts';
import { genericMessage } from './generic-message.ts';
import { jsonHistory } from './json-history.ts';
import { markdownFormatter } from './markdown-formatter.ts';
import { notes } from './notes.ts';
import { observerFailure } from './observer-failure.ts';
import { plan } from './plan.ts';
import { principalHistorySummary } from './principal-history-summary.ts';
import { protocolAware } from './protocol-aware.ts';
import { taggedContent } from './tagged-content.ts';
import { templatedContent } from './templated-content.ts';
import { toolResult } from './tool-result.ts';
import { userPrompt } from './user-prompt.ts';
import { visibleHistory } from './visible-history.ts';
import { workModules } from './work-modules.ts';

/** Finds ingestors by name, with or without the suffix `_ingestor`. */
export interface IngestorRegistry {
  get(name: string): Ingestor | undefined;
  /** All names, in both spellings. */
  names(): readonly string[];
}

/** The built-in ingestors (A1.4). */
const builtIn: readonly Ingestor[] = [
  aggregatedResults,
  availableAssociates,
  dispatchResult,
  genericMessage,
  jsonHistory,
  markdownFormatter,
  notes,
  observerFailure,
  plan,
  principalHistorySummary,
  protocolAware,
  taggedContent,
  templatedContent,
  toolResult,
  userPrompt,
  visibleHistory,
  workModules,
];

const suffix = '_ingestor';

/**
 * Makes a registry of the built-in ingestors and the caller's; one of the caller's wins over a built-in of its name.
 *
 * @throws CadreError `OPTION_INVALID` when one of the caller's is no ingestor
 */
export function createIngestorRegistry(extra: readonly Ingestor[] = []): IngestorRegistry {
  const byName = new Map<string, Ingestor>();
  for (const ingestor of [...builtIn, ...extra.map(defineIngestor)]) byName.set(withoutSuffix(ingestor.name), capped(ingestor));
  return {
    get: (name) => byName.get(name) ?? byName.get(withoutSuffix(name)),
    names: () => [...byName.keys()].flatMap((name) => [name, name + suffix]),
  };
}

function withoutSuffix(name: string): string {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/** Caps the output of an ingestor so that it cannot flood a prompt. Passes invalid content through; the caller reports it. */
function capped(ingestor: Ingestor): Ingestor {
  return {
    name: ingestor.name,
    ingest: (payload, params, view) => {
      const content = ingestor.ingest(payload, params, view);
      if (typeof content === 'string' && content.length <= maxIngestedChars) return content;
      return typeof content === 'string' || Array.isArray(content) ? capContent(content) : content;
    },
  };
}
