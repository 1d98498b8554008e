import type { Context } from 'hono';
import { CadreError } from '../../core/error.ts';
import { answerError } from './error-statuses.ts';
import type { ServerEnv } from './server-parts.ts';

/** Maximum number of open event streams: half of the connections of a server, so that requests always get one. */
const mostReaders = 128;
/**
 * Maximum number of streams for one browser. Browsers open six connections to a host over HTTP/1.1, all windows together: more streams
 * would keep every request of further windows waiting.
 */
const mostOfBrowser = 4;
const retrySeconds = 2;

/**
 * Places for readers of event streams. A reader without a place is answered with SERVER_BUSY (503) and `Retry-After` at once, and can read
 * the same events by requests.
 */
export class EventReaders {
  #open = 0;
  readonly #byBrowser = new Map<string, number>();

  /** Answers with a stream if there is a place, which `answer` gives back by calling `leave`, once. */
  async admit(context: Context<ServerEnv>, answer: (leave: () => void) => Promise<Response>): Promise<Response> {
    const browser = browserOf(context);
    const own = browser === undefined ? 0 : (this.#byBrowser.get(browser) ?? 0);
    if (this.#open >= mostReaders || own >= mostOfBrowser) return refuse(context, own >= mostOfBrowser);
    this.#count(browser, 1);
    let isHeld = true;
    const leave = (): void => {
      if (isHeld) this.#count(browser, -1);
      isHeld = false;
    };
    try {
      return await answer(leave);
    } catch (thrown) {
      leave();
      throw thrown;
    }
  }

  #count(browser: string | undefined, change: 1 | -1): void {
    this.#open += change;
    if (browser === undefined) return;
    const now = (this.#byBrowser.get(browser) ?? 0) + change;
    if (now === 0) this.#byBrowser.delete(browser);
    else this.#byBrowser.set(browser, now);
  }
}

/** Identifies a browser by its address and name, which begins alike in all browsers; undefined for other programs. */
function browserOf({ req, env }: Context<ServerEnv>): string | undefined {
  const name = req.header('user-agent') ?? '';
  return name.startsWith('Mozilla/') ? `${env?.incoming?.socket.remoteAddress ?? ''} ${name}` : undefined;
}

function refuse(context: Context<ServerEnv>, isBrowser: boolean): Response {
  context.header('Retry-After', String(retrySeconds));
  // A refused reader must not keep a connection, either.
  context.header('Connection', 'close');
  const reason = isBrowser
    ? `this browser reads ${mostOfBrowser} streams of events`
    : `${mostReaders} readers have a stream of events`;
  const more = 'the others read events with GET /api/runs/RUN/journal?after=SEQ, or try again later';
  return answerError(context, new CadreError('SERVER_BUSY', `${reason}, the most at a time; ${more}`));
}
