import type { Later } from './requirement.ts';

/** What rows wait for, by the mechanism that is not there yet: each says what there is instead. */
export const missing = {
  projectFiles: {
    later:
      'Files are attached to a message, and lie in the workspace of a run; a project has no files of its own, and links are not previewed.',
  },
  visionTools: {
    later:
      'Models see pictures as they are; tools that crop them, read tables off them or recognise text need programs that are not bound yet.',
  },
  embeddings: {
    later:
      'Documents are indexed by their words, by run and with tags; sources with embeddings, shared between projects, come later.',
  },
  panel: { later: 'Several agents can be asked at once; rounds of voting until they agree are not there yet.' },
  serving: { later: 'Teams are served over HTTP, to chats and as MCP tools; this protocol is not among them yet.' },
  toolFolders: {
    later: 'Tools are handed to the engine by name, or declared as toolsets; folders of code are not scanned for them.',
  },
} satisfies Readonly<Record<string, Later>>;
