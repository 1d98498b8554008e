import { timeText } from '../../src/inspect/format/text/quantity-text.ts';

/** A time, as `02:03:42 GMT+1`, after the date (`2026-11-23`) unless it is today; the tooltip has it in UTC. */
export function Time(props: {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Time zone in the column's heading, which is then not repeated. */
  readonly under?: string;
  /** True to show milliseconds. */
  readonly precise?: boolean;
}) {
  const { at, under, precise = false } = props;
  const utc = timeText(at);
  const date = new Date(at);
  const zone = zoneOf(at);
  if (Number.isNaN(date.getTime())) return <>?</>;
  return (
    <time dateTime={utc} title={`${utc} (UTC)`} class="number">
      {dayOf(date) === dayOf(new Date()) ? '' : `${dayOf(date)} `}
      {[date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => digits(part)).join(':')}
      {precise && `.${digits(date.getMilliseconds(), 3)}`}
      {zone === under ? '' : ` ${zone}`}
    </time>
  );
}

const zones = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

/** Returns the name of this machine's time zone at a time: `UTC`, `GMT+1`, `EST`. */
export function zoneOf(at: number = Date.now()): string {
  if (Math.abs(at) > 8.64e15) return '';
  return zones.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function dayOf(date: Date): string {
  return `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
}

function digits(value: number, count = 2): string {
  return String(value).padStart(count, '0');
}
