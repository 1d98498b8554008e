import { starterDocuments } from './starter-documents.ts';
import { starterProfiles } from './starter-profiles.ts';
import { starterReadme } from './starter-readme.ts';
import { starterScript } from './starter-script.ts';
import type { StarterFile } from './starter-file.ts';

/** All files written by `init` except the schemas. Texts live in modules, so that every build of the package contains them. */
export const starterFiles: readonly StarterFile[] = [
  ...starterProfiles,
  { file: 'agent_profiles/scripts/offline.yaml', text: starterScript },
  ...starterDocuments,
  { file: 'README.md', text: starterReadme },
  { file: '.gitignore', text: '.cadre/\n' },
];
