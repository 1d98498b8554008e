import { shownCost } from '../../core/state/budget.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { statusOf } from '../../core/state/run-status.ts';
import type { Run } from '../../engine/run.ts';
import { approvalFacts } from '../../inspect/approval-text.ts';
import { concludeRun } from '../../inspect/conclude.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import type { TeamAnswer } from './team-tool.ts';

/** Describes a run for an MCP client: its result, what waits for a person, and the next step. */
export function describeRun(run: Run, busy: boolean): TeamAnswer {
  const { state, pending } = run;
  const { usage } = state;
  const conclusion = busy ? undefined : concludeRun(state);
  const data: JsonObject = {
    run_id: run.id,
    status: statusOf(state),
    is_working: busy,
    outcome: state.outcome ?? null,
    output: conclusion?.text ?? '',
    problem: conclusion?.problem ?? null,
    deliverables: state.deliverables,
    pending: pending.map(pendingData),
    turns: state.counters.turns,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cost_usd: shownCost(usage).cost },
  };
  const lines = [`run ${run.id}: ${busy ? 'working' : (state.outcome ?? statusOf(state))}, ${state.counters.turns} turns`];
  if (conclusion?.problem !== undefined && pending.length === 0) lines.push(`problem: ${conclusion.problem}`);
  if (conclusion !== undefined && conclusion.text !== '') lines.push('', conclusion.text);
  lines.push('', nextStep(run, busy));
  return { text: lines.join('\n'), data, whole: pending.map(pendingText) };
}

function nextStep(run: Run, busy: boolean): string {
  const id = JSON.stringify(run.id);
  if (busy) return `It is still working. Check again with get_run {"run_id": ${id}, "wait_seconds": 50}.`;
  if (run.state.outcome !== undefined) return `It has ended. list_turns {"run_id": ${id}} shows its turns.`;
  return `It waits. Continue with send_message {"run_id": ${id}, "text": …}.`;
}

/** A request for approval is shown in full, with hidden characters made visible. */
const whole = { maxLine: Number.MAX_SAFE_INTEGER, maxLines: Number.MAX_SAFE_INTEGER };

function pendingText(request: PendingRequest): string {
  const who = request.path.join(' → ');
  if (request.kind === 'approval')
    return [
      `${request.id}: ${who} wants to call ${request.tool} with ${toTerminalText(JSON.stringify(request.args), whole)}. A person must approve it${
        request.message === undefined ? '' : `: ${request.message}`
      }`,
      ...approvalFacts(request).map(({ text }) => `- ${text}`),
    ].join('\n');
  const schema = request.schema === undefined ? '' : ` (an answer that fits ${JSON.stringify(request.schema)})`;
  return `${request.id}: ${who} asks${schema}: ${request.message ?? request.tool}`;
}

function pendingData(request: PendingRequest): JsonValue {
  const { id, callId, kind, path, tool, args, message, schema, prompt, sandbox, changed, fingerprint } = request;
  return toWire({ id, callId, kind, path, tool, args, message, schema, prompt, sandbox, changed, fingerprint });
}
