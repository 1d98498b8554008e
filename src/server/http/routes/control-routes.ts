import type { Context } from 'hono';
import { CadreError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { limitsWithin } from '../../../engine/limit-options.ts';
import type { ForkOptions, LaunchOptions, LaunchRequest, ProfileChoice } from '../../../engine/launch-options.ts';
import { checkProject } from '../../../engine/run-catalog.ts';
import { readAction } from '../../reach/action-schemas.ts';
import { toActionDone } from '../../reach/perform-action.ts';
import type { RunAction } from '../../reach/run-action.ts';
import { bodySchemas } from './control-schemas.ts';
import { bodyHash, onceId } from '../once-key.ts';
import { bodyWords, readBody, readJsonBody } from '../request-body.ts';
import { roleFor } from '../../access/access-table.ts';
import { includesRole } from '../../../core/roles.ts';
import { isAskingItself } from '../../reach/asks-itself.ts';
import { assertParts, byOf, personOf, type Routes } from '../routes.ts';
import type { ServerEnv, ServerParts } from '../server-parts.ts';
import type { RunId } from '../../../core/ids.ts';
import { isKnown } from '../../../engine/launch/free-run-id.ts';
import type { Engine } from '../../../engine/engine.ts';

/** Adds the routes that launch runs and act on them, whichever process advances them. */
export function addControlRoutes(routes: Routes, parts: ServerParts): void {
  addRunStarts(routes, parts);

  routes.post('/api/runs/:id/messages', async (context) => {
    const action = await readRequest(context, 'send');
    const mayAnswer = includesRole(personOf(context).role, roleFor('POST /api/runs/:id/messages', 'checkpoint'));
    // The run refuses it again as it arrives; here, the refusal names the role.
    if (!mayAnswer) await assertMayMessage(context, parts.engine, action.to);
    const itemId = action.itemId ?? onceId(context, 'x');
    const done = await parts.reach.act(
      context.req.param('id'),
      { ...action, ...(itemId === undefined ? {} : { itemId }) },
      { ...byOf(context), mayAnswer },
    );
    return context.json(done, 202);
  });
  for (const kind of ['approve', 'reject', 'answer', 'note', 'cancel', 'profiles', 'modules'] as const)
    routes.post(`/api/runs/:id/${kind}` as const, async (context) =>
      context.json(await parts.reach.act(context.req.param('id'), await readRequest(context, kind), byOf(context))),
    );
}

/** Refuses a message that would let an agent pass a checkpoint. */
async function assertMayMessage(context: Context<ServerEnv>, engine: Engine, to: string | undefined): Promise<void> {
  const run = await engine.open(context.req.param('id') ?? '');
  if (isAskingItself(run, to)) assertParts(context, 'POST /api/runs/:id/messages', ['checkpoint']);
}

function addRunStarts(routes: Routes, { engine, launch, defaultProfile }: ServerParts): void {
  const launches = new Launches(engine);

  routes.post('/api/runs', async (context) => {
    const body = await readBody(context, bodySchemas.launch);
    assertParts(context, 'POST /api/runs', Object.keys(body));
    const request = launchRequest(body, defaultProfile(), onceId(context, 'run'));
    const { limits, llmConfig, request: values } = body as Pick<LaunchOptions, 'limits' | 'llmConfig' | 'request'>;
    const { project } = body as { readonly project?: string };
    if (project !== undefined) checkProject(project);
    const { runId, isNew } = await launches.launch(request, {
      ...launch,
      ...byOf(context),
      ...(limits === undefined ? {} : { limits: limitsWithin(launch.limits ?? {}, limits) }),
      ...(llmConfig === undefined ? {} : { llmConfig }),
      // A client cannot override values that the server's operator sets for all runs.
      ...(values === undefined ? {} : { request: { ...values, ...launch.request } }),
    });
    if (project !== undefined && isNew) await engine.catalog.move(runId, project);
    context.header('Location', `/api/runs/${runId}`);
    return context.json({ runId }, isNew ? 201 : 200);
  });

  routes.post('/api/runs/:id/resume', async (context) => {
    const { profiles } = (await readBody(context, bodySchemas.resume)) as { readonly profiles?: ProfileChoice };
    const run = await engine.resume(context.req.param('id'), {
      ...(profiles === undefined ? {} : { profiles }),
      ...byOf(context),
    });
    if (run.state.outcome !== undefined)
      throw new CadreError('RUN_ENDED', `run ${run.id} has ended (${run.state.status}); launch a new one, or fork it`);
    return context.json(toActionDone(run));
  });

  routes.post('/api/runs/:id/fork', async (context) => {
    const body = (await readBody(context, bodySchemas.fork)) as Pick<
      ForkOptions,
      'at' | 'before' | 'profiles' | 'llmConfig' | 'edits'
    >;
    const run = await engine.fork(context.req.param('id'), { ...launch, ...body, ...byOf(context) });
    context.header('Location', `/api/runs/${run.id}`);
    return context.json({ runId: run.id }, 201);
  });
}

function launchRequest(body: JsonObject, defaultProfile: string | undefined, runId: string | undefined): LaunchRequest {
  const profile = typeof body['profile'] === 'string' ? body['profile'] : defaultProfile;
  if (profile === undefined)
    throw new CadreError('REQUEST_INVALID', 'name the profile to begin with: this server has none by default (see /api/info)');
  return {
    profile,
    input: body['input'],
    ...(typeof body['title'] === 'string' ? { title: body['title'] } : {}),
    ...(runId === undefined ? {} : { runId, requestHash: bodyHash(body) }),
  };
}

async function readRequest<Kind extends RunAction['kind']>(
  context: Context<ServerEnv>,
  kind: Kind,
): Promise<Extract<RunAction, { kind: Kind }>> {
  return readAction(kind, await readJsonBody(context), { what: bodyWords, code: 'REQUEST_INVALID' });
}

/** A launch in progress. */
interface Launching {
  readonly isNew: Promise<boolean>;
  readonly requestHash: string | undefined;
}

/** Launches runs, each id once: the same request again gets the same run, another request with its id fails with REQUEST_CONFLICT. */
class Launches {
  readonly #engine: Engine;
  readonly #launching = new Map<string, Launching>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the id of the run, and whether this request launched it. */
  async launch(request: LaunchRequest, options: LaunchOptions): Promise<{ readonly runId: string; readonly isNew: boolean }> {
    const { runId, requestHash } = request;
    if (runId === undefined) return { runId: (await this.#engine.launch(request, options)).id, isNew: true };
    const launching = this.#launching.get(runId);
    if (launching !== undefined) {
      assertSame(runId, launching.requestHash, requestHash);
      await launching.isNew;
      return { runId, isNew: false };
    }
    const isNew = this.#begin(runId, request, options);
    this.#launching.set(runId, { isNew, requestHash });
    try {
      return { runId, isNew: await isNew };
    } finally {
      this.#launching.delete(runId);
    }
  }

  async #begin(runId: string, request: LaunchRequest, options: LaunchOptions): Promise<boolean> {
    if (await isKnown(this.#engine.records, runId as RunId)) {
      const [start] = await this.#engine.records.read(runId as RunId, { limit: 1 });
      assertSame(runId, start?.type === 'run.start' ? start.requestHash : undefined, request.requestHash);
      return false;
    }
    await this.#engine.launch(request, options);
    return true;
  }
}

/** Runs of earlier versions have no request hash. */
function assertSame(runId: string, before: string | undefined, now: string | undefined): void {
  if (before === undefined || now === undefined || before === now) return;
  throw new CadreError(
    'REQUEST_CONFLICT',
    `this Idempotency-Key was used for another request, which launched run ${runId}; nothing was done. Send the same body to repeat that request, or take a new key`,
    { details: { runId } },
  );
}
