/** Toolset of the tools that call agents, and of exposed profiles that name no other. */
export const agentsToolset = 'agents';
