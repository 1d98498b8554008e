import { CadreError } from '../../core/error.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import { autoRunFiles } from '../../files/guard/auto-run-files.ts';
import { moveInside, removeInside } from '../../files/change-inside.ts';
import { refuseAutoRun } from '../../files/guard/guard-writes.ts';
import { refusePath } from '../../files/inside-path.ts';
import type { InsidePath } from '../../files/resolve-inside.ts';
import { changeFile, textToEdit, type Change, type Current } from './change-file.ts';
import { EditHistory, markOf } from './edit-history.ts';
import { editText, type TextEdit } from './edit-text.ts';
import { insideFile, isProtected, missing, onDisk, showSize, workspaceName, writablePath } from './workspace-files.ts';
import { walkFiles } from './walk-files.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';
import { createTwoFilesPatch } from 'diff';

/** The call of a changing tool, and the settings of its toolset. */
export interface ChangeContext extends Pick<ToolContext, 'runId' | 'toolCallId' | 'workspace' | 'signal'> {
  readonly settings: WorkspaceSettings;
}

type ComputeChange = (current: Current, inside: InsidePath, history: EditHistory) => Change | Promise<Change>;

/** Writes a whole file and replaces its content, if any. */
export async function writeFile(context: ChangeContext, path: string, content: string): Promise<string> {
  return await change(context, path, (current, inside) => {
    const size = showSize(Buffer.byteLength(content));
    if (current.text === undefined)
      return { after: content, result: `Replaced ${inside.path} (${size}; before: ${showSize(current.size)}, not text).` };
    if (current.text === null) return { after: content, result: `Created ${inside.path} (${size}).` };
    return { after: content, result: `Replaced ${inside.path} (${size}).\n${diffText(inside.path, current.text, content)}` };
  });
}

/** Creates a file that must not exist yet. */
export async function createFile(context: ChangeContext, path: string, content: string): Promise<string> {
  return await change(context, path, (current, inside) => {
    if (current.text !== null)
      throw failed(
        `${JSON.stringify(inside.path)} exists already. Edit it with another command, replace it with write_file, or choose another name.`,
      );
    return { after: content, result: `Created ${inside.path} (${showSize(Buffer.byteLength(content))}).` };
  });
}

/** Changes a part of a text file and answers with the diff. */
export async function editFile(context: ChangeContext, path: string, edit: TextEdit): Promise<string> {
  return await change(context, path, async (current, inside) => {
    const before = await textToEdit(current, inside, context.settings.maxFileBytes);
    const after = editText(before, edit);
    if (after === before) return { after, result: `${inside.path} is as it was: the edit changes nothing.` };
    return { after, result: `Edited ${inside.path}.\n${diffText(inside.path, before, after)}` };
  });
}

/** Undoes the last change that a tool of this run made to a file; called again, the one before it. */
export async function undoEdit(context: ChangeContext, path: string): Promise<string> {
  return await change(context, path, async (current, inside, history) => {
    const last = await history.lastOf(inside.path);
    if (last === undefined)
      throw failed(`There is no change of ${JSON.stringify(inside.path)} in this run that could be taken back.`);
    if (last.before === undefined)
      throw failed(`The text before the last change of ${JSON.stringify(inside.path)} was not kept: it was too long, or no text.`);
    if (current.text === undefined || markOf(current.text) !== last.to)
      throw failed(
        `${JSON.stringify(inside.path)} was changed by something else after the last change by a tool; taking that back would lose it. Edit the file instead.`,
      );
    const result = `Took back the last change of ${inside.path}.\n${diffText(inside.path, current.text, last.before)}`;
    return { after: last.before, result, undoes: last.callId };
  });
}

/** Deletes a file or an empty folder. */
export async function deleteFile(context: ChangeContext, path: string): Promise<string> {
  const { workspace, settings } = context;
  const inside = await writablePath(workspace, path, settings);
  if (inside.found !== 'folder')
    return await change(context, path, async (current) => {
      if (current.text === null) throw await missing(inside);
      return { after: null, result: `Deleted ${inside.path} (${showSize(current.size)}).` };
    });
  context.signal.throwIfAborted();
  await onDisk(path, async () => await removeInside(insideFile(inside, settings)));
  return `Deleted the empty folder ${inside.path}.`;
}

/** Moves a file or folder to another path of the workspace. */
export async function moveFile(context: ChangeContext, from: string, to: string): Promise<string> {
  const { workspace, settings } = context;
  const source = await writablePath(workspace, from, settings);
  const target = await writablePath(workspace, to, settings);
  const history = new EditHistory(source.root, context.runId);
  const result = `Moved ${source.path} to ${target.path}.`;
  const past = await history.find(context.toolCallId);
  if (past?.result === result && source.found === 'missing' && target.found !== 'missing') return result;
  if (source.found === 'missing') throw await missing(source);
  const look = async (): Promise<void> => await refuseProtectedInside(source, target, settings);
  const lookInside = source.found === 'folder' ? look : undefined;
  await lookInside?.();
  context.signal.throwIfAborted();
  if (target.found === 'missing')
    await history.put({ callId: context.toolCallId, path: `${source.path}\0${target.path}`, from: 'moved', to: 'moved', result });
  await onDisk(source.path, async () => await moveInside(insideFile(source, settings), target.path, lookInside));
  return result;
}

/** Refuses to move a folder that contains a protected file, or would contain one at its new path: that would bypass the protection. */
async function refuseProtectedInside(source: InsidePath, target: InsidePath, settings: WorkspaceSettings): Promise<void> {
  const { root, path: start } = source;
  const signal = new AbortController().signal;
  for await (const { path } of walkFiles({ root, start, maxDepth: 100, hidden: true, isUnreadable: () => false, signal })) {
    const moved = `${target.path}${path.slice(start.length)}`;
    for (const candidate of [path, moved]) {
      if (isProtected(`${root}/${candidate}`, candidate, settings))
        throw refusePath(start, `${JSON.stringify(candidate)} in it is protected`, workspaceName);
      const runs = settings.allows(candidate) ? undefined : autoRunFiles.placeIn(candidate);
      if (runs !== undefined) throw refuseAutoRun(start, runs);
    }
  }
}

async function change(context: ChangeContext, path: string, compute: ComputeChange): Promise<string> {
  const { settings } = context;
  const inside = await writablePath(context.workspace, path, settings);
  if (inside.found === 'folder' || inside.found === 'other')
    throw failed(`${JSON.stringify(inside.path)} is a ${inside.found === 'folder' ? 'folder' : 'device'}, not a file.`);
  const history = new EditHistory(inside.root, context.runId);
  return await onDisk(
    inside.path,
    async () =>
      await changeFile({
        inside,
        callId: context.toolCallId,
        signal: context.signal,
        history,
        settings,
        change: (current) => compute(current, inside, history),
      }),
  );
}

function failed(message: string): CadreError {
  return new CadreError('TOOL_FAILED', message);
}

const context = 4;

const maxChars = 16_000;

/** Returns the unified diff between two texts of a file; `null` means no file. Cuts long diffs; for huge ones, only counts lines. */
function diffText(path: string, before: string | null, after: string | null): string {
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context,
    timeout: 1_000,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  if (patch === undefined)
    return `${path}: ${countLines(before)} lines became ${countLines(after)}; the difference is too large to show`;
  const text = patch.trimEnd();
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n… (a diff of ${text.length} characters, cut)` : text;
}

function countLines(text: string | null): number {
  return text === null || text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
