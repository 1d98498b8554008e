import { describeThrown } from '../../core/error.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { describeKey } from '../../core/model/model-key.ts';
import { findProvider, splitModelName } from '../../core/model/model-provider.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { createLlmConfigs, type LlmConfigs } from '../../engine/launch/llm-configs.ts';
import { systemClock } from '../../engine/system-clock.ts';
import { costText, countText, durationText } from '../../inspect/format/text/quantity-text.ts';
import { type CheckedModelGateway, createModelGateway } from '../../models/gateway.ts';
import { callsModel } from '../options/model-line.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** Longest wait for a server to accept a connection, in milliseconds. */
const connectMs = 5_000;
/** Longest reply of a trial call, in tokens. */
const trialTokens = 16;

/** Options of `checkModels`. */
export interface ModelChecks {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Connects to the addresses of models. */
  readonly connects: boolean;
  /** Calls each model once, which may cost money. */
  readonly calls: boolean;
}

/** Checks every model that the profiles of a set use: settings, key, package, price, address, and on request a call. */
export async function checkModels(set: ProfileSet, checks: ModelChecks): Promise<readonly Finding[]> {
  const configs = createLlmConfigs(set.llmConfigs, { prices: set.prices });
  const gateway = createModelGateway({
    models: {},
    clock: systemClock,
    env: checks.env,
    llmConfigs: (name) => configs.find(name),
  });
  const users = Map.groupBy([...set.profiles.values()].filter(callsModel), ({ llmConfigRef }) => llmConfigRef);
  const findings: Finding[] = [];
  for (const [name, profiles] of users) findings.push(...(await checkConfig(name, profiles.length, { configs, gateway, checks })));
  return findings;
}

interface ConfigParts {
  readonly configs: LlmConfigs;
  readonly gateway: CheckedModelGateway;
  readonly checks: ModelChecks;
}

async function checkConfig(name: string, users: number, { configs, gateway, checks }: ConfigParts): Promise<readonly Finding[]> {
  const what = `LLM config ${name}`;
  const used = `used by ${countText(users, 'profile')}`;
  const declared = configs.find(name);
  if (declared === undefined) return [problem(what, `${used}, and there is none`, `write llm_configs/${name}.yaml`)];
  const check = gateway.resolves(declared);
  if (!check.ok) return [problem(what, `${used}: ${check.error.message}`)];
  const { config } = check;
  const model = [config.provider, config.model].filter((part) => part !== '').join('/');
  if (config.name !== declared.name) return [standInFinding(what, `${model} instead, ${used}`, { declared, gateway })];
  const found = `${model}, ${used}`;
  if (config.provider === 'scripted' || config.provider === 'replay') return [ok(what, `${found}; calls no model`)];
  const known = [ok(what, `${found}. ${describeKey(config, checks.env)}`), priceFinding(config, configs)];
  if (checks.calls) return [...known, await callOnce(config, gateway)];
  return checks.connects ? [...known, ...(await connect(config))] : known;
}

/** A config that is not configured, whose stand-in answers: the error of the config itself names what it needs. */
function standInFinding(
  what: string,
  used: string,
  { declared, gateway }: { readonly declared: LlmConfig; readonly gateway: CheckedModelGateway },
): Finding {
  const { whenUnconfigured: _standIn, ...alone } = declared;
  const check = gateway.resolves(alone);
  return note(what, used, check.ok ? undefined : check.error.message);
}

function priceFinding(config: LlmConfig, configs: LlmConfigs): Finding {
  const what = `price of ${config.model}`;
  return configs.isUnpriced(config)
    ? note(what, 'unknown: limits of cost cannot be held', `cadre prices ${config.provider} --update`)
    : ok(what, 'known');
}

/** Tells whether a server answers at the address of a config at all; any answer will do. */
async function connect(config: LlmConfig): Promise<readonly Finding[]> {
  const address = addressOf(config);
  const what = `address of ${config.name}`;
  if (address === undefined) return [note(what, 'known to its package only, and not contacted', 'cadre doctor --call')];
  const started = performance.now();
  try {
    const answer = await fetch(address, { method: 'GET', redirect: 'manual', signal: AbortSignal.timeout(connectMs) });
    await answer.body?.cancel();
    return [ok(what, `${address} answers after ${durationText(performance.now() - started)}; call the model with --call`)];
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    return [problem(what, `${address} does not answer: ${describeThrown(cause)}`, 'start the server, or correct base_url')];
  }
}

/** Address that a config's calls go to, without user and password; undefined where only its package knows it. */
function addressOf(config: LlmConfig): string | undefined {
  const name = config.provider === '' ? splitModelName(config.model)?.provider : config.provider;
  const address = config.baseUrl ?? findProvider(name ?? '')?.baseUrl;
  if (address === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

async function callOnce(config: LlmConfig, gateway: CheckedModelGateway): Promise<Finding> {
  const what = `call of ${config.name}`;
  const started = performance.now();
  const outcome = await gateway.call({
    config: { ...config, fallbacks: [], retry: { maxRetries: 0, waitMs: 0, maxWaitMs: 0 } },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Reply with the word ready.' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    maxOutputTokens: trialTokens,
    signal: new AbortController().signal,
  });
  const took = durationText(performance.now() - started);
  if (outcome.kind === 'error') return problem(what, `failed after ${took}: ${outcome.error.message}`);
  const { cost } = outcome;
  return ok(what, `answered in ${took}${cost === undefined ? '' : ` for ${costText(cost)}`}`);
}
