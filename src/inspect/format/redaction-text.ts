import type { RedactionReport } from '../bundle/redact-run.ts';
import { safe } from './text/layout.ts';
import { countText } from './text/quantity-text.ts';

const maxListed = 12;

/** Describes the kinds and places of replacements in an export; never contains a value. */
export function redactionText(report: RedactionReport | undefined): string {
  if (report === undefined) return 'Nothing was looked through: the file holds the run as it is (--no-redact).\n';
  const kinds = Object.entries(report.counts);
  if (kinds.length === 0) return 'Looked through for secrets: none was found.\n';
  const counts = kinds.map(([kind, count]) => `${count} × ${kind}`).join(', ');
  const places = [
    report.events.length === 0 ? '' : `${countText(report.events.length, 'event')} (${listed(report.events)})`,
    report.texts === 0 ? '' : countText(report.texts, 'stored text'),
    report.profiles.length === 0 ? '' : `${countText(report.profiles.length, 'profile')} (${listed(report.profiles)})`,
  ].filter((place) => place !== '');
  return `Replaced: ${counts}; in ${places.join(', ')}. Look through the file before you hand it on. Keep all with --no-redact.\n`;
}

function listed(names: readonly (string | number)[]): string {
  const shown = names.slice(0, maxListed).map((name) => safe(String(name), 60));
  return `${shown.join(', ')}${names.length > maxListed ? ', …' : ''}`;
}
