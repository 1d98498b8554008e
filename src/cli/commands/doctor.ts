import type { ProfileSet } from '../../core/profile/profile.ts';
import { createEngine } from '../../engine/create-engine.ts';
import { engineVersion } from '../../engine/version.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import { checkJournal } from '../doctor/check-journal.ts';
import { checkModels } from '../doctor/check-models.ts';
import { checkToolsets } from '../doctor/check-toolsets.ts';
import { failed, type Finding, note, ok, problem } from '../doctor/finding.ts';
import type { ExitCode } from '../exit-code.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import { folderText, profilesFolder } from '../options/profiles-folder.ts';
import { jsonText } from '../terminal/json-text.ts';
import { storePlace } from '../options/store-path.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { FolderTrust } from '../trust/folder-trust.ts';

/** Options of `doctor`. */
export interface DoctorOptions {
  readonly profiles?: string;
  readonly store?: string;
  /** Calls each model once. */
  readonly call?: boolean;
  /** Contacts nothing outside this machine. */
  readonly offline?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** Checks what runs of this project need, prints what was found and what to do, and fails when something does not work. */
export async function doctorCommand(options: DoctorOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  const findings = [nodeFinding(), ...(await checkProject(options)), ...(await checkJournal(options.store))];
  const problems = findings.filter(({ status }) => status === 'problem').length;
  if (options.json === true) terminal.print(`${jsonText({ ok: problems === 0, version: engineVersion, findings }, 2)}\n`);
  else {
    for (const finding of findings) terminal.print(findingText(finding, terminal.outStyle));
    terminal.print(problems === 0 ? '\nAll that runs of this project need works.\n' : `\n${countText(problems, 'problem')}.\n`);
  }
  return problems === 0 ? 0 : 1;
}

function nodeFinding(): Finding {
  const started = process.env['CADRE_NODE'] === undefined ? '' : ', installed as a package';
  return ok('Node', `${process.versions.node} on ${process.platform}-${process.arch}${started}; Cadre ${engineVersion}`);
}

async function checkProject(options: DoctorOptions): Promise<readonly Finding[]> {
  try {
    const folder = profilesFolder(options.profiles);
    await using engine = await createEngine({ profiles: folder, tools: knownDocumentTools(), store: 'memory' });
    const set = engine.profiles;
    const isTrusted = await trustFinding(folder, set, options);
    const contacts = options.offline !== true && isTrusted.status === 'ok';
    const models = await checkModels(set, { env: process.env, connects: contacts, calls: contacts && options.call === true });
    return [profilesFinding(folder, set), isTrusted, ...models, ...(await checkToolsets(set))];
  } catch (thrown) {
    return [{ ...failed('profiles', thrown), todo: 'cadre validate' }];
  }
}

function profilesFinding(folder: string, { profiles, warnings }: ProfileSet): Finding {
  const found = `${folderText(folder)}: ${countText(profiles.size, 'profile')}`;
  if (warnings.length === 0) return ok('profiles', found);
  return note('profiles', `${found}, ${countText(warnings.length, 'warning')}`, 'cadre validate');
}

/** Nothing that a folder names is contacted before its user trusts it. */
async function trustFinding(folder: string, set: ProfileSet, { trust, store }: DoctorOptions): Promise<Finding> {
  const check = new FolderTrust({
    place: folder,
    store: store === undefined ? undefined : storePlace(store),
    isAgreed: trust === true,
  });
  return await check.check(set).then(
    () => ok('trust', 'what the profiles start, read and call is agreed to'),
    () =>
      problem(
        'trust',
        'what the profiles start, read and call is not agreed to; no address of theirs was contacted',
        'review it with: cadre run, or agree with --trust',
      ),
  );
}

function findingText({ what, status, found, todo }: Finding, style: TextStyle): string {
  const mark = { ok: style.green('✓'), note: style.yellow('!'), problem: style.red('✗') }[status];
  const lines = [`${mark} ${style.bold(toTerminalLine(what, 200))}: ${toTerminalLine(found, 2_000)}\n`];
  if (todo !== undefined) lines.push(`  → ${toTerminalLine(todo, 500)}\n`);
  return lines.join('');
}
