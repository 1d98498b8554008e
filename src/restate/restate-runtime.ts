import { setTimeout as pause } from 'node:timers/promises';
import type { SharedJournal } from '../core/events/journal.ts';
import { CadreError } from '../core/error.ts';
import type { RunId } from '../core/ids.ts';
import type { Applied, Delivery, Runtime, RuntimeHost, RuntimeLink, RuntimeWorker } from '../core/runtime.ts';
import { openEndpoint } from './restate-endpoint.ts';
import { RestateHttp } from './restate-http.ts';
import { type RestateOptions, type RestatePlace, restatePlace } from './restate-options.ts';
import { type ClusterFacts, serviceNames, type ServiceNames } from './restate-services.ts';
import { readJson } from '../core/read-json.ts';

export type { RestateOptions, RestateWorkerOptions } from './restate-options.ts';

/** Major version of Restate that the services are made for. */
const major = 1;
/** Milliseconds that an answer may take: at the start, and for an input. */
const startMs = 10_000;
/** Milliseconds for an answer of workers that may all be gone. */
const workerMs = 2_000;
const inputMs = 120_000;
/** Milliseconds between two looks at whether Restate still knows its workers. */
const lookMs = 2_000;
/** Milliseconds that an input waits for workers to register again, and between its tries. */
const registeredAgainMs = 30_000;
const registeringPauseMs = 500;

/**
 * Runs on Restate: a virtual object per run takes inputs one at a time, effects are calls that any worker serves, timers are delayed calls.
 * The journal, on PostgreSQL, holds all state; Restate holds what is on its way.
 */
export function restateRuntime(options: RestateOptions): Runtime {
  const place = restatePlace(options);
  return {
    location: place.ingress,
    name: `restate/${place.name}`,
    connect: async (journal) => {
      const link = new RestateLink(place, journal);
      await link.check();
      return link;
    },
  };
}

class RestateLink implements RuntimeLink {
  readonly #place: RestatePlace;
  readonly #journal: SharedJournal;
  readonly #http: RestateHttp;
  readonly #names: ServiceNames;
  /** True once workers were registered: when they no longer are, Restate lost its data. */
  #wasServed = false;

  constructor(place: RestatePlace, journal: SharedJournal) {
    this.#place = place;
    this.#journal = journal;
    this.#http = new RestateHttp(place);
    this.#names = serviceNames(place.name);
  }

  /** Checks that Restate answers, with a version that fits, and belongs to the journal. */
  async check(): Promise<void> {
    const doing = 'connecting';
    await this.#http.send({ to: 'ingress', path: '/restate/health', method: 'GET', withinMs: startMs, doing });
    const { status, text } = await this.#http.send({ to: 'admin', path: '/version', method: 'GET', withinMs: startMs, doing });
    const version = status === 200 ? /"version"\s*:\s*"(\d+)[^"]*"/.exec(text) : null;
    if (version === null) throw this.#http.failure({ to: 'admin', doing }, `it does not tell its version (${status})`);
    if (Number(version[1]) !== major)
      throw new CadreError(
        'RUNTIME_FAILED',
        `Restate at ${this.#place.admin} has ${version[0]}; Cadre works with version ${major}`,
      );
    this.#wasServed = await this.#isServed();
    if (this.#wasServed) await this.#identify(false, workerMs);
  }

  async submit(runId: RunId, delivery: Delivery): Promise<Pick<Applied, 'refused'>> {
    const { status, text } = await this.#call(runId, delivery, '');
    if (status === 200) return readJson(text) as Pick<Applied, 'refused'>;
    throw this.#http.failure({ to: 'ingress', doing: 'delivering an input' }, `it answered ${status}: ${text.slice(0, 500)}`);
  }

  async send(runId: RunId, delivery: Delivery): Promise<void> {
    const { status, text } = await this.#call(runId, delivery, '/send');
    if (status >= 300)
      throw this.#http.failure({ to: 'ingress', doing: 'sending an input' }, `it answered ${status}: ${text.slice(0, 500)}`);
  }

  async settled(keys: readonly string[], ms: number): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const path = `/restate/invocation/${this.#names.effects}/perform/${encodeURIComponent(key)}/attach`;
        // One that does not end in time is none the less being stopped.
        await this.#http.send({ to: 'ingress', path, method: 'GET', withinMs: ms, doing: 'waiting' }).catch(() => undefined);
      }),
    );
  }

  async serve(host: RuntimeHost, onLost: () => void = () => undefined): Promise<RuntimeWorker> {
    const { worker } = this.#place;
    const endpoint = await openEndpoint(this.#names, host, worker);
    try {
      // Before it takes the place of workers of another journal.
      if (await this.#isServed()) await this.#identify(worker.adopt === true, workerMs);
      await this.#register(worker.address ?? endpoint.url);
      await this.#identify(worker.adopt === true, startMs);
    } catch (thrown) {
      await endpoint.close(0);
      throw thrown;
    }
    const address = worker.address ?? endpoint.url;
    this.#wasServed = true;
    const stop = this.#watchData(address, onLost);
    return {
      address,
      close: async (graceMs) => {
        stop();
        await endpoint.close(graceMs);
      },
    };
  }

  /**
   * Looks whether Restate, at the same address, still knows its workers. One that does not has lost its data: the worker registers again, and
   * the journal belongs to what is there now. Each look that fails leaves the rest to the next one. Inputs have their ids in the journal, and
   * effects their marks: nothing is done twice.
   */
  #watchData(address: string, onLost: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let hasLost = false;
    const look = async (): Promise<void> => {
      try {
        const isServed = await this.#isServed();
        hasLost ||= !isServed;
        if (hasLost && !isOver) {
          if (!isServed) await this.#register(address);
          if (await this.#identify(true, startMs)) {
            hasLost = false;
            process.emitWarning(
              `Restate at ${this.#place.ingress} lost its data; the worker ${address} has registered again, and open runs are looked at`,
              'CadreWarning',
            );
            onLost();
          }
        }
      } catch {
        // Restate or the journal is away: the next look tries again.
      }
      later();
    };
    const later = (): void => {
      if (!isOver) timer = setTimeout(() => void look(), lookMs).unref();
    };
    later();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  async #call(runId: RunId, delivery: Delivery, how: '' | '/send') {
    const path = `/${this.#names.runs}/${encodeURIComponent(runId)}/apply${how}`;
    const body = { id: delivery.id, input: delivery.input };
    const until = performance.now() + registeredAgainMs;
    do {
      const answer = await this.#http.send({
        to: 'ingress',
        path,
        body,
        key: delivery.id,
        withinMs: inputMs,
        isPatient: true,
        doing: 'delivering an input',
      });
      if (answer.status !== 404) {
        this.#wasServed = true;
        return answer;
      }
      // Workers that were there register again when Restate lost its data.
      if (this.#wasServed) await pause(registeringPauseMs);
    } while (this.#wasServed && performance.now() < until);
    throw new CadreError(
      'RUNTIME_FAILED',
      `no worker has registered with Restate at ${this.#place.ingress} yet (there is no service ${this.#names.runs}); start one: cadre worker`,
    );
  }

  /** True when workers have registered. A Restate that cannot tell, such as one that starts, is a failure. */
  async #isServed(): Promise<boolean> {
    const path = `/services/${this.#names.cluster}`;
    const doing = 'looking for workers';
    const { status, text } = await this.#http.send({ to: 'admin', path, method: 'GET', withinMs: startMs, doing });
    if (status === 200 || status === 404) return status === 200;
    throw this.#http.failure({ to: 'admin', doing }, `it answered ${status}: ${text.slice(0, 500)}`);
  }

  async #register(uri: string): Promise<void> {
    const doing = `registering the worker ${uri}`;
    const { status, text } = await this.#http.send({
      to: 'admin',
      path: '/deployments',
      body: { uri, force: true },
      withinMs: startMs,
      doing,
    });
    if (status < 300) return;
    throw this.#http.failure({ to: 'admin', doing }, `it answered ${status}: ${text.slice(0, 500)}. Restate must reach ${uri}`);
  }

  /** Makes sure that this Restate and the journal belong together, and to no others; false when no worker answers. */
  async #identify(isAdopting: boolean, withinMs: number): Promise<boolean> {
    const journal = await this.#journal.id();
    const facts = await this.#facts(journal, withinMs);
    // All workers may be gone at the moment; the first that comes back checks it.
    if (facts === undefined) return false;
    if (facts.journal !== journal)
      throw new CadreError(
        'RUNTIME_FAILED',
        `the services ${this.#place.name}_* of Restate at ${this.#place.ingress} belong to another journal; use another name for this one (--restate-name, or restateRuntime({ name }))`,
      );
    const owner = await this.#journal.runtime(facts.restate, { adopt: isAdopting });
    if (owner === facts.restate) return true;
    throw new CadreError(
      'RUNTIME_FAILED',
      `the runs of this journal belong to another Restate than the one at ${this.#place.ingress}, which has other data, or to services of another name there; connect to those (--restate, --restate-name), or, when they are gone for good, start one worker with --adopt`,
    );
  }

  async #facts(journal: string, withinMs: number): Promise<ClusterFacts | undefined> {
    try {
      const path = `/${this.#names.cluster}/self/identify`;
      const { status, text } = await this.#http.send({
        to: 'ingress',
        path,
        body: { journal },
        withinMs,
        doing: 'identifying Restate',
      });
      return status === 200 ? (readJson(text) as ClusterFacts) : undefined;
    } catch (thrown) {
      if (thrown instanceof CadreError) return undefined;
      throw thrown;
    }
  }
}
