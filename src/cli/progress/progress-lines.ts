import type { CadreEvent } from '../../core/events/event.ts';
import { titleCall } from '../../core/fold/charge.ts';
import { callNames } from '../../core/events/call-names.ts';
import { contentText } from '../../core/prompt/message.ts';
import { type ModuleChange, moduleChanges } from '../../core/patches/module-changes.ts';
import { changesText } from '../../core/events/profile-edit.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { type TextStyle, styledStatus } from '../../inspect/format/text/text-style.ts';
import { attemptUseText, durationText } from '../../inspect/format/text/quantity-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { toStyledLine } from '../../inspect/format/text/terminal-text.ts';
import { wrapLine } from '../../inspect/format/text/wrap-line.ts';
import { argsText } from './args-text.ts';

/** Turns the events of one run, in order, into progress lines; undefined for events that need none. */
export type ProgressLines = (event: CadreEvent) => string | undefined;

/**
 * Creates the plain view of a run. Lines contain no untrusted control characters and start with the seconds since the first event.
 * `known` is the state before that event, unless it is the run's first.
 */
export function createProgressLines(style: TextStyle, known?: RunContext): ProgressLines {
  const names = namesOf(known);
  let startedAt: number | undefined;
  return (event) => {
    startedAt ??= event.at;
    const text = lineOf(event, names, style);
    return text === undefined ? undefined : timedLine(event.at - startedAt, text, style);
  };
}

/** Returns a progress line with its time: the milliseconds since the first event. */
export function timedLine(ms: number, text: string, style: TextStyle): string {
  return `${style.dim(secondsText(ms))} ${toStyledLine(text)}`;
}

/** Wraps a progress line; continuation lines are indented past the time. */
export function fitProgress(line: string, width: number | undefined): string {
  return width === undefined ? line : wrapLine(line, { width, rest: ' '.repeat(secondsText(0).length + 1) }).join('\n');
}

/** Names from earlier events that later lines need. */
interface Names {
  readonly calls: Map<string, string>;
  readonly modules: Map<string, string>;
}

function namesOf(run: RunContext | undefined): Names {
  const calls = [...(run?.agents.values() ?? [])].flatMap((agent) => [...agent.calls.open.values()]);
  const modules = Object.values(run?.team.workModules ?? {});
  return {
    calls: new Map(calls.map((call) => [call.callId, call.request.name])),
    modules: new Map(modules.map((module) => [module.module_id, module.name])),
  };
}

function secondsText(ms: number): string {
  return `[${(Math.max(0, ms) / 1000).toFixed(1).padStart(6)} s]`;
}

function lineOf(event: CadreEvent, names: Names, style: TextStyle): string | undefined {
  switch (event.type) {
    case 'run.start':
      return `run ${style.bold(safe(event.runId))} started: ${safe(event.title)}`;
    case 'run.resume':
      return `run resumed after ${durationText(event.downMs)}${event.profiles === undefined ? '' : ', with other profiles'}`;
    case 'run.title':
      return event.title === undefined ? undefined : `run renamed to ${safe(event.title)}`;
    case 'profiles.update':
      return `profiles changed: ${safe(changesText(event.changes), 400)}`;
    case 'run.end':
      return runEndLine(event, style);
    case 'agent.start':
    case 'agent.release':
    case 'agent.restart':
    case 'agent.await':
    case 'agent.end':
      return agentLine(event, style);
    case 'inbox.fail':
      return `${style.yellow('warning')} ${safe(event.agentId)} could not read an item: ${safe(event.error.message)}`;
    case 'limit.reach':
      return `${style.yellow('limit')} ${safe(event.agentId)} ${event.stage === 1 ? 'nears' : 'has reached'} ${safe(event.reason)}`;
    case 'stagnation.act':
      return `${style.yellow('stagnation')} ${safe(event.agentId)} made no progress (${event.on} = ${event.count}): ${event.action}`;
    case 'model.reserve':
      return attemptLine(event, style);
    case 'model.end':
      return modelLine(event, style);
    case 'tool.request':
    case 'tool.suspend':
    case 'tool.answer':
    case 'tool.verify':
    case 'tool.end':
    case 'tool.late':
      return toolLine(event, names, style);
    case 'module.update':
    case 'state.patch':
      return moduleLine(event, names, style);
    case 'dispatch.update':
      return dispatchLine(event, names);
    case 'note.add':
      return noteLine(event, style);
    case 'compaction.end':
      return compactionLine(event, style);
    case 'run.status':
    case 'toolset.update':
    case 'context.trim':
    case 'compaction.start':
    case 'inbox.add':
    case 'inbox.drop':
    case 'clock.jump':
    case 'turn.start':
    case 'turn.decide':
    case 'turn.end':
    case 'tool.start':
    case 'state.update':
      return undefined;
  }
}

function runEndLine(
  { status, outcome, error, running }: Extract<CadreEvent, { readonly type: 'run.end' }>,
  style: TextStyle,
): string {
  const why = error === undefined ? '' : `: ${safe(error.message, 400)}`;
  const left = running === undefined ? '' : `; still running: ${safe(callNames(running), 400)}`;
  return `run ended ${styledStatus(style, status)} (${safe(outcome)})${why}${left}`;
}

/** Shows notices of agents at any level; of the engine's notes, only warnings, errors and the end of an outage. */
function noteLine(event: Extract<CadreEvent, { readonly type: 'note.add' }>, style: TextStyle): string | undefined {
  if (event.code === 'NOTICE') return `${style.bold(safe(event.agentId ?? ''))} says: ${safe(event.message, 4_000)}`;
  if (event.code === 'MODEL_OUTAGE' && event.level === 'info') return `${style.green('ok')} ${safe(event.message, 400)}`;
  return event.level === 'info' ? undefined : `${style.yellow(safe(event.level))} ${safe(event.code)}: ${safe(event.message, 400)}`;
}

function agentLine(event: Extract<CadreEvent, { readonly type: `agent.${string}` }>, style: TextStyle): string {
  const agent = style.bold(safe(event.agentId));
  switch (event.type) {
    case 'agent.start': {
      const notes = [
        `profile ${safe(event.profile)}`,
        ...(event.roleName === undefined || event.roleName === event.profile ? [] : [safe(event.roleName)]),
        ...(event.moduleId === undefined ? [] : [`module ${safe(event.moduleId)}`]),
        ...(event.parentAgentId === undefined ? [] : [`by ${safe(event.parentAgentId)}`]),
      ];
      return `${agent} ${event.held === true ? 'waits for a free slot' : 'started'} (${notes.join(', ')})`;
    }
    case 'agent.release':
      return `${agent} got a free slot`;
    case 'agent.restart':
      return `${agent} continues with iteration ${event.iteration}`;
    case 'agent.await':
      if (event.checkpoint !== undefined) return `${style.yellow('checkpoint')} ${agent} waits at '${safe(event.checkpoint.id)}'`;
      return `${agent} waits for ${event.on === undefined ? 'a message' : event.on.map((source) => safe(source)).join(', ')}`;
    case 'agent.end':
      return `${agent} ended ${styledStatus(style, safe(event.outcome))}${event.error === undefined ? '' : `: ${safe(event.error.message, 400)}`}${event.unknown === undefined ? '' : `; may have happened: ${safe(callNames(event.unknown), 400)}`}`;
  }
}

/** Returns the line of charged attempts: what they used, and why no further one is made, if so. */
function attemptLine(event: Extract<CadreEvent, { readonly type: 'model.reserve' }>, style: TextStyle): string | undefined {
  const who = safe(event.call === titleCall ? 'the title' : event.agentId);
  if (event.error !== undefined) return `${style.yellow('limit')} ${who} makes no attempt: ${safe(event.error.message, 400)}`;
  const failed = event.attempts.filter(({ usage }) => usage !== undefined);
  const texts = failed.map((attempt) => {
    const why = attempt.error === undefined ? 'came too late' : `failed: ${safe(attempt.error.message, 200)}`;
    return `an attempt on ${safe(attempt.config)} ${attemptUseText(attempt)} and ${why}`;
  });
  return texts.length === 0 ? undefined : `${style.yellow('charged')} ${who}: ${texts.join('; ')}`;
}

function modelLine(event: Extract<CadreEvent, { readonly type: 'model.end' }>, style: TextStyle): string | undefined {
  if (event.error?.code === 'MODEL_INTERRUPTED') return `${style.yellow('interrupted')} ${safe(event.agentId)}: a message came in`;
  if (event.error !== undefined)
    return `${style.red('error')} ${safe(event.agentId)}: the model call failed: ${safe(event.error.message, 400)}`;
  const tries = event.attempts.length;
  return tries > 1 ? `${style.yellow('retried')} ${safe(event.agentId)}: the model answered after ${tries} attempts` : undefined;
}

function compactionLine(event: Extract<CadreEvent, { readonly type: 'compaction.end' }>, style: TextStyle): string {
  const messages = `its messages ${event.from} to ${event.to - 1}`;
  return event.error === undefined
    ? `${safe(event.agentId)} continues with a summary of ${messages}`
    : `${style.yellow('warning')} ${safe(event.agentId)}: ${messages} could not be summarised: ${safe(event.error.message, 400)}`;
}

type ToolEvent = Extract<
  CadreEvent,
  { readonly type: 'tool.request' | 'tool.suspend' | 'tool.answer' | 'tool.verify' | 'tool.end' | 'tool.late' }
>;

function toolLine(event: ToolEvent, names: Names, style: TextStyle): string | undefined {
  const agent = safe(event.agentId);
  if (event.type === 'tool.request') {
    names.calls.set(event.callId, event.name);
    return `${agent} calls ${style.cyan(safe(event.name))} ${style.dim(argsText(event.args))}`.trimEnd();
  }
  const name = safe(names.calls.get(event.callId) ?? event.callId);
  switch (event.type) {
    case 'tool.suspend':
      return event.on.kind === 'agents' ? undefined : `${style.yellow(event.on.kind)} ${agent}: ${name} waits for you`;
    case 'tool.answer':
      if (event.standing !== undefined) return undefined;
      return event.expired === true
        ? `${name} of ${agent} expired: ${event.verdict === 'approved' ? 'allowed' : 'denied'}`
        : `${name} of ${agent} was ${event.verdict}${event.args === undefined ? '' : ' with other arguments'}${event.always === true ? ', as will later calls' : ''}`;
    case 'tool.verify':
      return `${safe(event.by)} verified the interrupted call of ${name}: ${event.answer.replace('_', ' ')}`;
    case 'tool.late':
      names.calls.delete(event.callId);
      return `${styledStatus(style, event.status)} ${agent}: ${name} ended after its call was over: ${safe(event.error?.message ?? contentText(event.content), 400)}`;
    case 'tool.end':
      if (event.isRunning !== true) names.calls.delete(event.callId);
      return event.status === 'ok'
        ? undefined
        : `${style.red(event.status)} ${agent}: ${name}: ${safe(contentText(event.content))}`;
  }
}

/** Maximum number of modules named in one line. */
const maxModules = 6;

function moduleLine(event: CadreEvent, names: Names, style: TextStyle): string | undefined {
  const texts = moduleChanges(event).flatMap((change) => moduleText(change, names, style) ?? []);
  if (texts.length === 0) return undefined;
  const more = texts.length > maxModules ? `; and ${texts.length - maxModules} more` : '';
  return `module ${texts.slice(0, maxModules).join('; ')}${more}`;
}

function moduleText({ moduleId, fields }: ModuleChange, names: Names, style: TextStyle): string | undefined {
  const isNew = !names.modules.has(moduleId);
  if (isNew || fields.name !== undefined) names.modules.set(moduleId, fields.name ?? names.modules.get(moduleId) ?? '');
  const module = `${style.cyan(safe(moduleId))} ${safe(names.modules.get(moduleId) ?? '', 80)}`.trimEnd();
  if (isNew && fields.name !== undefined) return `${module} planned`;
  // The dispatch line reports `ongoing`, together with the agent.
  return fields.status === undefined || fields.status === 'ongoing'
    ? undefined
    : `${module} is ${styledStatus(style, fields.status)}`;
}

function dispatchLine({ patch }: Extract<CadreEvent, { readonly type: 'dispatch.update' }>, names: Names): string | undefined {
  if (patch.module_id === undefined || patch.agent_id === undefined) return undefined;
  const name = names.modules.get(patch.module_id) ?? '';
  return `module ${safe(patch.module_id)}${name === '' ? '' : ` ${safe(name, 80)}`} was dispatched to ${safe(patch.agent_id)}`;
}
