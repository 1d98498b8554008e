import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine, type Engine, type EngineOptions } from '../../src/index.ts';
import type { ScriptedReplyFunction } from '../../src/models/scripted/scripted-replies.ts';
import type { ScriptedReply } from '../../src/models/scripted/scripted-reply.ts';
import { serve, type Served, type ServeOptions } from '../../src/server/http/serve.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import type { PageBrowser } from './browser.ts';
import { profileFiles } from '../support/test-engine.ts';

/** Options of a served team; all except the replies have defaults. */
export interface ServedTeamOptions extends Partial<Omit<EngineOptions, 'profiles' | 'models' | 'store'>> {
  /** YAML of the root's profile after its name and model, or of several profiles by name. */
  readonly profile?: string | Readonly<Record<string, string>>;
  readonly replies?: ScriptedReplyFunction | readonly (ScriptedReply | ScriptedReplyFunction)[];
  readonly serving?: ServeOptions;
}

/** A team with a real journal and the system clock, served as `cadre serve` does. */
export interface ServedTeam extends AsyncDisposable {
  readonly engine: Engine;
  readonly url: string;
  /** Path of its journal. */
  readonly store: string;
  /** Stops listening: connections break and requests fail until `comeBack`. */
  goAway(): Promise<void>;
  /** Listens again at the same address. */
  comeBack(): Promise<void>;
}

/** Serves an engine over SQLite with a scripted model on a free port; disposal closes the browser's windows first. */
export async function serveTeam(browser: PageBrowser, options: ServedTeamOptions = {}): Promise<ServedTeam> {
  const { profile = '', replies = [], serving, ...rest } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-page-test-'));
  const store = path.join(folder, 'journal.db');
  const files = profileFiles(profile);
  const engine = await createEngine({ team: false, ...rest, profiles: { files }, models: { m: scriptedModel(replies) }, store });
  let served: Served | undefined = await serve(engine, serving);
  const { url, port } = served;
  return {
    engine,
    url,
    store,
    goAway: async () => {
      await served?.close();
      served = undefined;
    },
    comeBack: async () => {
      served = await serve(engine, { ...serving, port });
    },
    [Symbol.asyncDispose]: async () => {
      await browser.closeWindows();
      await served?.close();
      await engine.close({ graceMs: 100 });
      rmSync(folder, { recursive: true });
    },
  };
}
