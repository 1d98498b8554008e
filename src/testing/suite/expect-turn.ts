import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import type { TurnRecord } from '../../inspect/turn/turn-record.ts';
import { checkNames } from '../cases/check-names.ts';
import type {
  CaseBody,
  DeclaredTool,
  ExpectedCall,
  ExpectedText,
  Given,
  GivenReply,
  GivenResult,
  GivenRun,
  PlaceOf,
  RunExpectations,
  TestCase,
  Texts,
  TurnExpectations,
} from '../cases/test-case.ts';
import { checkRun } from '../expect/check-run.ts';
import { checkTurn } from '../expect/check-turn.ts';
import type { Failure } from '../expect/failure.ts';
import { promptDocument } from '../expect/prompt-origin.ts';
import { Snapshots } from '../expect/snapshots.ts';
import { TestedProfiles, type TestedProfilesOptions } from '../play/tested-profiles.ts';
import { playRun } from '../play/play-run.ts';
import { playTurn } from '../play/play-turn.ts';
import type { PlayedRun, PlayedTurn } from '../play/played.ts';
import { diffText } from './diff-text.ts';

/** Loaded profiles that many tests share: opening them takes most of the time of a test. */
export type TestProfiles = TestedProfiles;

/** Options for loading profiles to test. */
export interface TestProfilesOptions extends Pick<
  TestedProfilesOptions,
  'env' | 'tools' | 'ingestors' | 'observers' | 'functions'
> {
  /** A folder or file, several of them, files in memory, or a loaded set. */
  readonly profiles: EngineOptions['profiles'];
  /** Tools of toolsets that connect to a server, by name: no test connects. */
  readonly declared?: Readonly<Record<string, DeclaredTool>>;
}

/** Loads profiles for `expectTurn` and `expectRun`. Fails with PROFILE_INVALID, naming every problem. */
export async function loadTestProfiles(options: TestProfilesOptions): Promise<TestProfiles> {
  return await TestedProfiles.open(options);
}

/** A turn to play: the keys of a case in a test file. */
export interface TurnCase {
  /** What `loadTestProfiles` returned, or a folder that is loaded for this turn alone. */
  readonly profiles: TestProfiles | string;
  /** Profile of the tested agent. */
  readonly profile: string;
  readonly given?: Omit<Given, 'from'>;
  /** Reply of the model: a text, or its parts. */
  readonly reply?: string | GivenReply;
  /** Results of tools; no tool runs. */
  readonly results?: readonly GivenResult[];
}

/** A run to play: the keys of a case with `run` in a test file. */
export interface RunCase {
  readonly profiles: TestProfiles | string;
  /** Profile that the run starts with. */
  readonly profile: string;
  readonly run: GivenRun;
  /** Values of the request. */
  readonly request?: JsonObject;
  readonly results?: readonly GivenResult[];
  /** Most turns of all agents; 100 by default. */
  readonly maxTurns?: number;
}

/**
 * Plays one turn of an agent through the engine, without a model, and returns it for expectations. Fails with OPTION_INVALID when the turn
 * is never taken, for example because nothing wakes the agent.
 *
 * @example
 * const turn = await expectTurn({ profiles, profile: 'Partner', given: { inbox: [{ user: 'Hello' }] }, reply: '' });
 * await turn.toMatch({ rule: 'empty_reply', observers: ['count_replies_without_tools'], end: false });
 */
export async function expectTurn({ profiles, profile, given = {}, reply = '', results = [] }: TurnCase): Promise<ExpectedTurn> {
  const tested = await benchOf(profiles);
  const body: CaseBody = { name: 'turn', given, reply, results, expect: {} };
  assertNames(tested, caseOf(body, profile));
  return new ExpectedTurn(tested, { body, profile, played: await playTurn(tested, body, profile) });
}

/** Plays a run of a team, without a model, until it ends or waits, and returns it for expectations. */
export async function expectRun({ profiles, profile, run, request, results = [], maxTurns = 100 }: RunCase): Promise<ExpectedRun> {
  const tested = await benchOf(profiles);
  const body = { name: 'run', run, results, expect: {}, ...(request === undefined ? {} : { given: { request } }) };
  assertNames(tested, caseOf(body, profile));
  return new ExpectedRun(tested, { body, profile, played: await playRun(tested, body, { profile, maxTurns }) });
}

interface Expected<Played> {
  readonly body: CaseBody;
  readonly profile: string;
  readonly played: Played;
}

/** A turn that was played. Its methods throw an error that compares what is expected with what happened. */
export class ExpectedTurn {
  readonly #openProfiles: TestedProfiles;
  readonly #expected: Expected<PlayedTurn>;

  /** Made by `expectTurn`. */
  constructor(tested: TestedProfiles, expected: Expected<PlayedTurn>) {
    this.#openProfiles = tested;
    this.#expected = expected;
  }

  /** Record of the turn, as `run.turn` returns it. */
  get record(): TurnRecord {
    return this.#expected.played.record;
  }

  /** State of the run after the turn. */
  get state(): RunContext {
    return this.#expected.played.state;
  }

  /** The prompt as a readable text, for a snapshot of the test runner. */
  get promptText(): string {
    return promptDocument(this.record);
  }

  /** Checks expectations as a test file writes them, all but `prompt.snapshot`. */
  async toMatch(expect: TurnExpectations): Promise<void> {
    throwFailures(await this.failures(expect));
  }

  /** Returns the expectations that do not hold, without throwing. */
  async failures(expect: TurnExpectations): Promise<readonly Failure[]> {
    if (expect.prompt?.snapshot !== undefined)
      throw new CadreError(
        'OPTION_INVALID',
        'prompt.snapshot is for test files; compare turn.promptText with a snapshot of your test runner',
      );
    const { body, profile, played } = this.#expected;
    const testCase = caseOf({ ...body, expect }, profile);
    assertNames(this.#openProfiles, testCase);
    return await checkTurn(testCase, played, new Snapshots('.', 'none', 'none'));
  }

  /** Expects that this rule of the flow decider matched, or none for null. */
  async toDecide(rule: string | null): Promise<void> {
    await this.toMatch({ rule });
  }

  /** Expects that these observers fired. */
  async toFire(...observers: readonly string[]): Promise<void> {
    await this.toMatch({ observers });
  }

  /** Expects a text in the prompt, and its origin if given: `{ segment }`, `{ source }`, `{ ingestor }`, `{ observer }` and others. */
  async toSay(text: string, origin: Omit<ExpectedText, 'text'> = {}): Promise<void> {
    await this.toMatch({ prompt: { says: [{ text, ...origin }] } });
  }

  /** Expects that the prompt does not contain a text. */
  async toLack(text: Texts): Promise<void> {
    await this.toMatch({ prompt: { lacks: text } });
  }

  /** Expects exactly these tool calls, in order. */
  async toCall(...calls: readonly ExpectedCall[]): Promise<void> {
    await this.toMatch({ tool_calls: calls });
  }

  /** Expects that the agent ended with an outcome; false: that it goes on. */
  async toEnd(outcome: string | false): Promise<void> {
    await this.toMatch({ end: outcome });
  }
}

/** A run that was played. Its methods throw an error that compares what is expected with what happened. */
export class ExpectedRun {
  readonly #openProfiles: TestedProfiles;
  readonly #expected: Expected<PlayedRun>;

  /** Made by `expectRun`. */
  constructor(tested: TestedProfiles, expected: Expected<PlayedRun>) {
    this.#openProfiles = tested;
    this.#expected = expected;
  }

  /** Records of all turns, oldest first. */
  get turns(): readonly TurnRecord[] {
    return this.#expected.played.turns;
  }

  /** State of the run at its end, or where it waits. */
  get state(): RunContext {
    return this.#expected.played.state;
  }

  /** Checks expectations as a test file writes them. */
  async toMatch(expect: RunExpectations): Promise<void> {
    throwFailures(await this.failures(expect));
  }

  /** Returns the expectations that do not hold, without throwing. */
  async failures(expect: RunExpectations): Promise<readonly Failure[]> {
    const { body, profile, played } = this.#expected;
    const testCase = caseOf({ ...body, expect }, profile);
    assertNames(this.#openProfiles, testCase);
    return await Promise.resolve(checkRun(testCase, played));
  }
}

/**
 * Matchers for `expect.extend` of vitest and compatible runners: `await expect(turn).toMatchTurn({ rule: 'empty_reply' })`, also with
 * `not`; `toMatchRun` is the same for runs.
 */
export const turnMatchers = {
  toMatchTurn: async (turn: ExpectedTurn, expect: TurnExpectations) => matched('turn', await turn.failures(expect)),
  toMatchRun: async (run: ExpectedRun, expect: RunExpectations) => matched('run', await run.failures(expect)),
};

function matched(what: string, failures: readonly Failure[]): { readonly pass: boolean; readonly message: () => string } {
  const pass = failures.length === 0;
  return { pass, message: () => (pass ? `all that is expected of the ${what} holds` : textOf(failures)) };
}

async function benchOf(profiles: TestProfiles | string): Promise<TestedProfiles> {
  return typeof profiles === 'string' ? await TestedProfiles.open({ profiles }) : profiles;
}

function caseOf(body: CaseBody, profile: string): TestCase {
  return { body, profile, placeOf: inCode };
}

/** Places in code are the paths of what was passed. */
const inCode: PlaceOf = (path) => ({ file: path.join('.'), line: 1, column: 1 });

function assertNames(tested: TestedProfiles, testCase: TestCase): void {
  const problems = checkNames(tested, {
    file: '',
    folder: '.',
    stem: '',
    profiles: [],
    env: {},
    tools: {},
    maxTurns: 1,
    cases: [testCase],
  });
  if (problems.length === 0) return;
  const lines = problems.map(({ source, message, hint }) => `${source.file}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
  throw new CadreError('OPTION_INVALID', lines.join('\n'));
}

function throwFailures(failures: readonly Failure[]): void {
  if (failures.length > 0) throw Object.assign(new Error(textOf(failures)), { name: 'ExpectationError' });
}

function textOf(failures: readonly Failure[]): string {
  return failures
    .map(({ at, message, expected, actual }) => {
      const head = `${at.file}: ${message}`;
      if (expected === undefined || actual === undefined) return head;
      const lines = diffText(expected, actual).map(({ sign, text }) => (sign === '@' ? `  … ${text}` : `${sign} ${text}`));
      return [head, '- expected  + actual', ...lines].join('\n');
    })
    .join('\n\n');
}
