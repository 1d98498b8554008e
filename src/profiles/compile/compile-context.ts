import type { KnownNames } from '../../core/profile/known-names.ts';
import type { HandoverProtocol } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import { isOtherName } from '../../core/tool/tool-naming.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import type { Place, SourceNode } from '../yaml/source-node.ts';

/** Names and settings that compiling a file may refer to. */
export interface CompileContext {
  readonly report: Report;
  /** Default values of `${VARIABLES}` in texts; a request may override them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly known: Partial<KnownNames>;
  /** Names of LLM configs; the abstract ones name no model and are only inherited from. */
  readonly llmConfigs: ReadonlySet<string>;
  readonly abstractLlmConfigs: ReadonlySet<string>;
  readonly protocols: ReadonlyMap<string, HandoverProtocol>;
  /** Names of tools that profiles are exposed as, with the place of each. */
  readonly exposedTools: ReadonlyMap<string, Place>;
  /** Toolsets of the exposed tools, and the names of all profiles. */
  readonly exposedToolsets: ReadonlySet<string>;
  readonly profileNames: ReadonlySet<string>;
  /** Names of files that could not be read; references to them are not reported again. */
  readonly broken: ReadonlySet<string>;
}

/** Returns the file position where a node starts, for records. */
export function refOf(node: SourceNode): SourceRef {
  return node.at.file.refAt(node.at.start);
}

interface NameCheck {
  readonly known: Iterable<string>;
  readonly code: DiagnosticCode;
  /** Kind of the name in messages, such as `tool`. */
  readonly what: string;
  readonly mostListed?: number;
  /** Text to append to the hint. */
  readonly more?: string;
}

/** Reports a name that is not among the known ones; returns whether it is known. */
export function checkName(
  context: Pick<CompileContext, 'report' | 'broken'>,
  node: { readonly at: Place; readonly value: string },
  { known, code, what, mostListed, more = '' }: NameCheck,
): boolean {
  const names = known instanceof Set ? (known as ReadonlySet<string>) : new Set(known);
  if (names.has(node.value) || context.broken.has(node.value)) return true;
  if (context.report.isFull) return false;
  const message = `there is no ${what} ${quote(node.value)}`;
  context.report.error(code, {
    at: node.at,
    message,
    hint: nameHint(node.value, names, { what: `known ${what}s`, mostListed }) + more,
  });
  return false;
}

/** Checks a tool name when the tools are known; profiles exposed as tools count. */
export function checkTool(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  const { tools, toolsets } = context.known;
  if (tools === undefined) return;
  for (const prefix of context.known.toolPrefixes ?? []) if (node.value.startsWith(prefix)) return;
  const names = new Set([...tools, ...context.exposedTools.keys()]);
  if (!names.has(node.value) && toolsets?.has(node.value) === true) {
    context.report.error('UNKNOWN_TOOL', {
      at: node.at,
      message: `${quote(node.value)} is a toolset, not a tool`,
      hint: 'name it where toolsets are listed',
    });
    return;
  }
  checkName(context, node, { known: names, code: 'UNKNOWN_TOOL', what: 'tool', more: prefixHint(context.known) });
}

/** Lists the prefixes of tools whose toolsets are not connected yet: `; tools that are known once …`. */
function prefixHint({ toolPrefixes }: CompileContext['known']): string {
  const [...prefixes] = toolPrefixes ?? [];
  if (prefixes.length === 0) return '';
  const listed = prefixes.slice(0, 5).map(quote).join(', ');
  return `; tools that are known once their server is connected have names that begin with ${listed}${prefixes.length > 5 ? ', …' : ''}`;
}

/**
 * Checks a tool name in a gate or filter, where alternative forms also match: without its toolset's prefix, or with the prefix of
 * its toolset or kind.
 */
export function checkMeantTool(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  for (const [toolset, { tools, kind }] of context.known.toolsetTools ?? []) {
    const of = { toolset, ...(kind === undefined ? {} : { toolsetKind: kind }) };
    if (tools?.some((name) => isOtherName(node.value, { name, ...of })) === true) return;
    if (tools === undefined && kind !== undefined && node.value.startsWith(`${kind}_`)) return;
  }
  checkTool(context, node);
}

/** True when a name is a kind of toolset; in gates and filters it matches all toolsets of that kind. */
export function isKind({ known }: CompileContext, name: string): boolean {
  return known.toolsetKinds?.has(name) === true;
}

/** Checks a toolset name when the toolsets are known. */
export function checkToolset(context: CompileContext, node: { readonly at: Place; readonly value: string }): void {
  const { tools, toolsets } = context.known;
  if (toolsets === undefined) return;
  if (!toolsets.has(node.value) && tools?.has(node.value) === true) {
    context.report.error('UNKNOWN_TOOLSET', {
      at: node.at,
      message: `${quote(node.value)} is a tool, not a toolset`,
      hint: 'name it where single tools are listed',
    });
    return;
  }
  const names = new Set([...toolsets, ...context.exposedToolsets]);
  checkName(context, node, { known: names, code: 'UNKNOWN_TOOLSET', what: 'toolset', mostListed: 60 });
}

const suffix = '_ingestor';

/** Checks an ingestor name and returns its registered form; the suffix `_ingestor` is optional. */
export function ingestorName(context: CompileContext, node: { readonly at: Place; readonly value: string }): string {
  const { ingestors } = context.known;
  const { value } = node;
  if (ingestors === undefined || ingestors.has(value)) return value;
  const other = value.endsWith(suffix) ? value.slice(0, -suffix.length) : value + suffix;
  if (ingestors.has(other)) return other;
  checkName(context, node, { known: ingestors, code: 'UNKNOWN_INGESTOR', what: 'ingestor' });
  return value;
}
