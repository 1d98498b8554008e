import { costText, countText, durationText, shareText } from '../../../inspect/format/text/quantity-text.ts';
import { xmlText as text } from '../../suite/xml-text.ts';
import type { BaselineComparison } from '../score/baseline.ts';
import type { CheckResult, EvalReport, EvalResult } from '../score/eval-result.ts';
import { type EvalCell, summarize } from '../score/summarize.ts';

/** Returns a report as one HTML page without scripts; everything that runs said is shown as text. */
export function evalHtml(report: EvalReport, comparison?: BaselineComparison): string {
  const { suite, file, round, spent } = report;
  const cost = spent.isCostUnknown ? costText(null, spent.costUsd) : costText(spent.costUsd);
  const used = `${countText(report.results.length, 'run')}, ${countText(spent.tokens, 'token')}, ${cost}, judges included`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(suite)}</title>
<style>${style}</style>
</head>
<body>
<h1>${text(suite)}</h1>
<p class="dim">${text(file)}, round ${round}: ${text(used)}</p>
${variantTable(report)}
${comparison === undefined ? '' : baselineList(comparison)}
${caseTable(report)}
<h2>Runs</h2>
${report.results.map(resultPart).join('\n')}
</body>
</html>
`;
}

function variantTable(report: EvalReport): string {
  const rows = summarize(report).map(({ variant, all }) => {
    const { passed, runs, unfinished, passRate, interval, score, turns, seconds, costUsd } = all;
    const range = `${Math.round(interval.low * 100)}–${shareText(interval.high)}`;
    const about = report.variants.find(({ name }) => name === variant)?.description ?? '';
    const cells = [
      `${passed}/${runs - unfinished}`,
      passRate === undefined ? '–' : shareText(passRate),
      passRate === undefined ? '–' : range,
      score.toFixed(2),
      turns.toFixed(1),
      durationText(seconds * 1000),
      costText(costUsd),
    ];
    return `<tr><th scope="row" title="${text(about)}">${text(variant)}</th>${cells.map((each) => `<td>${text(each)}</td>`).join('')}</tr>`;
  });
  const titles = ['Variant', 'Passed', 'Rate', '95 % interval', 'Score', 'Turns', 'Time', 'Cost'];
  return `<table><thead><tr>${titles.map((each) => `<th scope="col">${each}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function caseTable(report: EvalReport): string {
  const summaries = summarize(report);
  const rows = report.cases.map((name, index) => {
    const cells = summaries.map(({ cases }) => caseCell(cases[index]?.cell));
    return `<tr><th scope="row">${text(name)}</th>${cells.join('')}</tr>`;
  });
  const head = ['Case', ...summaries.map(({ variant }) => variant)].map((each) => `<th scope="col">${text(each)}</th>`);
  return `<h2>Cases</h2>\n<table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function caseCell(cell: EvalCell | undefined): string {
  if (cell === undefined || cell.runs === cell.unfinished) return '<td class="dim">–</td>';
  const finished = cell.runs - cell.unfinished;
  return `<td class="${cell.passed === finished ? 'ok' : 'bad'}">${cell.passed}/${finished}</td>`;
}

function baselineList({ file, cases, variants }: BaselineComparison): string {
  const moved = cases.map(
    ({ case: name, variant, before, after, kind, probability }) =>
      `<li class="${kind === 'worse' ? 'bad' : kind === 'better' ? 'ok' : ''}">${text(name)} · ${text(variant)}: ${before.passed}/${before.runs} → ${after.passed}/${after.runs}, ${kind}${kind === 'better' ? '' : ` (p = ${probability.toPrecision(2)})`}</li>`,
  );
  const whole = variants.map(
    ({ variant, before, after, isWorse }) =>
      `<li class="${isWorse ? 'bad' : ''}">${text(variant)}: ${before.passed}/${before.runs} → ${after.passed}/${after.runs}${isWorse ? ', worse' : ''}</li>`,
  );
  return `<h2>Since ${text(file)}</h2>\n<ul>${[...whole, ...moved].join('')}</ul>`;
}

function resultPart(result: EvalResult): string {
  const { status, variant, repeat, runId, turns, seconds, costUsd, output, checks } = result;
  const title = `${result.case} · ${variant}${repeat === 1 ? '' : ` · ${repeat}`}`;
  const facts = `${countText(turns, 'turn')}, ${durationText(seconds * 1000)}, ${costText(costUsd)}`;
  const run = runId === '' ? '' : `<p class="dim">run <code>${text(runId)}</code>: <code>cadre turns ${text(runId)}</code></p>`;
  return `<details${status === 'passed' ? '' : ' open'}><summary><span class="${status === 'passed' ? 'ok' : 'bad'}">${status}</span> ${text(title)} <span class="dim">${text(facts)}</span></summary>
${run}<ul>${checks.map(checkPart).join('')}</ul><pre>${output === '' ? '(no output)' : text(output)}</pre></details>`;
}

function checkPart({ name, at, verdict, score, reason, expected, actual, judgeRun }: CheckResult): string {
  const judged = judgeRun === undefined ? '' : ` <span class="dim">judge: run <code>${text(judgeRun)}</code></span>`;
  const compared =
    expected === undefined || actual === undefined ? '' : `<pre>expected: ${text(expected)}\nactual:   ${text(actual)}</pre>`;
  return `<li class="${verdict === 'passed' ? 'ok' : 'bad'}"><b>${text(name)}</b> ${verdict}, score ${score.toFixed(2)}: ${text(reason)}${judged} <span class="dim">${text(at)}</span>${compared}</li>`;
}

const style = `
:root { color-scheme: light dark; --ok: #1a7f37; --bad: #c62828; --dim: #6b7280; --line: #8884; }
@media (prefers-color-scheme: dark) { :root { --ok: #56d364; --bad: #ff7b72; --dim: #9aa4b2; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .3rem .8rem; border-bottom: 1px solid var(--line); }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; border-radius: 4px; }
.ok { color: var(--ok); } .bad { color: var(--bad); } .dim { color: var(--dim); }
li.ok, li.bad { color: inherit; } li.ok > b { color: var(--ok); } li.bad > b { color: var(--bad); }
`;
