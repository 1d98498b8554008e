import { posix } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { readWhole, useInside } from '../../files/read-inside.ts';
import { insideFile, onDisk, readablePath, resolveReadable, showSize } from './workspace-files.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** Maximum number of links checked in one file. */
const maxLinks = 2_000;

interface Link {
  readonly line: number;
  readonly target: string;
}

/**
 * Lists the broken local links of an HTML file: missing files, and missing ids in the file itself. Does not check links to other servers.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` for anything but a file, and for a file that is too long
 */
export async function checkLinks(workspace: string, requested: string, settings: WorkspaceSettings): Promise<string> {
  const inside = await readablePath(workspace, requested, settings);
  const { path } = inside;
  if (inside.found !== 'file') throw new CadreError('TOOL_FAILED', `${JSON.stringify(path)} is no file; name an HTML file.`);
  const text = await onDisk(
    path,
    async () =>
      await useInside(insideFile(inside), async (opened) => {
        if (opened.size > settings.maxFileBytes)
          throw new CadreError(
            'TOOL_FAILED',
            `${JSON.stringify(path)} is ${showSize(opened.size)} long; files of up to ${showSize(settings.maxFileBytes)} are looked at.`,
          );
        const bytes = await readWhole(opened);
        if (bytes === undefined)
          throw new CadreError('TOOL_FAILED', `${JSON.stringify(path)} changed while it was being read. Try again.`);
        return new TextDecoder().decode(bytes);
      }),
  );
  const all = linksOf(text);
  const local = all.filter(({ target }) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)).slice(0, maxLinks);
  const anchors = anchorsOf(text);
  const broken: string[] = [];
  for (const link of local) {
    const why = await problemOf(link.target, { workspace, from: path, settings, anchors });
    if (why !== undefined) broken.push(`${path}:${link.line}: ${JSON.stringify(link.target)} ${why}`);
  }
  const counted = `${path}: ${local.length} local links${all.length > local.length ? `, ${all.length - local.length} others not looked at` : ''}`;
  return broken.length === 0
    ? `${counted}; all of them lead somewhere`
    : `${counted}; ${broken.length} lead nowhere:\n${broken.join('\n')}`;
}

async function problemOf(
  target: string,
  {
    workspace,
    from,
    settings,
    anchors,
  }: {
    readonly workspace: string;
    readonly from: string;
    readonly settings: WorkspaceSettings;
    readonly anchors: ReadonlySet<string>;
  },
): Promise<string | undefined> {
  const [place = '', anchor] = target.split('#', 2);
  const name = decoded(place.split('?', 1)[0] ?? '');
  if (name === '')
    return anchor === undefined || anchor === '' || anchor === 'top' || anchors.has(decoded(anchor))
      ? undefined
      : 'is no id in this file';
  // An absolute path starts at the workspace, as on a server of this folder.
  const wanted = name.startsWith('/') ? name.slice(1) : posix.join(posix.dirname(from), name);
  try {
    const found = await resolveReadable(workspace, wanted === '' ? '.' : wanted, settings);
    if (found.found === 'missing') return 'does not exist';
    if (found.found !== 'folder') return undefined;
    const index = await resolveReadable(workspace, posix.join(found.path, 'index.html'), settings);
    return index.found === 'file' ? undefined : 'is a folder without index.html';
  } catch (error) {
    if (error instanceof CadreError && error.code === 'PATH_REFUSED')
      return 'leads out of the workspace, or to what may not be read';
    throw error;
  }
}

/** Blanks out comments, which hold no links, and keeps their line breaks. */
function withoutComments(text: string): string {
  return text.replaceAll(/<!--[^]*?(?:-->|$)/g, (comment) => comment.replaceAll(/[^\n]/g, ' '));
}

function linksOf(text: string): readonly Link[] {
  const links: Link[] = [];
  let line = 1;
  let at = 0;
  const clean = withoutComments(text);
  for (const match of clean.matchAll(/\s(?:href|src|poster|srcset)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)) {
    for (; at < match.index; at += 1) if (clean.charCodeAt(at) === 10) line += 1;
    const value = (match[1] ?? match[2] ?? match[3] ?? '').trim();
    const targets = /^\s*srcset/i.test(match[0]) ? value.split(',').map((one) => one.trim().split(/\s+/, 1)[0] ?? '') : [value];
    for (const target of targets) if (target !== '') links.push({ line, target: target.replaceAll('&amp;', '&') });
  }
  return links;
}

function anchorsOf(text: string): ReadonlySet<string> {
  const found = withoutComments(text).matchAll(/\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return new Set(Array.from(found, (match) => match[1] ?? match[2] ?? match[3] ?? ''));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An invalid escape is literal text.
    return text;
  }
}
