import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { CadreError, describeThrown } from '../../../core/error.ts';
import type { ProfileEdit } from '../../../core/events/profile-edit.ts';
import { readModuleActions, readProfileEdits } from '../../../engine/launch/edit-schemas.ts';
import { nameIn } from '../../../profiles/files/edit-profile-files.ts';
import type { RunAction } from '../../../server/reach/run-action.ts';
import { actOnRun, type SteeringOptions } from '../../runs/act-on-run.ts';
import type { ExitCode } from '../../exit-code.ts';

/** Options of `edit`. */
export interface EditCommandOptions extends SteeringOptions {
  /** Files with profiles. */
  readonly create?: readonly string[];
  readonly update?: readonly string[];
  readonly disable?: readonly string[];
  /** `OLD=NEW`. */
  readonly rename?: readonly string[];
  /** File with a list of changes to the plan. */
  readonly modules?: string;
}

/** Changes the profiles or the plan of a run in any process, while it continues. */
export async function editCommand(run: string, options: EditCommandOptions): Promise<ExitCode> {
  const edits = await profileEdits(options);
  const { modules } = options;
  if ((edits.length === 0) === (modules === undefined))
    throw new CadreError(
      'OPTION_INVALID',
      'name the change: either of profiles (--create, --update, --disable, --rename), or of the plan (--modules)',
    );
  const action: RunAction =
    modules === undefined
      ? { kind: 'profiles', edits: readProfileEdits(edits) }
      : { kind: 'modules', actions: readModuleActions(parse(await textOf(modules))) };
  return await actOnRun(run, options, { action, success: 'Changed.' });
}

/** Returns the edits, renames first: an update or disable in the same command may use the new name. */
async function profileEdits({
  create = [],
  update = [],
  disable = [],
  rename = [],
}: EditCommandOptions): Promise<readonly ProfileEdit[]> {
  const updates = update.map(async (file): Promise<ProfileEdit> => {
    const text = await textOf(file);
    return { update: nameIn(text), with: text };
  });
  return [
    ...rename.map(toRename),
    ...(await Promise.all(create.map(async (file) => ({ create: await textOf(file) })))),
    ...(await Promise.all(updates)),
    ...disable.map((name) => ({ disable: name })),
  ];
}

function toRename(pair: string): ProfileEdit {
  const [name = '', to = '', ...more] = pair.split('=');
  if (name === '' || to === '' || more.length > 0) throw new CadreError('OPTION_INVALID', `--rename takes OLD=NEW, not '${pair}'`);
  return { rename: name, to };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `${file} cannot be read: ${describeThrown(thrown)}`, { cause: thrown });
  }
}
