import { structuredPatch } from 'diff';
import { CadreError } from '../../core/error.ts';
import type { ChangedLine, FileChange } from '../../core/tool/file-change.ts';
import type { CallPreview } from '../../core/tool/toolset.ts';
import { lookAt } from '../../files/write-inside.ts';
import { refusePath, toInsidePath } from '../../files/inside-path.ts';
import type { InsidePath } from '../../files/resolve-inside.ts';
import { textOf } from './arguments.ts';
import { readCurrent, textToEdit } from './change-file.ts';
import { toTextEdit } from './changing-tools.ts';
import { EditHistory } from './edit-history.ts';
import { editText } from './edit-text.ts';
import { missing, onDisk, workspaceName, writablePath } from './workspace-files.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** Equal lines shown around a change. */
const context = 3;
/** Longest search for the shortest difference, in milliseconds. */
const timeout = 1_000;

/**
 * Returns what a call of a changing tool would do now, read through the same checks as the call itself; changes nothing. A call that would
 * fail is a change with a `problem`.
 */
export async function previewChange(call: CallPreview, settings: WorkspaceSettings): Promise<readonly FileChange[]> {
  const { tool, args } = call;
  const path = textOf(args, tool === 'move_file' ? 'from' : 'path') ?? '';
  try {
    // A workspace is made when a tool first runs in it.
    if ((await lookAt(call.workspace)) === undefined) return [inNewWorkspace(call, settings, path)];
    switch (tool) {
      case 'write_file':
        return [await written(call, settings, { path, text: call.filled(textOf(args, 'content') ?? '') })];
      case 'edit_file':
        return [await edited(call, settings, path)];
      case 'move_file':
        return [await moved(call, settings, path)];
      case 'delete_file':
        return [await deleted(call, settings, path)];
      default:
        return [];
    }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    return [{ path, kind: 'unchanged', lines: [], problem: `The call would fail as things are: ${error.message}` }];
  }
}

/** Returns a change in a workspace that does not exist yet. */
function inNewWorkspace({ tool, args, filled }: CallPreview, settings: WorkspaceSettings, requested: string): FileChange {
  const path = toInsidePath(requested, workspaceName);
  if (settings.isProtected(path)) throw refusePath(requested, 'it is protected', workspaceName);
  const isNew = tool === 'write_file' || (tool === 'edit_file' && textOf(args, 'command') === 'create');
  if (!isNew) throw new CadreError('TOOL_FAILED', `${JSON.stringify(path)} does not exist.`);
  return { path, kind: 'create', lines: added(filled(textOf(args, tool === 'write_file' ? 'content' : 'file_text') ?? '')) };
}

interface Whole {
  readonly path: string;
  readonly text: string;
}

async function written(call: CallPreview, settings: WorkspaceSettings, { path, text }: Whole): Promise<FileChange> {
  const { inside, current } = await currentOf(call, settings, path);
  if (current.text === undefined)
    return {
      path: inside.path,
      kind: 'replace',
      lines: added(text),
      problem: 'The file there now is no text, or too long to compare.',
    };
  return await changeOf(call, inside, { before: current.text, after: text });
}

async function edited(call: CallPreview, settings: WorkspaceSettings, path: string): Promise<FileChange> {
  const { args, runId } = call;
  const command = textOf(args, 'command');
  if (command === 'create') {
    const { inside, current } = await currentOf(call, settings, path);
    if (current.text !== null) throw new CadreError('TOOL_FAILED', `${JSON.stringify(inside.path)} exists already.`);
    return await changeOf(call, inside, { before: null, after: call.filled(textOf(args, 'file_text') ?? '') });
  }
  const { inside, current } = await currentOf(call, settings, path);
  const before = await textToEdit(current, inside, settings.maxFileBytes);
  if (command !== 'undo') return await changeOf(call, inside, { before, after: editText(before, toTextEdit(args)) });
  const last = await new EditHistory(inside.root, runId).lastOf(inside.path);
  if (last?.before === undefined) throw new CadreError('TOOL_FAILED', 'There is no change that could be taken back.');
  return await changeOf(call, inside, { before, after: last.before });
}

async function moved(call: CallPreview, settings: WorkspaceSettings, path: string): Promise<FileChange> {
  const from = await writablePath(call.workspace, path, settings);
  const to = await writablePath(call.workspace, textOf(call.args, 'to') ?? '', settings);
  if (from.found === 'missing') throw await missing(from);
  if (to.found !== 'missing') throw new CadreError('TOOL_FAILED', `${JSON.stringify(to.path)} exists already.`);
  return { path: from.path, to: to.path, kind: 'move', lines: [] };
}

async function deleted(call: CallPreview, settings: WorkspaceSettings, path: string): Promise<FileChange> {
  const { inside, current } = await currentOf(call, settings, path);
  if (inside.found === 'folder') return { path: inside.path, kind: 'delete', lines: [] };
  if (current.text === null) throw await missing(inside);
  if (current.text === undefined)
    return { path: inside.path, kind: 'delete', lines: [], problem: 'The file is no text, or too long to show.' };
  return await changeOf(call, inside, { before: current.text, after: null });
}

async function currentOf({ workspace }: CallPreview, settings: WorkspaceSettings, path: string) {
  const inside = await writablePath(workspace, path, settings);
  if (inside.found === 'folder') return { inside, current: { text: undefined, size: 0 } };
  const { current } = await onDisk(inside.path, async () => await readCurrent(inside, settings.maxFileBytes));
  return { inside, current };
}

/** `null`: there is no file. */
interface Versions {
  readonly before: string | null;
  readonly after: string | null;
}

async function changeOf({ since }: CallPreview, { path, absolute }: InsidePath, { before, after }: Versions): Promise<FileChange> {
  if (before === after) return { path, kind: 'unchanged', lines: [] };
  const kind = before === null ? 'create' : after === null ? 'delete' : 'edit';
  const stats = before === null ? undefined : await lookAt(absolute);
  const isLater = stats !== undefined && Number(stats.mtimeMs) > since;
  return {
    path,
    kind,
    lines: difference(before ?? '', after ?? ''),
    ...(isLater ? { problem: 'The file has changed since the agent asked: this is the difference to the file as it is now.' } : {}),
  };
}

/** Compares two texts line by line, with a few equal lines around each change. */
function difference(before: string, after: string): readonly ChangedLine[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, timeout });
  // Without a difference in time, everything goes and everything comes.
  if (patch === undefined) return [...linesOf(before).map((text) => ({ kind: 'removed' as const, text })), ...added(after)];
  const lines: ChangedLine[] = [];
  let next = 1;
  for (const { oldStart, oldLines, lines: hunk } of patch.hunks) {
    if (oldStart > next) lines.push({ kind: 'gap', text: String(oldStart - next) });
    for (const line of hunk) {
      const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith(' ') ? 'same' : undefined;
      if (kind === undefined) lines.push({ kind: 'note', text: 'no line break at the end of the file' });
      else lines.push({ kind, text: line.slice(1) });
    }
    next = oldStart + oldLines;
  }
  const left = linesOf(before).length - next + 1;
  if (left > 0 && patch.hunks.length > 0) lines.push({ kind: 'gap', text: String(left) });
  return lines;
}

function added(text: string): readonly ChangedLine[] {
  return linesOf(text).map((line) => ({ kind: 'added', text: line }));
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
