import { readProfileFiles } from '../../profiles/files/read-profile-files.ts';
import { Report } from '../../profiles/report.ts';
import type { Diagnostic, ProfileFile } from '../../core/profile/profile.ts';
import { choosePart, chooseProfiles, otherFile, type SourcePart } from './choose-files.ts';
import { convertLlmConfig, llmConfigName } from './convert/convert-llm-config.ts';
import { convertServers, readDescriptions, serverNames } from './convert/convert-mcp.ts';
import { convertProfile } from './convert/convert-profile.ts';
import { convertProtocol } from './convert/convert-protocol.ts';
import { sortFindings, type Finding } from './finding.ts';
import { keyNode } from './edit-yaml.ts';
import { find, parseSourceFile, printDocument, type SourceFile } from './source-file.ts';
import { ownStateOf, type SourceTree } from './source-tree.ts';
import { addCatchAlls } from './catch-all.ts';

/** File of the converted tree. */
export interface ConvertedFile {
  /** Output path, below the output folder: `profiles/Partner.yaml`. */
  readonly path: string;
  readonly text: string;
  /** Path of the source file. */
  readonly from: string;
  /** Number of converted conditions and texts. */
  readonly conditions: number;
  readonly texts: number;
}

/** Converted tree, with findings about the conversion. */
export interface ConvertedTree {
  readonly files: readonly ConvertedFile[];
  readonly findings: readonly Finding[];
}

/** Reads a tree of CommonGround profiles, LLM configs, handover protocols and MCP servers, and converts it. Writes nothing. */
export async function convertFolder(folder: string): Promise<ConvertedTree> {
  const read = await readProfileFiles([folder]);
  const converted = convertFiles(read.files);
  return { ...converted, findings: sortFindings([...read.diagnostics.map(fromDiagnostic), ...converted.findings]) };
}

/** Converts the files of a tree. The same files give the same result, byte for byte. */
export function convertFiles(sources: readonly ProfileFile[]): ConvertedTree {
  const report = new Report();
  const findings: Finding[] = [];
  const parts: Record<SourcePart, SourceFile[]> = { profiles: [], llm_configs: [], handover_protocols: [], prompt_override: [] };
  const yaml = sources.filter(({ path }) => !path.endsWith('.json')).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, text } of yaml) {
    const file = parseSourceFile(path, text, report);
    if (file === undefined) continue;
    const part = choosePart(file);
    if (part !== undefined) parts[part].push(file);
    else {
      otherFile(file);
      findings.push(...file.findings);
    }
  }
  const json = sources.filter(({ path }) => path.endsWith('.json'));
  const [mcp, ...more] = json.filter(({ path }) => /(?:^|\/)mcp\.json$/.test(path));
  for (const { path } of more)
    findings.push(said('not_converted', path, `the servers of ${mcp?.path ?? ''} are converted; this is a second list`));
  const servers = mcp === undefined ? [] : serverNames(mcp.text);
  const tree: SourceTree = {
    profiles: chooseProfiles(parts.profiles),
    llmConfigs: new Set(parts.llm_configs.map(llmConfigName)),
    servers: new Set(servers),
    ownState: ownStateOf(parts.profiles),
  };
  const kept = { ...parts, profiles: [...tree.profiles.values()], prompt_override: [] };
  const jsonFiles = new Set(json.map(({ path }) => path));
  const inner = kept.profiles.map((file) => ({ from: file.path, config: convertProfile(file, tree, jsonFiles) }));
  addCatchAlls(tree);
  for (const file of kept.llm_configs) convertLlmConfig(file, jsonFiles);
  for (const file of kept.handover_protocols) convertProtocol(file, tree);
  const files = Object.entries(kept).flatMap(([part, list]) => list.map((file) => printed(part, file)));
  for (const { from, config } of inner)
    if (config !== undefined)
      files.push({ path: `llm_configs/${config.name}.yaml`, text: config.text, from, conditions: 0, texts: 0 });
  for (const file of parts.prompt_override) noteDescriptions(file, servers);
  const toolsets =
    mcp === undefined ? undefined : convertServers(mcp.path, mcp.text, descriptionsOf(parts.prompt_override, servers));
  for (const [name, text] of toolsets?.toolsets ?? [])
    files.push({ path: `toolsets/${name}.yaml`, text, from: mcp?.path ?? '', conditions: 0, texts: 0 });
  files.push(...usedJson(files, json));
  for (const { path } of json)
    if (path !== mcp?.path && !more.some((each) => each.path === path) && !files.some(({ from }) => from === path))
      findings.push(said('left_out', path, 'no LLM config reads this file'));
  const all = [...findings, ...report.diagnostics.map(fromDiagnostic), ...(toolsets?.findings ?? [])];
  for (const list of Object.values(parts)) for (const file of list) all.push(...file.findings);
  return { files: withOwnPaths(files), findings: sortFindings(all) };
}

function printed(part: string, file: SourceFile): ConvertedFile {
  const name = file.path.split('/').at(-1) ?? file.path;
  return { path: `${part}/${name}`, text: printDocument(file), from: file.path, ...file.converted };
}

function descriptionsOf(files: readonly SourceFile[], servers: readonly string[]): ReturnType<typeof readDescriptions> {
  return readDescriptions(Object.assign({}, ...files.map(({ data }) => data)) as SourceFile['data'], servers);
}

/** Returns the JSON files that LLM configs read, which are copied. */
function usedJson(files: readonly ConvertedFile[], json: readonly ProfileFile[]): readonly ConvertedFile[] {
  const named = files.flatMap(({ text }) =>
    [...text.matchAll(/path: ["']?(?:\.\/)?([\w./-]+\.json)/g)].map((match) => match[1] ?? ''),
  );
  return [...new Set(named)].flatMap((path) => {
    const source = json.find((each) => each.path === path || each.path.endsWith(`/${path}`));
    return source === undefined ? [] : [{ path, text: source.text, from: source.path, conditions: 0, texts: 0 }];
  });
}

/** Renames files of different folders that have the same name: later ones get a number. */
function withOwnPaths(files: readonly ConvertedFile[]): readonly ConvertedFile[] {
  const used = new Set<string>();
  return files.map((file) => {
    let { path } = file;
    for (let round = 2; used.has(path.toLowerCase()); round += 1) path = file.path.replace(/(\.\w+)$/, `_${round}$1`);
    used.add(path.toLowerCase());
    return { ...file, path };
  });
}

function said(kind: Finding['kind'], file: string, message: string): Finding {
  return { kind, file, line: 1, column: 1, message };
}

/** Notes tool descriptions that belong to no server. */
function noteDescriptions(file: SourceFile, servers: readonly string[]): void {
  for (const key of Object.keys(file.data)) {
    if (readDescriptions({ [key]: file.data[key] ?? null }, servers).size > 0) continue;
    find(file, 'not_converted', {
      at: keyNode(file.root, key),
      message: `no server of mcp.json has the tool ${key}`,
      hint: 'settings.tools of a toolset contains descriptions: docs/mcp.md',
    });
  }
}

/** Files that the loader rejects are not converted. */
function fromDiagnostic({ source, message, hint }: Diagnostic): Finding {
  const { file, line, column } = source;
  return { kind: 'not_converted', file, line, column, message, ...(hint === undefined ? {} : { hint }) };
}
