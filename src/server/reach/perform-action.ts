import { statusOf } from '../../core/state/run-status.ts';
import type { Run } from '../../engine/run.ts';
import type { ActionDone, ActorOption, RunAction } from './run-action.ts';

/** Performs an action of a person on a run of this process; resolves once it is in the journal, and for a cancel once everything it stops has ended. */
export async function performAction(run: Run, action: RunAction, actor: ActorOption = {}): Promise<ActionDone> {
  const itemId = await perform(run, action, actor);
  return { ...toActionDone(run), ...(itemId === undefined ? {} : { itemId }) };
}

/** Returns the status of a run after an action. */
export function toActionDone(run: Run): ActionDone {
  const { outcome } = run.state;
  return { status: statusOf(run.state), ...(outcome === undefined ? {} : { outcome }), pending: run.pending };
}

async function perform(run: Run, action: RunAction, { mayAnswer, ...by }: ActorOption): Promise<string | undefined> {
  switch (action.kind) {
    case 'send': {
      const { text, to, priority, itemId } = action;
      const receipt = await run.send(text, {
        ...(to === undefined ? {} : { to }),
        ...(priority === undefined ? {} : { priority }),
        ...(itemId === undefined ? {} : { itemId }),
        ...(mayAnswer === undefined ? {} : { mayAnswer }),
        ...by,
      });
      return receipt.itemId;
    }
    case 'approve':
      await run.approve(action.ids, {
        ...(action.args === undefined ? {} : { args: action.args }),
        ...(action.always === undefined ? {} : { always: action.always }),
        ...(action.fingerprint === undefined ? {} : { fingerprint: action.fingerprint }),
        ...by,
      });
      return undefined;
    case 'reject':
      await run.reject(action.ids, { ...(action.message === undefined ? {} : { message: action.message }), ...by });
      return undefined;
    case 'answer':
      await run.answer(action.id, action.value, by);
      return undefined;
    case 'note': {
      const { title, content, agent } = action;
      await run.note(agent === undefined ? { title, content } : { title, content, agent }, by);
      return undefined;
    }
    case 'cancel':
      await run.cancel(action.reason, {
        ...(action.agentId === undefined ? {} : { agentId: action.agentId }),
        ...(action.moduleId === undefined ? {} : { moduleId: action.moduleId }),
        ...by,
      });
      return undefined;
    case 'profiles':
      await run.updateProfiles(action.edits, by);
      return undefined;
    case 'modules':
      await run.updateModules(action.actions, by);
      return undefined;
  }
}
