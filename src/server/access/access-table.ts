import { CadreError } from '../../core/error.ts';
import { includesRole, type Person, type Role } from '../../core/roles.ts';

/** Role that a route needs, and the roles that parts of its requests need beyond that. */
interface Access {
  readonly role: Role;
  readonly parts?: Readonly<Record<string, Role>>;
}

const read = { role: 'read' } as const;
const talk = { role: 'talk' } as const;
const approve = { role: 'approve' } as const;
const operate = { role: 'operate' } as const;

/**
 * The role that everything a server answers needs: each route of HTTP by method and path, each tool of MCP by name. Routes and tools are
 * added by these names alone, so one that is not in the table does not compile.
 */
export const accessTable = {
  'GET /': read,
  'GET /index.html': read,
  'GET /assets/:name': read,
  'GET /api/info': read,
  'GET /api/openapi.json': read,
  'GET /api/events': read,
  'GET /api/projects': read,
  'GET /api/tests': read,
  'GET /api/compare': read,
  'GET /api/compare/turns/:turnId': read,
  'GET /api/runs': read,
  'GET /api/runs/:id': read,
  'GET /api/runs/:id/journal': read,
  'GET /api/runs/:id/contents': read,
  'GET /api/runs/:id/profiles': read,
  'GET /api/runs/:id/state': read,
  'GET /api/runs/:id/timeline': read,
  'GET /api/runs/:id/board': read,
  'GET /api/runs/:id/tree': read,
  'GET /api/runs/:id/conversation': read,
  'GET /api/runs/:id/pending': read,
  'GET /api/runs/:id/history': read,
  'GET /api/runs/:id/turns': read,
  'GET /api/runs/:id/turns/:turnId': read,
  'GET /api/runs/:id/turns/:turnId/why': read,
  'GET /api/runs/:id/diff': read,
  'GET /api/runs/:id/events': read,
  'GET /api/runs/:id/export.json': read,
  'GET /api/runs/:id/export.html': read,
  'GET /api/chat/:id/messages': read,
  'GET /api/chat/:id/stream': read,
  // A conversation begins with a launch; what a launch may cost and which model it uses is the operator's to choose.
  'POST /api/runs': { role: 'talk', parts: { limits: 'operate', llmConfig: 'operate', request: 'operate' } },
  // A message lets an agent that stopped at a checkpoint go on.
  'POST /api/runs/:id/messages': { role: 'talk', parts: { checkpoint: 'approve' } },
  'POST /api/chat': { role: 'talk', parts: { verdicts: 'approve' } },
  'POST /ag-ui': { role: 'talk', parts: { verdicts: 'approve' } },
  'POST /api/runs/:id/approve': approve,
  'POST /api/runs/:id/reject': approve,
  'POST /api/runs/:id/answer': approve,
  'POST /api/runs/:id/note': operate,
  'POST /api/runs/:id/cancel': operate,
  'POST /api/runs/:id/profiles': operate,
  'POST /api/runs/:id/modules': operate,
  'POST /api/runs/:id/resume': operate,
  'POST /api/runs/:id/fork': operate,
  'POST /api/runs/:id/rename': operate,
  'POST /api/runs/:id/move': operate,
  'POST /api/runs/:id/delete': operate,
  'POST /api/runs/:id/restore': operate,
  'POST /api/projects/rename': operate,
  'POST /api/tests': operate,
  'MCP list_runs': read,
  'MCP list_turns': read,
  'MCP get_turn': read,
  'MCP why': read,
  'MCP get_run': read,
  'MCP run_team': talk,
  'MCP send_message': { role: 'talk', parts: { checkpoint: 'approve' } },
  'MCP answer_question': approve,
  'MCP decide_approval': approve,
  'MCP cancel_run': operate,
} as const satisfies Readonly<Record<string, Access>>;

/** Name of an entry of the table. */
export type AccessName = keyof typeof accessTable;

/** Paths of routes of one method, or names of tools. */
export type AccessOf<Kind extends 'GET' | 'POST' | 'MCP'> = AccessName extends infer Name
  ? Name extends `${Kind} ${infer Rest}`
    ? Rest
    : never
  : never;

/** Returns an entry of the table. */
export function accessOf(name: AccessName): Access {
  return accessTable[name];
}

/** Returns the role that an entry needs, or one of its parts. */
export function roleFor(name: AccessName, part?: string): Role {
  const { role, parts = {} } = accessOf(name);
  return part !== undefined && Object.hasOwn(parts, part) ? (parts[part] ?? role) : role;
}

/**
 * Refuses what a person's role does not allow.
 *
 * @throws CadreError `REQUEST_REFUSED` with the person's role and the one that is needed
 */
export function assertMay(person: Person, name: AccessName, part?: string): void {
  const needed = roleFor(name, part);
  if (includesRole(person.role, needed)) return;
  throw new CadreError(
    'REQUEST_REFUSED',
    `${part === undefined ? 'this' : `'${part}'`} needs the role ${needed}, and ${person.name} has the role ${person.role}; whoever runs the server assigns roles`,
    { details: { role: person.role, needed } },
  );
}
