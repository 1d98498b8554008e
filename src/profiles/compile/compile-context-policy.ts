import type { Writable } from '../../core/json.ts';
import type { CompactionPolicy, ContextPolicy } from '../../core/profile/context-policy.ts';
import { toPlainObject, type MapNode, childOf, type SourceNode } from '../yaml/source-node.ts';
import { checkLlmConfig } from './configs/choose-llm-config.ts';
import type { CompileContext } from './compile-context.ts';
import { requireKey } from './checks/require-key.ts';
import { mapNode, readFlag, readNumber, readText, textNode, asText, textItems } from './read-node.ts';
import { type EntryKind, entryDefaults, entryGroups, type Visibility, visibleScopes } from '../../core/profile/visibility.ts';

const kinds = ['tool_result', 'user', 'assistant'];

/** Compiles the part of its history that the agent's model sees. */
export function compileContextPolicy(context: CompileContext, profile: MapNode): ContextPolicy {
  const node = mapNode(profile, 'context_policy');
  if (node === undefined) return { window: 0, truncate: {}, raw: {} };
  const all = readNumber(node, 'truncate');
  const perKind = mapNode(node, 'truncate');
  const truncate = Object.fromEntries(
    kinds.flatMap((kind) => {
      const most = all ?? readNumber(perKind, kind);
      return most === undefined ? [] : [[kind, most]];
    }),
  );
  const policy: Writable<ContextPolicy> = { window: readNumber(node, 'window') ?? 0, truncate, raw: toPlainObject(node) };
  const maxTokens = readNumber(node, 'max_tokens');
  const warnAt = readNumber(node, 'warn_at');
  const stopAt = readNumber(node, 'stop_at');
  const compaction = compileCompaction(context, node);
  const resultPreview = readNumber(node, 'result_preview');
  const visibility = compileVisibility(node);
  if (maxTokens !== undefined) policy.maxTokens = maxTokens;
  if (warnAt !== undefined) policy.warnAt = warnAt;
  if (stopAt !== undefined) policy.stopAt = stopAt;
  if (compaction !== undefined) policy.compaction = compaction;
  if (resultPreview !== undefined) policy.resultPreview = resultPreview;
  if (visibility !== undefined) policy.visibility = visibility;
  const rendering = mapNode(node, 'rendering');
  if (rendering !== undefined) requireKey(context, rendering, { key: 'style', owner: '`rendering`' });
  if (readText(rendering, 'style') === 'event_stream')
    policy.rendering = {
      full: readNumber(rendering, 'full') ?? defaultFull,
      lines: readNumber(rendering, 'lines') ?? defaultLines,
    };
  return policy;
}

const defaultFull = 5;
const defaultLines = 20;

const defaultKeep = 10;

function compileCompaction(context: CompileContext, policy: MapNode): CompactionPolicy | undefined {
  const node = mapNode(policy, 'compaction');
  if (node === undefined) return undefined;
  const keepTokens = readNumber(node, 'keep_tokens');
  const compaction: Writable<CompactionPolicy> = {
    at: readNumber(node, 'at') ?? 0.8,
    // With `keep_tokens` alone, the number of messages is unlimited.
    keep: readNumber(node, 'keep') ?? (keepTokens === undefined ? defaultKeep : Number.MAX_SAFE_INTEGER),
    onFailure: readText(node, 'on_failure') === 'stop' ? 'stop' : 'window',
  };
  const atActions = readNumber(node, 'at_actions');
  if (readFlag(node, 'at_task_end') === true) compaction.atTaskEnd = true;
  if (atActions !== undefined) compaction.atActions = atActions;
  const atTokens = readNumber(node, 'at_tokens');
  const instructions = readText(node, 'instructions');
  const llmConfig = textNode(node, 'llm_config');
  if (keepTokens !== undefined) compaction.keepTokens = keepTokens;
  if (atTokens !== undefined) compaction.atTokens = atTokens;
  if (instructions !== undefined) compaction.instructions = instructions;
  if (llmConfig !== undefined) compaction.llmConfig = checkLlmConfig(context, llmConfig);
  return compaction;
}

/** Compiles which history of other agents an agent sees; the shape was checked before. */
function compileVisibility(policy: MapNode): Visibility | undefined {
  const node = childOf(policy, 'visibility');
  if (node === undefined || node.kind === 'scalar') return undefined;
  const scopes = node.kind === 'list' ? node.items.map((item) => asText(item)?.value) : namesBelow(node, 'show');
  const wanted = node.kind === 'list' ? [] : namesBelow(node, 'kinds').flatMap(kindsOf);
  const kinds = Object.entries(entryDefaults).flatMap(([name, usual]) => {
    const kind = name as EntryKind;
    if (wanted.length > 0 && !wanted.includes(kind)) return [];
    return [[kind, { last: bound(node, 'last', kind) ?? usual.last, chars: bound(node, 'chars', kind) ?? usual.chars }] as const];
  });
  return { show: new Set(visibleScopes.filter((scope) => scopes.includes(scope))), kinds: new Map(kinds) };
}

function namesBelow(node: MapNode, key: string): readonly string[] {
  return textItems(node, key).map(({ value }) => value);
}

function kindsOf(name: string): readonly string[] {
  return Object.hasOwn(entryGroups, name) ? (entryGroups[name] ?? []) : [name];
}

function bound(node: SourceNode, key: string, kind: EntryKind): number | undefined {
  return readNumber(node, key) ?? readNumber(mapNode(node, key), kind);
}
