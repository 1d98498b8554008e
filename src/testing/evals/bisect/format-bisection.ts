import { costText, countText } from '../../../inspect/format/text/quantity-text.ts';
import { toTerminalLine } from '../../../inspect/format/text/terminal-text.ts';
import { plainStyle, type TextStyle } from '../../../inspect/format/text/text-style.ts';
import type { Bisection } from './bisect.ts';
import type { ProfileChangePlace } from './changes.ts';

const widest = 2_000;
const mostLines = 40;

/** Renders what made a case fail. */
export function formatBisection(found: Bisection, style: TextStyle = plainStyle): string {
  const { change, unresolved, isAlone, passesWithout, made, spent, failingRun } = found;
  const head = `${style.bold(`${safe(found.case)} · ${safe(found.variant)}`)} fails since this change:`;
  const parts = [head, changeText(change, style)];
  if (unresolved.length > 0)
    parts.push('or one of these, which do not load without it:', ...unresolved.map((each) => changeText(each, style)));
  const alone = isAlone ? 'It makes the case fail by itself' : 'It makes the case fail only together with changes before it';
  const without =
    passesWithout === undefined
      ? 'the profiles do not load without it'
      : passesWithout
        ? 'the case passes with all the others'
        : 'the case fails without it, too: another change does the same';
  const cost = spent.isCostUnknown ? costText(null, spent.costUsd) : costText(spent.costUsd);
  parts.push(`${alone}; ${without}.`);
  parts.push(
    style.dim(`${countText(made, 'run')} made, ${countText(spent.tokens, 'token')}, ${cost}. A failing run: ${failingRun}`),
  );
  return parts.join('\n');
}

function changeText({ path, line, removed, added, whole }: ProfileChangePlace, style: TextStyle): string {
  const place = `  ${style.bold(`${safe(path)}:${line}`)}${whole === undefined ? '' : ` (the file was ${whole})`}`;
  const lines = [...removed.map((text) => style.red(`- ${safe(text)}`)), ...added.map((text) => style.green(`+ ${safe(text)}`))];
  const more = lines.length > mostLines ? [style.dim(`… ${lines.length - mostLines} more lines`)] : [];
  return [place, ...[...lines.slice(0, mostLines), ...more].map((each) => `    ${each}`)].join('\n');
}

function safe(text: string): string {
  return toTerminalLine(text, widest);
}
