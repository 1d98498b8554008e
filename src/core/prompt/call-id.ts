import type { RawToolCall } from '../model/model.ts';

// Some gateways encode signatures of several thousand characters into ids; anything longer is not an id.
const mostChars = 16_384;
const printable = /^[\x21-\x7e]+$/;
const ofEngine = /^c[0-9a-z]{8}$/;
const numbered = /^(.*\D):\d+$/;

/** The call ids of a history. */
export type UsedIds = Pick<ReadonlySet<string>, 'has' | 'size'>;

/**
 * Returns the id of a call and its result in history: the provider's id if it gave one that is unused in this history, else
 * undefined for the engine's id. A repeated id that counts calls (`functions.search:0`) keeps its form with the next free
 * number: models trained on the form stop calling tools once they read another one. `used` holds the ids of the history.
 */
export function wireIdOf(call: Pick<RawToolCall, 'providerCallId' | 'isIdOurs'>, used: UsedIds): string | undefined {
  const { providerCallId: id } = call;
  if (call.isIdOurs === true || id.length > mostChars || !printable.test(id) || ofEngine.test(id)) return undefined;
  if (!used.has(id)) return id;
  const [, form] = numbered.exec(id) ?? [];
  if (form === undefined) return undefined;
  for (let number = used.size; ; number += 1) {
    const free = `${form}:${number}`;
    if (!used.has(free)) return free;
  }
}
