import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Snapshot } from '../core/events/journal.ts';
import type { RunId } from '../core/ids.ts';

/** What a store keeps beside a snapshot to find out whether it can be relied on. */
export interface SnapshotMarks {
  readonly sum: number;
  /** HMAC-SHA256 over the snapshot; null without a key. */
  readonly seal: Uint8Array | null;
}

/** Computes the marks of a snapshot. */
export function marksOf(key: Uint8Array | undefined, runId: RunId, snapshot: Snapshot): SnapshotMarks {
  return { sum: crc32(snapshot.body), seal: key === undefined ? null : sealOf(key, runId, snapshot) };
}

/** Reads a snapshot from its row; undefined when the marks are not those of the body, or were made without the key. */
export function toSnapshot(
  key: Uint8Array | undefined,
  runId: RunId,
  { seq, layout, body, sum, seal }: Readonly<Record<string, unknown>>,
): Snapshot | undefined {
  if (!(body instanceof Uint8Array) || crc32(body) !== Number(sum)) return undefined;
  const snapshot = { seq: Number(seq), layout: String(layout), body };
  if (key === undefined) return snapshot;
  const expected = sealOf(key, runId, snapshot);
  return seal instanceof Uint8Array && seal.length === expected.length && timingSafeEqual(seal, expected) ? snapshot : undefined;
}

function sealOf(key: Uint8Array, runId: RunId, { seq, layout, body }: Snapshot): Uint8Array {
  return createHmac('sha256', key)
    .update(JSON.stringify(['cadre snapshot 1', runId, seq, layout]))
    .update(body)
    .digest();
}
