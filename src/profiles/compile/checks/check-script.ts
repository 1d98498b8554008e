import type { KnownNames } from '../../../core/profile/known-names.ts';
import { compileScript } from '../../../core/model/script.ts';
import type { Report } from '../../report.ts';
import { pathText } from '../../schema/schema-problem.ts';
import { nameHint, quote } from '../../wording.ts';
import { isGoodScript } from '../../yaml/parsed-texts.ts';
import { childOf, nodeAt, toPlainObject, type MapNode, type SourceNode } from '../../yaml/source-node.ts';
import { mapItems, textNode } from '../read-node.ts';

/** Compiles the rules of a scripted model and reports every problem at its place in the file. */
export function checkScript(report: Report, root: MapNode): void {
  if (isGoodScript(root)) return;
  const compiled = compileScript(toPlainObject(root));
  if (compiled.ok) return;
  for (const { path, message, start, end, hint } of compiled.problems) {
    const steps = path.map(String);
    const node = nodeAt(root, steps);
    if (end > 0) {
      report.errorInText('BAD_SCRIPT', { node, offset: start, message, hint });
      continue;
    }
    // A message about the key itself begins with it; other messages are about the value.
    const last = steps.at(-1) ?? '';
    const parent = nodeAt(root, steps.slice(0, -1));
    const entry = parent.kind === 'map' ? parent.entries.get(last) : undefined;
    if (entry !== undefined && message.startsWith(`"${last}"`)) report.error('BAD_SCRIPT', { at: entry.keyAt, message, hint });
    else
      report.error('BAD_SCRIPT', {
        at: node.at,
        message: message.startsWith('must') || message.startsWith('has') ? `${pathText(steps)} ${message}` : message,
        hint,
      });
  }
}

/** Warns of script calls to unknown tools, when the tools are known; a script may make such calls on purpose. */
export function checkScriptTools(report: Report, root: MapNode, known: Partial<KnownNames>): void {
  const { tools } = known;
  if (tools === undefined) return;
  // Tools of a server are known only once it is connected.
  const prefixes = [...(known.toolPrefixes ?? [])];
  const replies: readonly (SourceNode | undefined)[] = [
    ...mapItems(root, 'rules').map((rule) => childOf(rule, 'reply')),
    childOf(root, 'otherwise'),
  ];
  for (const reply of replies) {
    for (const call of mapItems(reply, 'tool_calls')) {
      const tool = textNode(call, 'tool');
      if (tool === undefined || tool.value.includes('{{') || tools.has(tool.value)) continue;
      if (prefixes.some((prefix) => tool.value.startsWith(prefix))) continue;
      report.warning('UNKNOWN_TOOL', {
        at: tool.at,
        message: `there is no tool ${quote(tool.value)}`,
        hint: nameHint(tool.value, tools, 'known tools'),
      });
    }
  }
}
