import type { AgentId } from '../../core/ids.ts';
import { messageOrigins, moduleOrigins, saidOrigins, scopeOrigins } from '../../core/untrusted/scope-origins.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { originsAt, type Origins, trusted } from '../../core/untrusted/watch-scope.ts';
import { handedOverMessages } from '../reports/message-text.ts';

/** An agent that hands over. */
interface Source {
  readonly run: RunContext;
  readonly agent: SubContext;
}

/**
 * Returns where untrusted text is in the roots of a handover that differ from its agent's scope. The parameters are the words of the call, which
 * give the receiving agent its task; so are the name and description of its module.
 */
export function handoverOrigins({ run, agent }: Source): Readonly<Record<string, Origins>> {
  const own = scopeOrigins({ profiles: new Map() }, { run, agent, isTask: true });
  const modules = moduleOrigins(run, true);
  return {
    params: trusted,
    state: {
      field: (key) => {
        if (key === 'messages') return listOrigins(run, agent);
        if (key === 'current_action') return { field: (part) => (part === 'parameters' ? trusted : saidOrigins(agent)) };
        return originsAt(own('state'), key);
      },
    },
    team: {
      field: (key) =>
        key === 'work_modules' ? { field: (id) => moduleAt(run, id, originsAt(modules, id)) } : originsAt(own('team'), key),
    },
  };
}

/** Origins of a module whose archived attempts have their messages. */
function moduleAt(run: RunContext, id: string, module: Origins): Origins {
  return {
    field: (field) => {
      if (field !== 'context_archive') return originsAt(module, field);
      const attempts = originsAt(module, field);
      return {
        field: (index) => {
          const archive = run.team.workModules[id]?.context_archive.at(Number(index));
          const agent = run.agents.get((archive?.agent_id ?? '') as AgentId);
          return {
            field: (part) =>
              part === 'messages'
                ? agent === undefined
                  ? trusted
                  : listOrigins(run, agent, archive?.message_count)
                : originsAt(attempts, part),
          };
        },
      };
    },
  };
}

/** Origins of messages as they are handed over. */
function listOrigins(run: RunContext, agent: SubContext, count?: number): Origins {
  const entries = handedOverMessages(agent.history, count);
  const origins = messageOrigins({ run, agent });
  return {
    field: (index) => {
      const place = entries[Number(index)]?.index;
      return place === undefined
        ? trusted
        : { field: (part) => (part === 'content' ? originsAt(origins, String(place)) : trusted) };
    },
  };
}
